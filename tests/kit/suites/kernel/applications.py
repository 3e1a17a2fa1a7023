"""Promises of registered applications, of approvals and of connections."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from tests.kit.suites.kernel import Ground, add_user, raises
from vfs.access import Via
from vfs.errors import Conflict, NotFound
from vfs.ports.applications import (
    MOST_APPLICATIONS,
    Application,
    ApplicationConnection,
    Applications,
    Approval,
    Connections,
)
from vfs.ports.people import Token

PUBLISHED = "novem-cli"
REDIRECTS = ("https://birds.example/a", "http://localhost/b")
EXPIRES, ENDS = "2026-01-02T03:05:05.678Z", "2026-02-01T03:04:05.678Z"
YEAR = 366 * 24 * 3600.0


class ApplicationsGround(Ground, Protocol):
    """An empty world with its applications and their connections."""

    @property
    def applications(self) -> Applications: ...
    @property
    def connections(self) -> Connections: ...


def add_application(ground: ApplicationsGround, client: str, owner: str | None = None) -> Application:
    """An application with all its fields."""
    return ground.applications.add(
        client,
        owner,
        name="Birds",
        description="counts birds",
        redirects=REDIRECTS,
        scopes=("read", "vis"),
    )


def approval(client: str = "birds", expires_on: str = EXPIRES, ends_on: str = ENDS) -> Approval:
    """An approval of alice's."""
    return Approval(client, "alice", 7, "http://localhost:1/b", "c" * 43, "read vis", expires_on, ends_on)


def connect(ground: ApplicationsGround, code: str = "code", client: str = "birds") -> Token:
    """A connection that was approved and exchanged: its token's digest is a-<code>, its refresh r-<code>."""
    ground.connections.approve(code, approval(client))
    token = ground.tokens.mint("alice", f"{client}-{code}", f"a-{code}", via=Via.APPLICATION)
    assert ground.connections.connect(code, token.id, f"r-{code}")
    return token


class ApplicationsSuite:
    """Promises of vfs.ports.applications.Applications."""

    def test_the_published_command_line_is_registered(self, ground: ApplicationsGround) -> None:
        found = ground.applications.find(PUBLISHED)
        assert found is not None
        assert (found.owner, found.locked) == (None, False)
        assert found.redirects == (
            "http://localhost/callback",
            "http://127.0.0.1/callback",
            "urn:ietf:wg:oauth:2.0:oob",
        )
        assert found.scopes == ("all", "read", "vis", "code")
        assert [one.client for one in ground.applications.of(None)] == [PUBLISHED]

    def test_an_application_is_kept(self, ground: ApplicationsGround) -> None:
        add_user(ground, "alice")
        made = add_application(ground, "@alice~birds", "alice")
        assert (made.client, made.owner, made.name) == ("@alice~birds", "alice", "Birds")
        assert (made.description, made.locked) == ("counts birds", False)
        assert (made.redirects, made.scopes) == (REDIRECTS, ("read", "vis"))
        assert ground.applications.find("@alice~birds") == made
        assert ground.applications.find("@alice~gulls") is None

    def test_who_registers_many_at_once_has_no_more_than_may_be(self, ground: ApplicationsGround) -> None:
        add_user(ground, "alice")

        def register(number: int) -> bool:
            try:
                add_application(ground, f"@alice~birds{number}", "alice")
            except Conflict:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(register, range(MOST_APPLICATIONS + 8))) == MOST_APPLICATIONS
        assert len(ground.applications.of("alice")) == MOST_APPLICATIONS
        add_application(ground, "birds")
        assert ground.applications.remove(ground.applications.of("alice")[0].client)
        assert register(100)

    def test_an_id_is_one_application_s(self, ground: ApplicationsGround) -> None:
        made = add_application(ground, "birds")
        with raises(Conflict):
            ground.applications.add("birds", None, name="Others")
        assert ground.applications.find("birds") == made

    def test_an_owner_s_are_listed_by_id(self, ground: ApplicationsGround) -> None:
        for client in ("@alice~gulls", "@alice~birds", "@bob~birds"):
            add_application(ground, client, client[1:].partition("~")[0])
        assert [one.client for one in ground.applications.of("alice")] == ["@alice~birds", "@alice~gulls"]
        assert ground.applications.of("carol") == []

    def test_fields_are_changed_one_by_one(self, ground: ApplicationsGround) -> None:
        add_application(ground, "birds")
        ground.applications.change("birds", name="Gulls", redirects=())
        found = ground.applications.find("birds")
        assert found is not None
        assert (found.name, found.redirects, found.scopes) == ("Gulls", (), ("read", "vis"))
        with raises(NotFound):
            ground.applications.change("gulls", name="x")
        with raises(TypeError):
            ground.applications.change("birds", owner="alice")

    def test_an_application_is_locked_with_its_owner(self, ground: ApplicationsGround) -> None:
        add_user(ground, "alice")
        add_application(ground, "@alice~birds", "alice")
        ground.users.change("alice", locked=True)
        found = ground.applications.find("@alice~birds")
        assert found is not None
        assert found.locked
        assert [one.locked for one in ground.applications.of("alice")] == [True]

    def test_what_is_removed_ends_its_own_connections_alone(self, ground: ApplicationsGround) -> None:
        add_user(ground, "alice")
        add_application(ground, "birds")
        mine, others = connect(ground), connect(ground, "two", PUBLISHED)
        ground.connections.approve("three", approval())
        assert ground.applications.remove("birds")
        assert not ground.applications.remove("birds")
        ended, alive = ground.tokens.at(mine.id), ground.tokens.at(others.id)
        assert ended is not None
        assert ended.revoked_on is not None
        assert alive is not None
        assert alive.revoked_on is None
        assert ground.connections.by_token(mine.id) is ground.connections.by_refresh("r-code") is None
        assert ground.connections.approval("three") is None
        assert ground.connections.by_refresh("r-two") is not None


class ConnectionsSuite:
    """Promises of vfs.ports.applications.Connections."""

    def test_a_code_is_exchanged_once(self, ground: ApplicationsGround) -> None:
        add_user(ground, "alice")
        add_application(ground, "birds")
        assert ground.connections.approval("code") is None
        token = connect(ground).id
        assert not ground.connections.connect("code", token, "other")
        assert not ground.connections.connect("nothing", token, "other")
        found = ground.connections.approval("code")
        assert found is not None
        assert (found.client, found.user, found.approver, found.token) == ("birds", "alice", 7, token)
        assert (found.scope, found.expires_on, found.ends_on) == ("read vis", EXPIRES, ENDS)
        made = ApplicationConnection(token, "birds", "alice", 7, "read vis")
        assert ground.connections.by_refresh("r-code") == ground.connections.by_token(token) == made
        assert ground.connections.by_refresh("other") is ground.connections.by_token(0) is None

    def test_a_connection_is_renewed_by_one_alone(self, ground: ApplicationsGround) -> None:
        add_user(ground, "alice")
        add_application(ground, "birds")
        token = connect(ground).id

        def renew(number: int) -> bool:
            return ground.connections.renew("r-code", f"r{number}", f"a{number}")

        with ThreadPoolExecutor(4) as pool:
            won = list(pool.map(renew, range(4)))
        assert sum(won) == 1
        assert ground.tokens.by_digest("a-code") is None
        present = ground.tokens.by_digest(f"a{won.index(True)}")
        assert present is not None
        assert present.id == token
        old, new = (
            ground.connections.by_refresh("r-code"),
            ground.connections.by_refresh(f"r{won.index(True)}"),
        )
        assert old is not None
        assert new is not None
        assert (old.renewed, new.renewed) == (True, False)
        assert not ground.connections.renew("nothing", "r", "a")

    def test_a_revoked_token_gets_no_new_digest(self, ground: ApplicationsGround) -> None:
        add_user(ground, "alice")
        add_application(ground, "birds")
        ground.tokens.revoke(connect(ground).id)
        ground.connections.renew("r-code", "r", "a")
        assert ground.tokens.by_digest("a") is None

    def test_what_is_taken_back_was_never_exchanged(self, ground: ApplicationsGround) -> None:
        add_user(ground, "alice")
        add_application(ground, "birds")
        ground.connections.approve("code", approval())
        with raises(KeyError), ground.atomic():
            connect_within(ground)
        assert ground.connections.by_refresh("r-code") is None
        found = ground.connections.approval("code")
        assert found is not None
        assert found.token is None

    def test_what_is_long_past_is_forgotten(self, ground: ApplicationsGround) -> None:
        add_user(ground, "alice")
        token = connect(ground, client=PUBLISHED).id
        ground.clock.forward(YEAR)
        later = approval(PUBLISHED, "2027-12-23T08:00:00.000Z", "2027-12-23T08:00:00.000Z")
        ground.connections.approve("new", later)
        assert ground.connections.approval("code") is None
        assert ground.connections.by_refresh("r-code") is ground.connections.by_token(token) is None
        assert ground.connections.approval("new") == later


def connect_within(ground: ApplicationsGround) -> None:
    """Exchange a code, and fail after that."""
    token = ground.tokens.mint("alice", "birds", "a-code", via=Via.APPLICATION)
    assert ground.connections.connect("code", token.id, "r-code")
    raise KeyError
