"""A piece of a file is taken for the whole nowhere, whatever is written and by whom."""

from __future__ import annotations

import pytest

from tests.fuzz.empty_world import AS_JSON, AS_PNG, ITEMS, PLAIN, EmptyWorld, every_path, open_world
from tests.kit.client import call

WRITES = ("POST", "PUT", "PATCH", "DELETE")
OUTSIDE = ("/oauth/token", "/oauth/revoke", "/login", "/u/fuzz", "/", "/docs", "/nowhere", "/v1/%2f", "/v2/x")
RANGES = ("bytes 4-9/10", "bytes 0-9/10", "bytes */10", "lines 1-2/3", "", "nonsense")
LIVELY = ("/v1/admin/tokens",)
FORM = "application/x-www-form-urlencoded"
BODIES = ((PLAIN, b"456789"), (AS_JSON, b'{"name": "heron"}'), (AS_PNG, b"IDAT"), (FORM, b"a=b"))

pytestmark = pytest.mark.no_cover


def test_a_piece_is_refused_everywhere_and_nothing_is_changed(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with open_world(tmp_path_factory.mktemp("pieces")) as empty_world:
        empty_world.populate()
        empty_world.ask("PUT", f"{ITEMS['spaces']}/content/resume.txt", b"0123", PLAIN)
        paths = [*every_path(empty_world), f"{ITEMS['spaces']}/content/resume.txt"]
        before = _state(empty_world, paths)
        for number, path in enumerate([*paths, *OUTSIDE]):
            media, body = BODIES[number % len(BODIES)]
            for method in WRITES:
                sent_range = RANGES[number % len(RANGES)]
                for who in ([], [("Authorization", f"Bearer {empty_world.token}")]):
                    headers = [*who, ("Content-Range", sent_range), ("Content-Type", media)]
                    answer = call(empty_world.app, method, path, headers, b"" if method == "DELETE" else body)
                    assert answer.status == 400, (method, path, answer)
                    assert all(
                        word in answer.body.decode() for word in ("nothing was changed", sent_range, "-C")
                    )
        assert _state(empty_world, paths) == before
        assert empty_world.ask("GET", f"{ITEMS['spaces']}/content/resume.txt").body == b"0123"
        for method in ("GET", "HEAD", "OPTIONS"):
            answer = empty_world.ask_with(method, f"{ITEMS['plots']}/data", ("Content-Range", RANGES[0]))
            assert answer.status in (200, 204)


def _state(empty_world: EmptyWorld, paths: list[str]) -> dict[str, bytes]:
    """What is read at each path, changes and their times among it."""
    answers = {path: empty_world.ask("GET", path) for path in paths if not path.startswith(LIVELY)}
    found = {path: answer.body for path, answer in answers.items() if answer.status == 200}
    assert len(found) > 300
    return found
