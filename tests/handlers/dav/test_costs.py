"""A listing of a drive asks the database as often for a thousand files as for one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chains.spaces.locks import SpaceLock
from handlers.identity.credentials import digest, fresh
from handlers.processes.web import application
from handlers.processes.world import LiveWorld, build
from handlers.settings.sources import load
from tests.kit.client import Answer, call
from tests.kit.counting.statements import Statements
from vfs.ports.blobs import Ref
from vfs.ports.people import Account


@pytest.fixture
def live_world(tmp_path: Path) -> Iterator[LiveWorld]:
    live_world = build(load({}, data=str(tmp_path)))
    live_world.database.migrate()
    yield live_world
    live_world.close()


def listing(app: Any, token: str, path: str) -> Answer:
    heads = [("Authorization", f"Bearer {token}"), ("Depth", "1")]
    return call(app, "PROPFIND", path, heads)


def test_a_folder_is_listed_with_as_many_statements_however_much_is_in_it(
    live_world: LiveWorld, statements: Statements
) -> None:
    world, token, app = live_world.world, fresh(), application(live_world.world.service.settings, live_world)
    world.people.users.add("ann", "-", Account.REGULAR, None, public=False)
    world.people.tokens.mint("ann", "t", digest(token))
    few, many = (world.items.create("space", "ann", name).id for name in ("few", "many"))
    for space, number in ((few, 1), (many, 1_000)):
        files = {f"f{each}": Ref(f"{each:064x}", each, "text/plain") for each in range(number)}
        world.code.spaces.fill(space, files)
        for each in range(min(number, 50)):
            lock = SpaceLock(
                f"curlew:{space}-{each}", f"f{each}", False, True, "ann", "", "2999-01-01T00:00:00.000Z"
            )
            world.code.locks.add(space, lock, "2026")
    spent = []
    for name, number in (("few", 1), ("few", 1), ("many", 1_000)):
        ask = partial(listing, app, token, f"/dav/spaces/{name}")
        spent.append(statements(ask))
        answer = ask()
        assert answer.status == 207
        assert answer.body.count(b"<D:response>") == number + 1
        assert answer.body.count(b"<D:activelock>") == min(number, 50)
    assert spent[1] == spent[2]
