"""While the disk is full, what makes room is taken, and what takes room is not."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.http.admission import SMALL
from tests.handlers.small_kernel import Kernel, edge
from tests.kit.client import call, environment
from vfs.ports.disk import DiskState

FORM = "multipart/form-data; boundary=line"


class Disk:
    """A disk with this room (vfs.ports.disk.DiskRoom)."""

    def __init__(self, room: DiskState) -> None:
        self.now, self.looks = room, 0

    def room(self) -> DiskState:
        self.looks += 1
        return self.now


def status(app: Any, method: str, size: int = 0, media: str = "text/plain", **more: str) -> int:
    def changed(environ: dict[str, Any], start: Any) -> Any:
        return app({**environ, **more}, start)

    body = bytes(size)
    return call(changed, method, "/v1/x", [("Content-Type", media)] if body else [], body).status


@pytest.mark.parametrize("room", DiskState)
@pytest.mark.parametrize(
    "method, size, media, chunked, taken_when",
    [
        ("GET", 0, "", False, set(DiskState)),
        ("OPTIONS", 0, "", False, set(DiskState)),
        ("DELETE", 0, "", False, set(DiskState)),
        ("POST", 0, "", False, {DiskState.AMPLE, DiskState.LOW, DiskState.FULL}),
        ("POST", SMALL, "text/plain", False, {DiskState.AMPLE, DiskState.LOW, DiskState.FULL}),
        ("PUT", 1, "text/plain", False, {DiskState.AMPLE, DiskState.LOW, DiskState.FULL}),
        ("PATCH", 1, "text/plain", False, {DiskState.AMPLE, DiskState.LOW, DiskState.FULL}),
        ("POST", SMALL + 1, "text/plain", False, {DiskState.AMPLE, DiskState.LOW}),
        ("PUT", SMALL + 1, "text/plain", False, {DiskState.AMPLE, DiskState.LOW}),
        ("POST", 10, FORM, False, {DiskState.AMPLE, DiskState.LOW}),
        ("POST", 10, "text/plain", True, {DiskState.AMPLE, DiskState.LOW}),
    ],
)
def test_what_is_taken(
    kernel: Kernel,
    room: DiskState,
    method: str,
    size: int,
    media: str,
    chunked: bool,
    taken_when: set[DiskState],
) -> None:
    disk = Disk(room)
    app = edge(kernel, disk=disk)
    more = {"HTTP_TRANSFER_ENCODING": "chunked"} if chunked else {}
    assert (status(app, method, size, media, **more) == 507) == (room not in taken_when)
    assert disk.looks == (method not in ("GET", "OPTIONS")), "a deletion has the reserve given up, too"


def test_a_refusal_tells_when_to_come_again(kernel: Kernel) -> None:
    answer = call(edge(kernel, disk=Disk(DiskState.FULL)), "POST", "/v1/x", [("Content-Type", FORM)], b"x")
    assert (answer.status, int(answer.headers["retry-after"]) > 0) == (507, True)


@pytest.mark.parametrize("room", [DiskState.FULL, DiskState.SPENT])
def test_pages_sign_in_and_delete(kernel: Kernel, room: DiskState) -> None:
    app = edge(kernel, disk=Disk(room))
    form = "application/x-www-form-urlencoded"
    assert call(app, "POST", "/a/page", [("Content-Type", form)], b"user=a").status == 404
    assert call(app, "POST", "/a/page", [("Content-Type", FORM)], b"user=a").status == 507


def test_an_odd_length_is_no_small_one(kernel: Kernel) -> None:
    app, start = edge(kernel, disk=Disk(DiskState.FULL)), []
    odd = {**environment("POST", "/v1/x", [], b""), "CONTENT_LENGTH": "many"}
    list(app(odd, lambda line, headers, *_: start.append(line)))
    assert start[0].startswith("507")
