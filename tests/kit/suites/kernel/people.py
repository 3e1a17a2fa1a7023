"""Promises of users, their challenges and their tokens."""

from __future__ import annotations

from tests.kit.suites.kernel import EmptyWorld, add_user, raises
from vfs.access import Grant, Role, Via
from vfs.errors import Conflict, NotFound
from vfs.ports.people import KEPT_REVOKED, Account, Challenge, Token


class UsersSuite:
    """Promises of vfs.ports.people.Users."""

    def test_a_user_comes_with_a_profile_item(self, empty_world: EmptyWorld) -> None:
        user = empty_world.users.add("alice", "digest", Account.ORGANISATION, None, public=True)
        assert (user.name, user.account, user.email) == ("alice", Account.ORGANISATION, None)
        assert (user.verified, user.public, user.locked) == (False, True, False)
        assert empty_world.users.find("alice") == user
        assert empty_world.users.password("alice") == "digest"
        found = empty_world.items.at(user.item, "alice")
        assert found is not None
        assert (found.item.kind, found.item.owner, found.item.name) == ("user", "alice", "alice")

    def test_nobody_is_none(self, empty_world: EmptyWorld) -> None:
        assert empty_world.users.find("nobody") is None
        assert empty_world.users.password("nobody") is None
        with raises(NotFound):
            empty_world.users.change("nobody", locked=True)

    def test_a_name_is_one_user_s(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        with raises(Conflict):
            empty_world.users.add("alice", "digest", Account.REGULAR, None, public=False)
        assert [user.name for user in empty_world.users.all()] == ["alice"]

    def test_an_address_is_the_user_s_who_verified_it(self, empty_world: EmptyWorld) -> None:
        for name, email in (("alice", "it@example.org"), ("bob", "IT@example.org"), ("zoe", "z@example.org")):
            empty_world.users.add(name, "digest", Account.REGULAR, email, public=False)
        empty_world.users.change("bob", verified=True)
        for name, change in (("alice", {"verified": True}), ("zoe", {"email": "it@example.org"})):
            empty_world.users.change("zoe", verified=name == "zoe")
            with raises(Conflict):
                empty_world.users.change(name, **change)
        user = empty_world.users.find("alice")
        assert user is not None
        assert not user.verified
        empty_world.users.change("bob", public=True)

    def test_a_user_is_found_by_the_address_that_it_verified(self, empty_world: EmptyWorld) -> None:
        for name in ("alice", "bob"):
            empty_world.users.add(name, "digest", Account.REGULAR, "it@example.org", public=False)
        assert empty_world.users.with_address("it@example.org") is None
        empty_world.users.change("bob", verified=True)
        found = empty_world.users.with_address("IT@Example.org")
        assert found is not None
        assert found.name == "bob"
        assert empty_world.users.with_address("else@example.org") is None

    def test_two_users_may_have_no_address(self, empty_world: EmptyWorld) -> None:
        for name in ("zoe", "bob"):
            empty_world.users.add(name, "digest", Account.REGULAR, None, public=False)
        assert [user.name for user in empty_world.users.all()] == ["bob", "zoe"]

    def test_fields_are_changed_one_by_one(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        add_user(empty_world, "bob")
        empty_world.users.change("alice", verified=True, locked=True, email="a@example.org")
        empty_world.users.change("alice", password="new")
        user = empty_world.users.find("alice")
        assert user is not None
        assert (user.verified, user.locked, user.public, user.email) == (True, True, False, "a@example.org")
        assert empty_world.users.password("alice") == "new"
        assert empty_world.users.password("bob") == "digest of bob"
        with raises(TypeError):
            empty_world.users.change("alice", created_on="2000")

    def test_a_digest_is_renewed_while_it_is_the_users(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        add_user(empty_world, "bob")
        assert empty_world.users.renew_password("alice", "digest of alice", "better")
        assert not empty_world.users.renew_password("alice", "digest of alice", "late")
        assert not empty_world.users.renew_password("nobody", "digest of bob", "none")
        assert empty_world.users.password("alice") == "better"
        assert empty_world.users.password("bob") == "digest of bob"

    def test_who_sees_whom(self, empty_world: EmptyWorld) -> None:
        for name in ("me", "stranger", "mate", "invited", "giver"):
            add_user(empty_world, name)
        add_user(empty_world, "star", public=True)
        for name in ("me", "mate"):
            empty_world.join("@mate~team", name, Role.MEMBERS)
        empty_world.join("@mate~team", "invited", Role.MEMBERS, pending=True)
        item = empty_world.items.create("doc", "giver", "report")
        empty_world.grants.give(item.id, Grant("@me", "r", "@me~r"))
        seen = {name: empty_world.users.sees("me", name) for name in ("me", "mate", "giver", "star")}
        assert all(seen.values()), seen
        assert not any(empty_world.users.sees("me", name) for name in ("stranger", "invited", "nobody"))
        everybody = ("me", "stranger", "mate", "invited", "giver", "star", "nobody")
        assert empty_world.users.visible_among("me", everybody) == set(seen)
        assert empty_world.users.visible_among(None, everybody) == {"star"}
        assert [user.name for user in empty_world.users.visible("me")] == ["giver", "mate", "me", "star"]
        assert [user.name for user in empty_world.users.visible("invited")] == ["invited", "star"]
        assert empty_world.users.sees(None, "star")
        assert not empty_world.users.sees(None, "me")


class ChallengesSuite:
    """Promises of vfs.ports.people.Challenges."""

    def test_a_challenge_is_spent_once(self, empty_world: EmptyWorld) -> None:
        empty_world.challenges.add("alice", "a@example.org", "u1", "digest", "2027")
        assert empty_world.challenges.find("u1") == Challenge(
            "u1", "alice", "a@example.org", "digest", 0, "2027"
        )
        empty_world.challenges.count_try("u1")
        empty_world.challenges.count_try("u1")
        challenge = empty_world.challenges.find("u1")
        assert challenge is not None
        assert challenge.tries == 2
        assert empty_world.challenges.spend("u1")
        assert not empty_world.challenges.spend("u1")
        assert empty_world.challenges.find("u1") is None

    def test_a_new_one_spends_the_user_s_earlier_ones_for_the_address(self, empty_world: EmptyWorld) -> None:
        empty_world.challenges.add("alice", "a@example.org", "u1", "digest", "2027")
        empty_world.challenges.add("bob", "a@example.org", "u2", "digest", "2027")
        empty_world.challenges.add("alice", "else@example.org", "u3", "digest", "2027")
        empty_world.challenges.add("alice", "A@example.org", "u4", "digest", "2027")
        assert empty_world.challenges.find("u1") is None
        assert all(empty_world.challenges.find(uid) for uid in ("u2", "u3", "u4"))


class TokensSuite:
    """Promises of vfs.ports.people.Tokens."""

    def test_a_token_is_found_by_its_digest(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        now = empty_world.clock.forward(1)
        token = empty_world.tokens.mint("alice", "cli", "d1", description="laptop", expires_on="2027")
        assert token == Token(token.id, "alice", "cli", "laptop", Via.TOKEN, None, now, "2027", None, None)
        assert empty_world.tokens.by_digest("d1") == token
        assert empty_world.tokens.by_digest("d2") is None
        assert empty_world.tokens.at(token.id) == token
        assert empty_world.tokens.at(token.id + 1) is None

    def test_a_locked_user_shows_at_its_token(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        empty_world.tokens.mint("alice", "cli", "d1")
        empty_world.users.change("alice", locked=True)
        token = empty_world.tokens.by_digest("d1")
        assert token is not None
        assert token.locked

    def test_a_name_is_used_again_only_after_it_was_revoked(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        add_user(empty_world, "bob")
        first = empty_world.tokens.mint("alice", "cli", "d1")
        empty_world.tokens.mint("bob", "cli", "d2")
        with raises(Conflict):
            empty_world.tokens.mint("alice", "cli", "d3")
        now = empty_world.clock.forward(1)
        assert empty_world.tokens.revoke(first.id)
        assert not empty_world.tokens.revoke(first.id)
        revoked = empty_world.tokens.by_name("alice", "cli")
        assert revoked is not None
        assert revoked.revoked_on == now
        empty_world.tokens.record_uses([(first.id, now, "GET /")])
        second = empty_world.tokens.mint("alice", "cli", "d3")
        assert empty_world.tokens.by_name("alice", "cli") == second
        assert empty_world.tokens.by_digest("d1") is None
        assert empty_world.tokens.log(first.id) == []
        assert empty_world.tokens.by_name("alice", "other") is None

    def test_the_list_holds_unrevoked_tokens_and_sessions(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        empty_world.tokens.mint("alice", "z", "d1", expires_on="2000")
        empty_world.tokens.mint("alice", "a", "d2", via=Via.SESSION)
        empty_world.tokens.mint("alice", "run-1", "d3", via=Via.RUN, claim="repo_ro", run=1)
        gone = empty_world.tokens.mint("alice", "gone", "d4")
        empty_world.tokens.revoke(gone.id)
        assert [token.name for token in empty_world.tokens.of("alice")] == ["z", "a"]
        assert empty_world.tokens.of("bob") == []

    def test_of_those_revoked_the_newest_are_kept(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        add_user(empty_world, "bob")
        others = [empty_world.tokens.mint(name, "other", f"other {name}") for name in ("alice", "bob")]
        run = empty_world.tokens.mint("alice", "run-1", "of a run", via=Via.RUN, claim="global", run=1)
        empty_world.tokens.revoke_run(1)
        empty_world.tokens.revoke(others[1].id)
        for number in range(KEPT_REVOKED + 2):
            token = empty_world.tokens.mint("alice", f"t{number}", f"d{number}", via=Via.SESSION)
            empty_world.tokens.record_uses([(token.id, "2026-01-01", "GET /")])
            empty_world.tokens.revoke(token.id)
        empty_world.tokens.mint("alice", "last", "last")
        kept = [empty_world.tokens.by_digest(f"d{number}") is not None for number in range(4)]
        assert kept == [False, False, True, True]
        assert empty_world.tokens.log(run.id + 1) == []
        assert len(empty_world.tokens.log(run.id + 3)) == 1
        assert all(empty_world.tokens.at(one.id) for one in (*others, run))

    def test_a_run_s_credentials_are_revoked_together(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        for number, run in enumerate((1, 1, 2)):
            empty_world.tokens.mint("alice", f"r{number}", f"d{number}", via=Via.RUN, claim="global", run=run)
        now = empty_world.clock.forward(1)
        empty_world.tokens.revoke_run(1)
        tokens = [empty_world.tokens.by_digest(f"d{number}") for number in range(3)]
        assert [(one.run, one.revoked_on) for one in tokens if one] == [(1, now), (1, now), (2, None)]

    def test_uses_are_logged_and_the_last_one_shows(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        one = empty_world.tokens.mint("alice", "one", "d1")
        two = empty_world.tokens.mint("alice", "two", "d2")
        uses = [
            (one.id, "2026-01-01", "GET /a"),
            (two.id, "2026-01-02", "GET /b"),
            (one.id, "2026-01-03", "GET /c"),
        ]
        empty_world.tokens.record_uses(uses)
        empty_world.tokens.record_uses([(one.id, "2026-01-02", "late"), (0, "2026-01-02", "of nothing")])
        empty_world.tokens.record_uses([])
        assert empty_world.tokens.log(one.id) == [
            ("2026-01-01", "GET /a"), ("2026-01-03", "GET /c"), ("2026-01-02", "late"),
        ]  # fmt: skip
        assert empty_world.tokens.log(0) == []
        token = empty_world.tokens.by_digest("d1")
        assert token is not None
        assert token.last_used_on == "2026-01-03"

    def test_the_log_holds_the_newest_thousand(self, empty_world: EmptyWorld) -> None:
        add_user(empty_world, "alice")
        token = empty_world.tokens.mint("alice", "cli", "d1")
        empty_world.tokens.record_uses([(token.id, f"{number:04}", "GET /") for number in range(1005)])
        log = empty_world.tokens.log(token.id)
        assert (len(log), log[0][0], log[-1][0]) == (1000, "0005", "1004")
