"""Writes that come at once: where a sync fails, each is told what became of its own."""

from __future__ import annotations

import errno
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.durability.ground import REFUSALS, USER, Ground
from tests.durability.test_kills import check_storage
from tests.durability.warden import Fault
from tests.kit.client import Answer
from tests.kit.gunicorn import Client

DOC = f"/v1/users/{USER}/vis/docs/at-once"
WRITERS = 12
ROUNDS = 12


class Written(NamedTuple):
    """A write and its answer."""

    path: str
    text: str
    answer: Answer


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """On SQLite, whose writers take turns."""
    return Ground(tmp_path / "data", f"sqlite:///{tmp_path}/data/curlew.db")


def write_at_once(ground: Ground, number: int) -> list[Written]:
    """Several writes of round `number` to files of one document, of which one is not there."""

    def write(writer: int) -> Written:
        client: Client = ground.service.client(ground.tokens[USER])
        path = f"{DOC}/{('name', 'summary')[writer % 2]}" if writer else f"{DOC}/nothing"
        text = f"round {number} of writer {writer}"
        answer = client.call("POST", path, text.encode(), "text/plain")
        client.close()
        return Written(path, text, answer)

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(write, range(WRITERS)))


def test_a_sync_that_fails_loses_and_invents_nothing(ground: Ground) -> None:
    assert ground.client.call("PUT", DOC).status == 201
    refused = 0
    for number in range(ROUNDS):
        ground.warden.arm(Fault(number % 8 + 1, errno.EIO))
        try:
            written = write_at_once(ground, number)
        finally:
            ground.warden.disarm()
        assert written[0].answer.status == 404
        for path in (f"{DOC}/name", f"{DOC}/summary"):
            mine = [one for one in written if one.path == path]
            kept = {one.text for one in mine if one.answer.status < 300}
            refused += sum(one.answer.status >= 300 for one in mine)
            found = ground.client.call("GET", path).body.decode()
            assert found in kept or (not kept and f"round {number} " not in found)
        for one in written[1:]:
            if one.answer.status >= 300:
                assert one.answer.status in REFUSALS
                assert json.loads(one.answer.body)["type"].endswith(f"#{REFUSALS[one.answer.status]}")
    assert refused
    lines = [json.loads(line) for line in ground.service.log().splitlines() if '"path":' in line]
    posts = [line for line in lines if line["method"] == "POST" and line["path"].startswith(DOC)]
    assert len(posts) == len({line["request_id"] for line in posts}) == ROUNDS * WRITERS
    ground.close()
    check_storage(ground.folder, ground.database)
