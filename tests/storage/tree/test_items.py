"""What the database adds to the promises: how many statements things cost, and who wins a race."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from storage.database.bulk import several
from storage.tree.shortnames import ALPHABET, ISSUE, Shortnames
from tests.kit.counting.statements import Statements
from tests.kit.suites.kernel import add_user
from tests.kit.world import StoredWorld
from vfs.access import Grant, Role
from vfs.errors import Conflict

THREADS = 6


def at_once(call: Callable[[int], object]) -> list[object]:
    """What the call answers in threads that begin together; Conflict is an answer."""
    barrier = Barrier(THREADS)

    def work(number: int) -> object:
        barrier.wait()
        try:
            return call(number)
        except Conflict as error:
            return error

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


def share_with_groups(stored: StoredWorld, items: int, groups: int) -> None:
    """Alice's documents, each shared with bob directly and through every group of both."""
    for number in range(groups):
        for name in ("alice", "bob"):
            stored.join(f"@alice~g{number}", name, Role.MEMBERS)
    for number in range(items):
        item = stored.items.create("doc", "alice", f"d{number}")
        stored.grants.give(item.id, Grant("@bob", "r", "@bob~r"))
        for group in range(groups):
            stored.grants.give(item.id, Grant(f"@alice~g{group}", "r", f"@alice~g{group}~r"))


class TestStatements:
    def test_finding_costs_one_statement_for_every_caller(
        self, stored: StoredWorld, statements: Statements
    ) -> None:
        share_with_groups(stored, items=1, groups=5)
        found = stored.items.find("doc", "alice", "d0", "bob")
        assert found is not None
        assert len(found.effective_grants) == 6
        for caller in ("alice", "bob", "eve", None):
            assert statements(lambda who=caller: stored.items.find("doc", "alice", "d0", who)) == 1
            assert statements(lambda who=caller: stored.items.at(found.item.id, who)) == 1
            assert statements(lambda who=caller: stored.items.by_shortname(found.item.shortname, who)) == 1

    def test_listing_costs_one_however_many(self, stored: StoredWorld, statements: Statements) -> None:
        share_with_groups(stored, items=20, groups=3)
        for caller in ("alice", "bob", None):
            for owner in ("alice", "bob", None):
                cost = statements(lambda whose=owner, who=caller: stored.items.visible("doc", whose, who))
                assert cost == 1
        assert len(stored.items.visible("doc", None, "bob")) == 20

    def test_a_write_costs_a_fixed_number_of_statements(
        self, stored: StoredWorld, statements: Statements
    ) -> None:
        item = stored.items.create("doc", "alice", "report")

        def write(text: str) -> None:
            with stored.database.session(), stored.atomic():
                stored.items.touch(item)
                stored.leaves.put(item.id, "content", text, "bob")

        first = statements(lambda: write("a"))
        share_with_groups(stored, items=5, groups=5)
        assert statements(lambda: write("b")) == first

    def test_leaves_tokens_and_people_cost_one(self, stored: StoredWorld, statements: Statements) -> None:
        user = add_user(stored, "alice")
        stored.tokens.mint("alice", "cli", "d1")
        for call in (
            lambda: stored.leaves.put(user.item, "zone", "UTC", "alice"),
            lambda: stored.leaves.get(user.item, "zone"),
            lambda: stored.leaves.under(user.item, ""),
            lambda: stored.leaves.texts(user.item, ""),
            lambda: stored.tokens.by_digest("d1"),
            lambda: stored.users.visible("alice"),
            lambda: stored.users.sees("alice", "alice"),
        ):
            assert statements(call) == 1
        cleared = statements(lambda: stored.leaves.clear(user.item, "zone"))
        assert cleared <= 3, "its content is kept, it is deleted, and PostgreSQL commits"

    def test_a_title_costs_its_words_too_however_many(
        self, stored: StoredWorld, statements: Statements
    ) -> None:
        item = stored.items.create("doc", "alice", "report").id
        few = statements(lambda: stored.leaves.put(item, "name", "Rain", "alice"))
        many = statements(lambda: stored.leaves.put(item, "name", "Rain and snow of all hills", "alice"))
        assert few == many == (6 if stored.database.dialect == "sqlite" else 7)


class TestRaces:
    def test_a_name_is_given_once(self, stored: StoredWorld) -> None:
        answers = at_once(lambda _: stored.items.create("doc", "alice", "report").id)
        assert len([answer for answer in answers if isinstance(answer, int)]) == 1
        assert len(stored.items.visible("doc", "alice", "alice")) == 1

    def test_renames_to_one_name_let_one_win(self, stored: StoredWorld) -> None:
        items = [stored.items.create("doc", "alice", f"d{number}") for number in range(THREADS)]
        answers = at_once(lambda number: stored.items.rename(items[number], "winner").name)
        assert answers.count("winner") == 1

    def test_a_leaf_is_new_to_one_writer_and_ends_whole(self, stored: StoredWorld) -> None:
        item = stored.items.create("doc", "alice", "report")
        answers = at_once(lambda number: stored.leaves.put(item.id, "content", str(number) * 5000, "alice"))
        assert answers.count(True) == 1
        leaf = stored.leaves.get(item.id, "content")
        assert leaf is not None
        assert leaf.text in {str(number) * 5000 for number in range(THREADS)}

    def test_a_share_is_new_to_one_giver(self, stored: StoredWorld) -> None:
        item = stored.items.create("doc", "alice", "report")
        answers = at_once(lambda _: stored.grants.give(item.id, Grant("@bob", "r", "@bob~r")))
        assert answers.count(True) == 1

    def test_a_token_s_name_is_given_once(self, stored: StoredWorld) -> None:
        add_user(stored, "alice")
        answers = at_once(lambda number: stored.tokens.mint("alice", "cli", f"d{number}").name)
        assert answers.count("cli") == 1
        assert len(stored.tokens.of("alice")) == 1

    def test_a_token_is_revoked_and_a_challenge_spent_once(self, stored: StoredWorld) -> None:
        add_user(stored, "alice")
        token = stored.tokens.mint("alice", "cli", "d1")
        stored.challenges.add("alice", "a@example.org", "u1", "digest", "2027")
        assert at_once(lambda _: stored.tokens.revoke(token.id)).count(True) == 1
        assert at_once(lambda _: stored.challenges.spend("u1")).count(True) == 1


class TestShortnames:
    def test_they_grow_when_the_short_ones_are_used_up(self, stored: StoredWorld) -> None:
        several(stored.database, ISSUE, [(letter,) for letter in ALPHABET])
        names = Shortnames(stored.database, shortest=1)
        assert [len(name) for name in names.fresh(3)] == [2] * 3

    def test_one_that_was_issued_stays_issued(self, stored: StoredWorld) -> None:
        item = stored.items.create("doc", "alice", "report")
        stored.items.remove(item)
        assert several(stored.database, ISSUE, [(item.shortname,)]) == []
