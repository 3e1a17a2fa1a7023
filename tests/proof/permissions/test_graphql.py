"""Random worlds, in which the GraphQL view shows every caller what the tree's listings show it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.client import Answer, call
from tests.kit.counting import amount
from tests.proof.permissions.graph import Ask, Views
from tests.proof.permissions.oracle_service import OracleService, opened
from tests.proof.permissions.walk import tried
from tests.proof.permissions.worlds import World

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

WORLDS = 4


def test_both_views_show_the_same(database_url: str, tmp_path: Path) -> None:
    with opened(database_url) as oracle_service:

        def agree(said: World, _: int) -> None:
            found: list[str] = []
            with oracle_service.settled(said) as tokens:
                for who in (None, *said["credentials"]):
                    # Anyone who comes with a dead credential is answered as the public is, and finds no `me`.
                    alive = who is not None and is_alive(said, who)
                    asks = sender(oracle_service, tokens[who] if who else None)
                    tree = sender(oracle_service, tokens[who] if alive else None)
                    found += (f"{who}: {one}" for one in Views(asks, said, tree).differences())
            assert not found, "\n".join(found)

        tried(amount.seed(), amount.points(WORLDS, 4), agree)


def is_alive(said: World, who: str) -> bool:
    """Whether a credential is taken."""
    one = said["credentials"][who]
    return one["state"] == "live" and not said["users"][one["user"]]["locked"]


def sender(oracle_service: OracleService, token: str | None) -> Ask:
    """Asks with a token, or with none."""

    def ask(method: str, path: str, body: bytes) -> Answer:
        headers = [("Accept", "application/json")]
        headers += [("Authorization", f"Bearer {token}")] if token else []
        headers += [("Content-Type", "application/json")] if body else []
        return call(oracle_service.app, method, path, headers, body)

    return ask
