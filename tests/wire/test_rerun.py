"""Runs that are repeated with what they were sent, and files of runs that are read one by one."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from tests.kit.client import Answer, sandboxed
from tests.kit.service import Application
from vfs.ports.quotas import QuotaName

JOB = "/v1/users/alice/code/jobs/letter"
FORM = "multipart/form-data; boundary=line"
FILES = {"a.txt": b"one\n", "in/b.html": b"<script>alert(1)</script>", "in/deep/c.bin": b"\0\1\2"}


def form(files: dict[str, bytes]) -> bytes:
    """A form that brings files."""
    head = b'--line\r\nContent-Disposition: form-data; name="file"; filename="%b"\r\n\r\n%b\r\n'
    parts = [head % (name.encode(), body) for name, body in files.items()]
    return b"".join(parts) + b"--line--\r\n"


class Desk:
    """alice's job that sends back what it is sent; bob may read and run it, carol run it, dora read it."""

    def __init__(self, service: Application) -> None:
        self.service = service
        self.script("COPY=")
        assert self.ask("PUT", JOB).status == 201
        assert self.ask("POST", f"{JOB}/config/chains", b"step").status == 200
        for user, letters in {"bob": "rx", "carol": "x", "dora": "r"}.items():
            service.user(user)
            service.arrange("share", ["job", "alice/letter", f"@{user}", letters], [])

    def script(self, script: str) -> None:
        self.service.arrange("image", ["alice/step", script], [])

    def ask(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        media: str = "text/plain",
        user: str = "alice",
        **more: str,
    ) -> Answer:
        headers = [("Authorization", f"Bearer {self.service.user(user)}"), *more.items()]
        return self.service.call(method, path, [*headers, ("Content-Type", media)] if body else headers, body)

    def json(self, path: str, user: str = "alice") -> Any:
        return json.loads(self.ask("GET", path, user=user, Accept="application/json").body)

    def trigger(self, user: str = "alice", files: dict[str, bytes] | None = None) -> str:
        """Run the job with files, or with a short JSON; the path of the run."""
        body, media = (b'{"n": 1}', "application/json") if files is None else (form(files), FORM)
        answer = self.ask("POST", f"{JOB}/data", body, media, user)
        assert answer.status in (200, 204, 422), answer.body
        return answer.headers["location"].replace("/v1/code/", "/v1/users/alice/code/")


@pytest.fixture
def desk(service: Application) -> Desk:
    return Desk(service)


def unpacked(body: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("files", [None, FILES, {"input.json": b"\xff\0"}], ids=["json", "files", "bytes"])
def test_a_run_is_repeated_with_what_it_was_sent(desk: Desk, files: dict[str, bytes] | None) -> None:
    run = desk.trigger(files=files)
    first = desk.ask("GET", f"{run}/output")
    desk.script("COPY=again")
    answer = desk.ask("POST", f"{run}/rerun", user="bob")
    assert answer.status == 200, answer.body
    again = answer.headers["location"]
    assert again != run
    assert again.startswith(f"{JOB}/runs/")
    stats = desk.json(f"{again}/stats")
    assert (stats["created_by"], stats["trigger"], stats["status"]) == ("bob", "api", "success")
    third = desk.ask("POST", f"{again}/rerun")
    was, now, then = (
        unpacked(one.body) if files and len(files) > 1 else {"": one.body} for one in (first, answer, third)
    )
    assert now == {name: body + b"again\n" for name, body in was.items()} == then


def test_a_repeated_run_is_followed_or_not_as_any_other(desk: Desk) -> None:
    run = desk.trigger()
    answer = desk.ask("POST", f"{run}/rerun", Prefer="respond-async")
    assert (answer.status, answer.headers["preference-applied"]) == (202, "respond-async")
    desk.script("EXIT=1")
    assert desk.ask("POST", f"{run}/rerun").status == 422
    assert "POST" in desk.ask("OPTIONS", f"{run}/rerun").headers["allow"]


@pytest.mark.parametrize(
    "by,user,status",
    [
        ("alice", "bob", 200), ("alice", "carol", 403), ("carol", "carol", 200), ("alice", "dora", 403),
        ("carol", "bob", 200), ("alice", "eve", 404),
    ],
)  # fmt: skip
def test_a_user_who_may_run_the_job_repeats_readable_runs(
    desk: Desk, by: str, user: str, status: int
) -> None:
    run = desk.trigger(by)
    count = len(desk.json(f"{JOB}/runs"))
    assert desk.ask("POST", f"{run}/rerun", user=user).status == status
    assert len(desk.json(f"{JOB}/runs")) == count + (status == 200)


def test_rights_are_checked_again(desk: Desk) -> None:
    run = desk.trigger("bob")
    assert desk.ask("DELETE", f"{JOB}/shared/@bob~rx").status == 200
    assert desk.ask("POST", f"{run}/rerun", user="bob").status == 404
    assert desk.ask("POST", f"{run}/rerun", b"{}", "application/json").status == 400


def test_an_input_that_was_not_kept_is_reported(desk: Desk, short_inputs: None) -> None:
    run = desk.trigger(files=FILES)
    answer = desk.ask("POST", f"{run}/rerun")
    assert answer.status == 410
    assert "kept_input" in json.loads(answer.body)["detail"]
    assert desk.ask("GET", f"{run}/inputs").status == 410
    assert desk.ask("GET", f"{run}/outputs").status == 200


@pytest.fixture
def short_inputs(service: Application) -> Any:
    """A service that keeps short inputs alone."""
    settings = service.world.service.settings
    before = settings.kept_input
    object.__setattr__(settings, "kept_input", 10)
    yield
    object.__setattr__(settings, "kept_input", before)


def test_an_input_is_gone_with_the_output(desk: Desk) -> None:
    run = desk.trigger(files=FILES)
    found = desk.service.world.code.runs.retention.expire("9", 10)
    assert found
    for method, path in (("POST", "rerun"), ("GET", "inputs"), ("GET", "outputs"), ("GET", "inputs/a.txt")):
        answer = desk.ask(method, f"{run}/{path}")
        assert (answer.status, b"is kept for" in answer.body) == (410, True), path


def test_inputs_count_as_what_their_owner_keeps(desk: Desk) -> None:
    def use() -> int:
        return desk.service.world.service.quotas.one("alice", QuotaName.STORAGE).use

    desk.script("ECHO=x")
    desk.trigger(files={"a": b""})
    before = use()
    desk.trigger(files={"a": bytes(10_000)})
    assert 10_000 <= use() - before < 12_000
    desk.service.world.code.runs.retention.expire("9", 10)
    assert use() < before


def test_files_of_a_run_are_read_one_by_one(desk: Desk) -> None:
    run = desk.trigger(files=FILES)
    for side in ("inputs", "outputs"):
        rows = desk.json(f"{run}/{side}")
        assert [(row["name"], row["type"], row.get("size")) for row in rows] == [
            ("a.txt", "file", len(b"one\n")), ("in", "dir", None),
        ]  # fmt: skip
        assert [row["name"] for row in desk.json(f"{run}/{side}/in")] == ["b.html", "deep"]
        for name, body in FILES.items():
            answer = desk.ask("GET", f"{run}/{side}/{name}", user="bob")
            assert (answer.status, answer.body) == (200, body)
            assert sandboxed(answer.headers)
            kept = name.endswith(".bin")
            assert answer.headers["content-disposition"].startswith("attachment" if kept else "inline")
            media = "application/octet-stream" if kept else "text/plain; charset=utf-8"
            assert answer.headers["content-type"] == media
    for name in ("none", "in/none", "a.txt/b", "in/deep/c.bin/x"):
        assert desk.ask("GET", f"{run}/inputs/{name}").status == 404
    assert desk.ask("GET", f"{run}/inputs/a.txt", user="carol").status == 403
    assert desk.ask("POST", f"{run}/inputs/a.txt", b"x").status == 405


def test_a_single_result_is_one_file(desk: Desk) -> None:
    run = desk.trigger()
    assert [row["name"] for row in desk.json(f"{run}/inputs")] == ["input.json"]
    assert desk.ask("GET", f"{run}/inputs/input.json").body == b'{"n": 1}'
    (row,) = desk.json(f"{run}/outputs")
    assert row["name"] == "input.json"
    assert desk.ask("GET", f"{run}/outputs/input.json").body == desk.ask("GET", f"{run}/output").body


def test_a_zip_of_a_step_is_read_with_care(desk: Desk) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name in ("fine.txt", "../up", "/root", "a//b", "/".join("d" * 100), "odd\nname"):
            file.writestr(name, "x")
        file.writestr("large", bytes(3 << 20))
    desk.script("COPY=")
    run = desk.trigger(files={"odd.zip": archive.getvalue()})
    settings = desk.service.world.service.settings
    before = settings.output_limit
    object.__setattr__(settings, "output_limit", 2 << 20)
    try:
        assert [row["name"] for row in desk.json(f"{run}/outputs")] == ["fine.txt", "large"]
        assert desk.ask("GET", f"{run}/outputs/fine.txt").body == b"x"
        assert desk.ask("GET", f"{run}/outputs/large").status == 409
    finally:
        object.__setattr__(settings, "output_limit", before)
