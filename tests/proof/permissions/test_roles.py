"""Random walks of invitations, answers, moves and removals, with the world of the oracle as the model."""

from __future__ import annotations

import json
import random

import pytest

from tests.kit.counting import amount
from tests.kit.world import migrate
from tests.proof.permissions.install import install
from tests.proof.permissions.oracle import Oracle
from tests.proof.permissions.oracle_service import MATRIX, OracleService, opened
from tests.proof.permissions.paths import bases
from tests.proof.permissions.test_permissions import DIALECTS
from tests.proof.permissions.walk import tried
from tests.proof.permissions.worlds import PEOPLE, REFS, ROLES, World

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

WALKS = 3
A_WALK = 300


class Walk:
    """A world that changes with the service that it was put into."""

    def __init__(self, oracle_service: OracleService, said: World, dice: random.Random) -> None:
        self.oracle_service, self.said, self.dice = oracle_service, said, dice
        with oracle_service.live_world.world.atomic():
            self.tokens = install(said, oracle_service.live_world.world)
        self.oracle = Oracle(said, MATRIX)

    def step(self) -> None:
        """Somebody does something; then the service says of every group what the world says."""
        me, ref = self.dice.choice(list(self.said["users"])), self.dice.choice(REFS)
        if self.dice.random() < 0.25:
            self._answer(me, ref)
        else:
            self._change(me, ref)
        assert self._rosters(ref) == self._expected(ref)

    def _answer(self, me: str, ref: str) -> None:
        path, word = f"/v1/admin/invites/{ref}/accept", self.dice.choice(("yes", "no", "perhaps"))
        fine = self._agrees(me, "POST", path, word, refused=word == "perhaps")
        members = self.said["groups"][ref]["members"]
        if fine and word == "yes":
            members[me] |= {"pending": False}
        elif fine and word == "no":
            del members[me]

    def _change(self, me: str, ref: str) -> None:
        members, role = self.said["groups"][ref]["members"], self.dice.choice(ROLES)
        user = self.dice.choice((me, *PEOPLE))
        method = self.dice.choice(("PUT", "PUT", "DELETE"))
        if method == "DELETE" and user in members and self.dice.random() < 0.7:
            role = members[user]["role"]
        inside = self.oracle.role(me, ref) is not None
        path = f"/v1/{bases(ref)[0][0]}/roles/{role}/{user}"
        if not self._agrees(me, method, path, ""):
            return
        if method == "DELETE":
            del members[user]
        elif user in members:
            members[user] |= {"role": role, "pending": members[user]["pending"] and inside}
        else:
            members[user] = {"role": role, "pending": inside, "by": me}

    def _agrees(self, me: str, method: str, path: str, word: str, *, refused: bool = False) -> bool:
        """Send it, hold its status against the oracle's, and tell whether it was done."""
        wanted = self.oracle.answer(me, method, path)
        answer = self.oracle_service.ask(self.tokens[me], method, path, word)
        good = {400} if refused else {200, 201}
        assert answer.status in (good if wanted == 200 else {wanted}), (method, path, me, wanted, answer)
        return wanted == 200 and not refused

    def _expected(self, ref: str) -> dict[str, list[str]]:
        members = sorted(self.said["groups"][ref]["members"].items())
        return {
            role: [f"I-{name}" if one["pending"] else name for name, one in members if one["role"] == role]
            for role in ROLES
        }

    def _rosters(self, ref: str) -> dict[str, list[str]]:
        """The roles that a member who is not locked out sees."""
        members, users = self.said["groups"][ref]["members"], self.said["users"]
        inside = [name for name in members if not members[name]["pending"] and not users[name]["locked"]]
        if not inside:
            return self._expected(ref)
        base, me = f"/v1/{bases(ref)[0][0]}/roles", self.dice.choice(inside)
        answers = {
            role: self.oracle_service.ask(self.tokens[me], "GET", f"{base}/{role}", "") for role in ROLES
        }
        return {role: [row["name"] for row in json.loads(answers[role].body)] for role in ROLES}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_groups_become_what_the_oracle_says(
    dialect: str, request: pytest.FixtureRequest, record_property: amount.Counted
) -> None:
    walks = amount.points(WALKS)

    def walk(said: World, choice: int) -> None:
        url = None
        if dialect == "postgresql":
            url = request.getfixturevalue("postgres").copy_of("tests.proof", migrate)
        with opened(url) as oracle_service:
            walked = Walk(oracle_service, said, random.Random(choice))
            for _ in range(A_WALK):
                walked.step()

    tried(amount.seed(), walks, walk, shrink=False)
    record_property("steps of groups compared with the oracle", walks * A_WALK)
