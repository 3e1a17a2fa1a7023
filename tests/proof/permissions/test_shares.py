"""Random walks of shares given and revoked, accounts made public, and people who come into groups and go."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tests.kit.counting import amount
from tests.kit.world import migrate
from tests.proof.permissions.access import entries, entry_of
from tests.proof.permissions.oracle import FAMILY
from tests.proof.permissions.oracle_service import opened
from tests.proof.permissions.test_permissions import DIALECTS
from tests.proof.permissions.test_roles import A_WALK, Walk
from tests.proof.permissions.walk import tried
from tests.proof.permissions.worlds import LETTERS, PEOPLE, REFS, World

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

WALKS = 3
TARGETS = ("public", "public", *(f"@{name}" for name in PEOPLE), *(ref for ref in REFS if ref != "+acme"))


class Sharing(Walk):
    """A walk that shares as well."""

    def step(self) -> None:
        """Somebody does something; then the owner of a resource lists who has what of it."""
        one = self.dice.random()
        if one < 0.3:
            super().step()
        elif one < 0.4:
            self._publish(self.dice.choice(PEOPLE))
        item = self.dice.choice(self.said["items"])
        if one >= 0.4:
            self._share(self.dice.choice((item["owner"], item["owner"], *PEOPLE)), item)
        self._listed(item)

    def _publish(self, me: str) -> None:
        word = self.dice.choice(("yes", "no"))
        if self._agrees(me, "POST", "/v1/admin/profile/public", word):
            self.said["users"][me] |= {"public": word == "yes"}

    def _share(self, me: str, item: World) -> None:
        target, letters = self.dice.choice(TARGETS), self.dice.choice(LETTERS)
        path = f"{_path(item)}/shared/{target}~{letters}"
        if self.dice.random() < 0.3 and not (target == "public" and {"w", "d"} & set(letters)):
            if self._agrees(me, "DELETE", path, ""):
                del item["shares"][target]
            return
        expected = self.oracle.answer(me, "PUT", path)
        if expected == 200:
            expected = self._admitted(item, target, letters)
        status = self.oracle_service.ask(self.tokens[me], "PUT", path, "").status
        assert status in ({200, 201} if expected == 200 else {expected}), (me, path, status, expected)
        if expected == 200:
            item["shares"][target] = letters

    def _admitted(self, item: World, target: str, letters: str) -> int:
        """What the owner is answered (interface, Sharing: target forms and permission rules)."""
        owner, users = item["owner"], self.said["users"]
        if target == "public" and ({"w", "d"} & set(letters)):
            return 400
        if target == "public":
            looked_at = item["kind"] == "spaces" and "x" in letters
            return 400 if looked_at else 200 if users[owner]["public"] else 403
        if target == f"@{owner}":
            return 400
        seen = self.oracle.role(owner, target) if "~" in target else self.oracle.visible(owner, target[1:])
        if not seen:
            return 404
        return 403 if item["confides"] == "access" and "w" in letters else 200

    def _listed(self, item: World) -> None:
        """The owner's two listings, when it is not locked out."""
        if self.said["users"][item["owner"]]["locked"]:
            return
        token = self.tokens[item["owner"]]
        shared, access = (
            _without_links(self.oracle_service.ask(token, "GET", f"{_path(item)}/{name}", "").body)
            for name in ("shared", "access")
        )
        names = {f"{target}~{letters}" for target, letters in item["shares"].items()}
        assert {row["name"] for row in shared} == names
        assert set(map(entry_of, access)) == entries(self.oracle, item)


def _without_links(body: bytes) -> list[dict[str, Any]]:
    """The rows of a listing but those of links without an account, which are no shares with anybody."""
    return [row for row in json.loads(body) if not row["name"].startswith("link~")]


def _path(item: World) -> str:
    return f"/v1/users/{item['owner']}/{FAMILY[item['kind']]}/{item['kind']}/{item['name']}"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_shares_become_what_the_texts_say(
    dialect: str, request: pytest.FixtureRequest, record_property: amount.Counted
) -> None:
    walks = amount.points(WALKS)

    def walk(said: World, choice: int) -> None:
        url = None
        if dialect == "postgresql":
            url = request.getfixturevalue("postgres").copy_of("tests.proof", migrate)
        with opened(url) as oracle_service:
            walked = Sharing(oracle_service, said, random.Random(choice))
            for _ in range(A_WALK):
                walked.step()

    tried(amount.seed() + 1, walks, walk, shrink=False)
    record_property("steps of shares compared with the texts", walks * A_WALK)
