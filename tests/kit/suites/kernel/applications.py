"""Promises of registered applications, of approvals and of connections."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from tests.kit.suites.kernel import EmptyWorld, add_user, raises
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

PUBLISHED, EDITOR = "novem-cli", "novem-vscode"
REDIRECTS = ("https://birds.example/a", "http://localhost/b")
EXPIRES, ENDS = "2026-01-02T03:05:05.678Z", "2026-02-01T03:04:05.678Z"
YEAR = 366 * 24 * 3600.0


class ApplicationsWorld(EmptyWorld, Protocol):
    """An empty world with its applications and their connections."""

    @property
    def applications(self) -> Applications: ...
    @property
    def connections(self) -> Connections: ...


def add_application(empty_world: ApplicationsWorld, client: str, owner: str | None = None) -> Application:
    """An application with all its fields."""
    return empty_world.applications.add(
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


def connect(empty_world: ApplicationsWorld, code: str = "code", client: str = "birds") -> Token:
    """A connection that was approved and exchanged: its token's digest is a-<code>, its refresh r-<code>."""
    empty_world.connections.approve(code, approval(client))
    token = empty_world.tokens.mint("alice", f"{client}-{code}", f"a-{code}", via=Via.APPLICATION)
    assert empty_world.connections.connect(code, token.id, f"r-{code}")
    return token


class ApplicationsSuite:
    """Promises of vfs.ports.applications.Applications."""

    def test_the_published_command_line_is_registered(self, empty_world: ApplicationsWorld) -> None:
        found = empty_world.applications.find(PUBLISHED)
        assert found is not None
        assert (found.owner, found.locked) == (None, False)
        assert found.redirects == (
            "http://localhost/callback",
            "http://127.0.0.1/callback",
            "urn:ietf:wg:oauth:2.0:oob",
        )
        assert found.scopes == ("all", "read", "vis", "code")
        assert [one.client for one in empty_world.applications.of(None)] == [PUBLISHED, EDITOR]
        extension = empty_world.applications.find(EDITOR)
        assert extension is not None
        assert extension.redirects == ("vscode://novem.novem-vscode/oauth/callback",)

    def test_an_application_is_kept(self, empty_world: ApplicationsWorld) -> None:
        add_user(empty_world, "alice")
        made = add_application(empty_world, "@alice~birds", "alice")
        assert (made.client, made.owner, made.name) == ("@alice~birds", "alice", "Birds")
        assert (made.description, made.locked) == ("counts birds", False)
        assert (made.redirects, made.scopes) == (REDIRECTS, ("read", "vis"))
        assert empty_world.applications.find("@alice~birds") == made
        assert empty_world.applications.find("@alice~gulls") is None

    def test_who_registers_many_at_once_has_no_more_than_may_be(self, empty_world: ApplicationsWorld) -> None:
        add_user(empty_world, "alice")

        def register(number: int) -> bool:
            try:
                add_application(empty_world, f"@alice~birds{number}", "alice")
            except Conflict:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(register, range(MOST_APPLICATIONS + 8))) == MOST_APPLICATIONS
        assert len(empty_world.applications.of("alice")) == MOST_APPLICATIONS
        add_application(empty_world, "birds")
        assert empty_world.applications.remove(empty_world.applications.of("alice")[0].client)
        assert register(100)

    def test_an_id_is_one_application_s(self, empty_world: ApplicationsWorld) -> None:
        made = add_application(empty_world, "birds")
        with raises(Conflict):
            empty_world.applications.add("birds", None, name="Others")
        assert empty_world.applications.find("birds") == made

    def test_an_owner_s_are_listed_by_id(self, empty_world: ApplicationsWorld) -> None:
        for client in ("@alice~gulls", "@alice~birds", "@bob~birds"):
            add_application(empty_world, client, client[1:].partition("~")[0])
        assert [one.client for one in empty_world.applications.of("alice")] == [
            "@alice~birds",
            "@alice~gulls",
        ]
        assert empty_world.applications.of("carol") == []

    def test_fields_are_changed_one_by_one(self, empty_world: ApplicationsWorld) -> None:
        add_application(empty_world, "birds")
        empty_world.applications.change("birds", name="Gulls", redirects=())
        found = empty_world.applications.find("birds")
        assert found is not None
        assert (found.name, found.redirects, found.scopes) == ("Gulls", (), ("read", "vis"))
        with raises(NotFound):
            empty_world.applications.change("gulls", name="x")
        with raises(TypeError):
            empty_world.applications.change("birds", owner="alice")

    def test_an_application_is_locked_with_its_owner(self, empty_world: ApplicationsWorld) -> None:
        add_user(empty_world, "alice")
        add_application(empty_world, "@alice~birds", "alice")
        empty_world.users.change("alice", locked=True)
        found = empty_world.applications.find("@alice~birds")
        assert found is not None
        assert found.locked
        assert [one.locked for one in empty_world.applications.of("alice")] == [True]

    def test_a_removed_application_ends_only_its_connections(self, empty_world: ApplicationsWorld) -> None:
        add_user(empty_world, "alice")
        add_application(empty_world, "birds")
        mine, others = connect(empty_world), connect(empty_world, "two", PUBLISHED)
        empty_world.connections.approve("three", approval())
        assert empty_world.applications.remove("birds")
        assert not empty_world.applications.remove("birds")
        ended, alive = empty_world.tokens.at(mine.id), empty_world.tokens.at(others.id)
        assert ended is not None
        assert ended.revoked_on is not None
        assert alive is not None
        assert alive.revoked_on is None
        assert (
            empty_world.connections.by_token(mine.id) is empty_world.connections.by_refresh("r-code") is None
        )
        assert empty_world.connections.approval("three") is None
        assert empty_world.connections.by_refresh("r-two") is not None


class ConnectionsSuite:
    """Promises of vfs.ports.applications.Connections."""

    def test_a_code_is_exchanged_once(self, empty_world: ApplicationsWorld) -> None:
        add_user(empty_world, "alice")
        add_application(empty_world, "birds")
        assert empty_world.connections.approval("code") is None
        token = connect(empty_world).id
        assert not empty_world.connections.connect("code", token, "other")
        assert not empty_world.connections.connect("nothing", token, "other")
        found = empty_world.connections.approval("code")
        assert found is not None
        assert (found.client, found.user, found.approver, found.token) == ("birds", "alice", 7, token)
        assert (found.scope, found.expires_on, found.ends_on) == ("read vis", EXPIRES, ENDS)
        made = ApplicationConnection(token, "birds", "alice", 7, "read vis")
        assert empty_world.connections.by_refresh("r-code") == empty_world.connections.by_token(token) == made
        assert empty_world.connections.by_refresh("other") is empty_world.connections.by_token(0) is None

    def test_a_connection_is_renewed_by_one_alone(self, empty_world: ApplicationsWorld) -> None:
        add_user(empty_world, "alice")
        add_application(empty_world, "birds")
        token = connect(empty_world).id

        def renew(number: int) -> bool:
            return empty_world.connections.renew("r-code", f"r{number}", f"a{number}")

        with ThreadPoolExecutor(4) as pool:
            won = list(pool.map(renew, range(4)))
        assert sum(won) == 1
        assert empty_world.tokens.by_digest("a-code") is None
        present = empty_world.tokens.by_digest(f"a{won.index(True)}")
        assert present is not None
        assert present.id == token
        old, new = (
            empty_world.connections.by_refresh("r-code"),
            empty_world.connections.by_refresh(f"r{won.index(True)}"),
        )
        assert old is not None
        assert new is not None
        assert (old.renewed, new.renewed) == (True, False)
        assert not empty_world.connections.renew("nothing", "r", "a")

    def test_a_revoked_token_gets_no_new_digest(self, empty_world: ApplicationsWorld) -> None:
        add_user(empty_world, "alice")
        add_application(empty_world, "birds")
        empty_world.tokens.revoke(connect(empty_world).id)
        empty_world.connections.renew("r-code", "r", "a")
        assert empty_world.tokens.by_digest("a") is None

    def test_what_is_taken_back_was_never_exchanged(self, empty_world: ApplicationsWorld) -> None:
        add_user(empty_world, "alice")
        add_application(empty_world, "birds")
        empty_world.connections.approve("code", approval())
        with raises(KeyError), empty_world.atomic():
            connect_within(empty_world)
        assert empty_world.connections.by_refresh("r-code") is None
        found = empty_world.connections.approval("code")
        assert found is not None
        assert found.token is None

    def test_what_is_long_past_is_forgotten(self, empty_world: ApplicationsWorld) -> None:
        add_user(empty_world, "alice")
        token = connect(empty_world, client=PUBLISHED).id
        empty_world.clock.forward(YEAR)
        later = approval(PUBLISHED, "2027-12-23T08:00:00.000Z", "2027-12-23T08:00:00.000Z")
        empty_world.connections.approve("new", later)
        assert empty_world.connections.approval("code") is None
        assert empty_world.connections.by_refresh("r-code") is empty_world.connections.by_token(token) is None
        assert empty_world.connections.approval("new") == later


def connect_within(empty_world: ApplicationsWorld) -> None:
    """Exchange a code, and fail after that."""
    token = empty_world.tokens.mint("alice", "birds", "a-code", via=Via.APPLICATION)
    assert empty_world.connections.connect("code", token.id, "r-code")
    raise KeyError
