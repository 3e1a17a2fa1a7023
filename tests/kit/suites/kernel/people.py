"""Promises of users, their challenges and their tokens."""

from __future__ import annotations

from tests.kit.suites.kernel import Ground, add_user, raises
from vfs.access import Grant, Role, Via
from vfs.errors import Conflict, NotFound
from vfs.ports.people import KEPT_REVOKED, Account, Challenge, Token


class UsersSuite:
    """Promises of vfs.ports.people.Users."""

    def test_a_user_comes_with_a_profile_item(self, ground: Ground) -> None:
        user = ground.users.add("alice", "digest", Account.ORGANISATION, None, public=True)
        assert (user.name, user.account, user.email) == ("alice", Account.ORGANISATION, None)
        assert (user.verified, user.public, user.locked) == (False, True, False)
        assert ground.users.find("alice") == user
        assert ground.users.password("alice") == "digest"
        found = ground.items.at(user.item, "alice")
        assert found is not None
        assert (found.item.kind, found.item.owner, found.item.name) == ("user", "alice", "alice")

    def test_nobody_is_none(self, ground: Ground) -> None:
        assert ground.users.find("nobody") is None
        assert ground.users.password("nobody") is None
        with raises(NotFound):
            ground.users.change("nobody", locked=True)

    def test_a_name_is_one_user_s(self, ground: Ground) -> None:
        add_user(ground, "alice")
        with raises(Conflict):
            ground.users.add("alice", "digest", Account.REGULAR, None, public=False)
        assert [user.name for user in ground.users.all()] == ["alice"]

    def test_an_address_is_the_user_s_who_verified_it(self, ground: Ground) -> None:
        for name, email in (("alice", "it@example.org"), ("bob", "IT@example.org"), ("zoe", "z@example.org")):
            ground.users.add(name, "digest", Account.REGULAR, email, public=False)
        ground.users.change("bob", verified=True)
        for name, change in (("alice", {"verified": True}), ("zoe", {"email": "it@example.org"})):
            ground.users.change("zoe", verified=name == "zoe")
            with raises(Conflict):
                ground.users.change(name, **change)
        user = ground.users.find("alice")
        assert user is not None
        assert not user.verified
        ground.users.change("bob", public=True)

    def test_a_user_is_found_by_the_address_that_it_verified(self, ground: Ground) -> None:
        for name in ("alice", "bob"):
            ground.users.add(name, "digest", Account.REGULAR, "it@example.org", public=False)
        assert ground.users.with_address("it@example.org") is None
        ground.users.change("bob", verified=True)
        found = ground.users.with_address("IT@Example.org")
        assert found is not None
        assert found.name == "bob"
        assert ground.users.with_address("else@example.org") is None

    def test_two_users_may_have_no_address(self, ground: Ground) -> None:
        for name in ("zoe", "bob"):
            ground.users.add(name, "digest", Account.REGULAR, None, public=False)
        assert [user.name for user in ground.users.all()] == ["bob", "zoe"]

    def test_fields_are_changed_one_by_one(self, ground: Ground) -> None:
        add_user(ground, "alice")
        add_user(ground, "bob")
        ground.users.change("alice", verified=True, locked=True, email="a@example.org")
        ground.users.change("alice", password="new")
        user = ground.users.find("alice")
        assert user is not None
        assert (user.verified, user.locked, user.public, user.email) == (True, True, False, "a@example.org")
        assert ground.users.password("alice") == "new"
        assert ground.users.password("bob") == "digest of bob"
        with raises(TypeError):
            ground.users.change("alice", created_on="2000")

    def test_a_digest_is_renewed_while_it_is_the_users(self, ground: Ground) -> None:
        add_user(ground, "alice")
        add_user(ground, "bob")
        assert ground.users.renew_password("alice", "digest of alice", "better")
        assert not ground.users.renew_password("alice", "digest of alice", "late")
        assert not ground.users.renew_password("nobody", "digest of bob", "none")
        assert ground.users.password("alice") == "better"
        assert ground.users.password("bob") == "digest of bob"

    def test_who_sees_whom(self, ground: Ground) -> None:
        for name in ("me", "stranger", "mate", "invited", "giver"):
            add_user(ground, name)
        add_user(ground, "star", public=True)
        for name in ("me", "mate"):
            ground.join("@mate~team", name, Role.MEMBERS)
        ground.join("@mate~team", "invited", Role.MEMBERS, pending=True)
        item = ground.items.create("doc", "giver", "report")
        ground.grants.give(item.id, Grant("@me", "r", "@me~r"))
        seen = {name: ground.users.sees("me", name) for name in ("me", "mate", "giver", "star")}
        assert all(seen.values()), seen
        assert not any(ground.users.sees("me", name) for name in ("stranger", "invited", "nobody"))
        everybody = ("me", "stranger", "mate", "invited", "giver", "star", "nobody")
        assert ground.users.visible_among("me", everybody) == set(seen)
        assert ground.users.visible_among(None, everybody) == {"star"}
        assert [user.name for user in ground.users.visible("me")] == ["giver", "mate", "me", "star"]
        assert [user.name for user in ground.users.visible("invited")] == ["invited", "star"]
        assert ground.users.sees(None, "star")
        assert not ground.users.sees(None, "me")


class ChallengesSuite:
    """Promises of vfs.ports.people.Challenges."""

    def test_a_challenge_is_spent_once(self, ground: Ground) -> None:
        ground.challenges.add("alice", "a@example.org", "u1", "digest", "2027")
        assert ground.challenges.find("u1") == Challenge("u1", "alice", "a@example.org", "digest", 0, "2027")
        ground.challenges.count_try("u1")
        ground.challenges.count_try("u1")
        challenge = ground.challenges.find("u1")
        assert challenge is not None
        assert challenge.tries == 2
        assert ground.challenges.spend("u1")
        assert not ground.challenges.spend("u1")
        assert ground.challenges.find("u1") is None

    def test_a_new_one_spends_the_user_s_earlier_ones_for_the_address(self, ground: Ground) -> None:
        ground.challenges.add("alice", "a@example.org", "u1", "digest", "2027")
        ground.challenges.add("bob", "a@example.org", "u2", "digest", "2027")
        ground.challenges.add("alice", "else@example.org", "u3", "digest", "2027")
        ground.challenges.add("alice", "A@example.org", "u4", "digest", "2027")
        assert ground.challenges.find("u1") is None
        assert all(ground.challenges.find(uid) for uid in ("u2", "u3", "u4"))


class TokensSuite:
    """Promises of vfs.ports.people.Tokens."""

    def test_a_token_is_found_by_its_digest(self, ground: Ground) -> None:
        add_user(ground, "alice")
        now = ground.clock.forward(1)
        token = ground.tokens.mint("alice", "cli", "d1", description="laptop", expires_on="2027")
        assert token == Token(token.id, "alice", "cli", "laptop", Via.TOKEN, None, now, "2027", None, None)
        assert ground.tokens.by_digest("d1") == token
        assert ground.tokens.by_digest("d2") is None
        assert ground.tokens.at(token.id) == token
        assert ground.tokens.at(token.id + 1) is None

    def test_a_locked_user_shows_at_its_token(self, ground: Ground) -> None:
        add_user(ground, "alice")
        ground.tokens.mint("alice", "cli", "d1")
        ground.users.change("alice", locked=True)
        token = ground.tokens.by_digest("d1")
        assert token is not None
        assert token.locked

    def test_a_name_is_used_again_only_after_it_was_revoked(self, ground: Ground) -> None:
        add_user(ground, "alice")
        add_user(ground, "bob")
        first = ground.tokens.mint("alice", "cli", "d1")
        ground.tokens.mint("bob", "cli", "d2")
        with raises(Conflict):
            ground.tokens.mint("alice", "cli", "d3")
        now = ground.clock.forward(1)
        assert ground.tokens.revoke(first.id)
        assert not ground.tokens.revoke(first.id)
        revoked = ground.tokens.by_name("alice", "cli")
        assert revoked is not None
        assert revoked.revoked_on == now
        ground.tokens.record_uses([(first.id, now, "GET /")])
        second = ground.tokens.mint("alice", "cli", "d3")
        assert ground.tokens.by_name("alice", "cli") == second
        assert ground.tokens.by_digest("d1") is None
        assert ground.tokens.log(first.id) == []
        assert ground.tokens.by_name("alice", "other") is None

    def test_the_list_holds_unrevoked_tokens_and_sessions(self, ground: Ground) -> None:
        add_user(ground, "alice")
        ground.tokens.mint("alice", "z", "d1", expires_on="2000")
        ground.tokens.mint("alice", "a", "d2", via=Via.SESSION)
        ground.tokens.mint("alice", "run-1", "d3", via=Via.RUN, claim="repo_ro", run=1)
        gone = ground.tokens.mint("alice", "gone", "d4")
        ground.tokens.revoke(gone.id)
        assert [token.name for token in ground.tokens.of("alice")] == ["z", "a"]
        assert ground.tokens.of("bob") == []

    def test_of_those_revoked_the_newest_are_kept(self, ground: Ground) -> None:
        add_user(ground, "alice")
        add_user(ground, "bob")
        others = [ground.tokens.mint(name, "other", f"other {name}") for name in ("alice", "bob")]
        run = ground.tokens.mint("alice", "run-1", "of a run", via=Via.RUN, claim="global", run=1)
        ground.tokens.revoke_run(1)
        ground.tokens.revoke(others[1].id)
        for number in range(KEPT_REVOKED + 2):
            token = ground.tokens.mint("alice", f"t{number}", f"d{number}", via=Via.SESSION)
            ground.tokens.record_uses([(token.id, "2026-01-01", "GET /")])
            ground.tokens.revoke(token.id)
        ground.tokens.mint("alice", "last", "last")
        kept = [ground.tokens.by_digest(f"d{number}") is not None for number in range(4)]
        assert kept == [False, False, True, True]
        assert ground.tokens.log(run.id + 1) == []
        assert len(ground.tokens.log(run.id + 3)) == 1
        assert all(ground.tokens.at(one.id) for one in (*others, run))

    def test_a_run_s_credentials_are_revoked_together(self, ground: Ground) -> None:
        add_user(ground, "alice")
        for number, run in enumerate((1, 1, 2)):
            ground.tokens.mint("alice", f"r{number}", f"d{number}", via=Via.RUN, claim="global", run=run)
        now = ground.clock.forward(1)
        ground.tokens.revoke_run(1)
        tokens = [ground.tokens.by_digest(f"d{number}") for number in range(3)]
        assert [(one.run, one.revoked_on) for one in tokens if one] == [(1, now), (1, now), (2, None)]

    def test_uses_are_logged_and_the_last_one_shows(self, ground: Ground) -> None:
        add_user(ground, "alice")
        one = ground.tokens.mint("alice", "one", "d1")
        two = ground.tokens.mint("alice", "two", "d2")
        uses = [
            (one.id, "2026-01-01", "GET /a"),
            (two.id, "2026-01-02", "GET /b"),
            (one.id, "2026-01-03", "GET /c"),
        ]
        ground.tokens.record_uses(uses)
        ground.tokens.record_uses([(one.id, "2026-01-02", "late"), (0, "2026-01-02", "of nothing")])
        ground.tokens.record_uses([])
        assert ground.tokens.log(one.id) == [
            ("2026-01-01", "GET /a"), ("2026-01-03", "GET /c"), ("2026-01-02", "late"),
        ]  # fmt: skip
        assert ground.tokens.log(0) == []
        token = ground.tokens.by_digest("d1")
        assert token is not None
        assert token.last_used_on == "2026-01-03"

    def test_the_log_holds_the_newest_thousand(self, ground: Ground) -> None:
        add_user(ground, "alice")
        token = ground.tokens.mint("alice", "cli", "d1")
        ground.tokens.record_uses([(token.id, f"{number:04}", "GET /") for number in range(1005)])
        log = ground.tokens.log(token.id)
        assert (len(log), log[0][0], log[-1][0]) == (1000, "0005", "1004")
