"""`curlew user` and `curlew token`, on a separate embedded database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from handlers.commands.people import token, user
from handlers.commands.serving import migrate
from handlers.identity.credentials import digest, is_credential
from handlers.processes.world import open_world
from handlers.services.world import World
from handlers.settings.settings import Settings
from handlers.settings.sources import load
from vfs.access import Via
from vfs.ports.factors import Factor, FactorKind
from vfs.ports.people import Account

PASSWORD = "eleven birds on the mud"
COMMANDS = {"user": user, "token": token}


class Desk:
    """Runs commands on one data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str, sent: str | None = None) -> Result:
        """Return the result of a command with any exit code."""
        env = {"CURLEW_PASSWORD_MEMORY": "8", "CURLEW_DATA": None}
        words = (*words, "--data", str(self.folder))
        return CliRunner().invoke(COMMANDS[words[0]], words[1:], input=sent, env=env)

    def done(self, *words: str, sent: str | None = None) -> Result:
        """Return the result of a command that succeeded."""
        result = self.run(*words, sent=sent)
        assert result.exit_code == 0, result.output
        return result

    def refused(self, *words: str, code: int = 1, sent: str | None = None) -> str:
        """Return the message of a refused command, which printed nothing on stdout."""
        result = self.run(*words, sent=sent)
        assert (result.exit_code, result.stdout) == (code, ""), result.output
        return result.stderr

    @property
    def settings(self) -> Settings:
        """The settings that the commands use."""
        return load({}, data=str(self.folder), password_memory="8")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    with open_world(desk.settings):
        return desk


@pytest.fixture
def world(desk: Desk) -> Iterator[World]:
    """The world of a server that runs at the same time on the same data."""
    with open_world(desk.settings) as world:
        yield world


def test_a_user_is_added_and_stdout_has_its_token_alone(desk: Desk, world: World) -> None:
    options = ("--public", "--organisation", "--email", "a@birds.example", "--token", "laptop")
    result = desk.done("user", "add", "alice", *options)
    value = result.stdout.removesuffix("\n")
    assert is_credential(value)
    kept = world.people.tokens.by_digest(digest(value))
    assert kept is not None
    assert (kept.user, kept.name, kept.expires_on) == ("alice", "laptop", None)
    made = world.people.users.find("alice")
    assert made is not None
    assert (made.account, made.email, made.public) == (Account.ORGANISATION, "a@birds.example", True)
    assert made.verified, "the operator vouches for the address"


def test_a_user_without_an_address_has_none_verified(desk: Desk, world: World) -> None:
    desk.done("user", "add", "alice")
    made = world.people.users.find("alice")
    assert made is not None
    assert (made.email, made.verified) == (None, False)


def test_a_generated_password_is_printed_and_works(desk: Desk, world: World) -> None:
    result = desk.done("user", "add", "alice")
    password = result.stderr.splitlines()[0].split()[-1]
    assert world.people.passwords.proves("alice", password, "")
    assert is_credential(result.stdout.strip())


def test_a_password_may_come_by_stdin(desk: Desk, world: World) -> None:
    result = desk.done("user", "add", "alice", "--password-stdin", sent=f"{PASSWORD}\n")
    assert PASSWORD not in result.output
    assert world.people.passwords.proves("alice", PASSWORD, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Alice",), "user name"),
        (("alice", "--email", "nowhere"), "e-mail"),
        (("alice", "--token", "Not A Name"), "name"),
        (("alice", "--password-stdin"), "password"),
    ],
)
def test_malformed_input_adds_no_user(desk: Desk, world: World, words: tuple[str, ...], said: str) -> None:
    assert said in desk.refused("user", "add", *words, sent="short\n")
    assert world.people.users.all() == []


def test_a_name_is_taken_once(desk: Desk, world: World) -> None:
    desk.done("user", "add", "alice", "--email", "a@birds.example")
    assert "alice is taken" in desk.refused("user", "add", "alice")
    assert "a@birds.example" in desk.refused("user", "add", "bob", "--email", "a@birds.example")
    assert [one.name for one in world.people.users.all()] == ["alice"]


def test_users_are_listed(desk: Desk) -> None:
    assert json.loads(desk.done("user", "list", "--json").stdout) == []
    desk.done("user", "add", "bob", "--public")
    desk.done("user", "add", "alice")
    rows: list[dict[str, Any]] = json.loads(desk.done("user", "list", "--json").stdout)
    assert [(row["username"], row["public"], row["locked"]) for row in rows] == [
        ("alice", False, False),
        ("bob", True, False),
    ]
    head, *lines = desk.done("user", "list").stdout.splitlines()
    assert head.startswith("username")
    assert [line.split()[0] for line in lines] == ["alice", "bob"]


def test_a_new_password_ends_sessions_and_leaves_tokens(desk: Desk, world: World) -> None:
    desk.done("user", "add", "alice", "--token", "laptop")
    world.people.tokens.mint("alice", "session-x", "digest", via=Via.SESSION)
    desk.done("user", "passwd", "alice", "--password-stdin", sent=PASSWORD)
    assert world.people.passwords.proves("alice", PASSWORD, "")
    assert [one.name for one in world.people.tokens.of("alice")] == ["laptop"]
    output = desk.done("user", "passwd", "alice").stderr
    assert world.people.passwords.proves("alice", output.split()[-1], "")


def test_a_locked_user_has_dead_tokens_until_it_is_unlocked(desk: Desk, world: World) -> None:
    value = desk.done("user", "add", "alice").stdout.strip()
    for command, locked in (("lock", True), ("unlock", False)):
        desk.done("user", command, "alice")
        kept = world.people.tokens.by_digest(digest(value))
        assert kept is not None
        assert kept.locked is locked


def test_a_token_is_added_listed_and_revoked(desk: Desk, world: World) -> None:
    desk.done("user", "add", "alice", "--token", "laptop")
    added = desk.done("token", "add", "alice", "ci", "--description", "builds", "--expires-in", "7 days")
    kept = world.people.tokens.by_digest(digest(added.stdout.removesuffix("\n")))
    assert kept is not None
    assert kept.expires_on is not None
    assert kept.expires_on in added.stderr
    rows = json.loads(desk.done("token", "list", "alice", "--json").stdout)
    assert [(row["token_name"], row["token_description"]) for row in rows] == [
        ("laptop", ""),
        ("ci", "builds"),
    ]
    assert added.stdout.strip() not in desk.done("token", "list", "alice").stdout
    desk.done("token", "revoke", "alice", "ci")
    assert "no token ci" in desk.refused("token", "revoke", "alice", "ci")
    assert [one.name for one in world.people.tokens.of("alice")] == ["laptop"]


def test_a_token_gets_a_name(desk: Desk, world: World) -> None:
    desk.done("user", "add", "alice", "--token", "laptop")
    desk.done("token", "add", "alice")
    assert world.people.tokens.of("alice")[1].name.startswith("curl-")


@pytest.mark.parametrize(
    "words",
    [
        ("user", "passwd", "nobody"),
        ("user", "lock", "nobody"),
        ("token", "add", "nobody"),
        ("token", "list", "nobody"),
        ("token", "revoke", "nobody", "x"),
    ],
)
def test_an_unknown_user_is_named(desk: Desk, words: tuple[str, ...]) -> None:
    assert "there is no user nobody" in desk.refused(*words)


@pytest.mark.parametrize(
    "words", [("--expires-in", "0"), ("--expires-on", "2001-01-01"), ("--description", "a\x1bb"), ("laptop",)]
)
def test_a_malformed_token_is_not_made(desk: Desk, world: World, words: tuple[str, ...]) -> None:
    desk.done("user", "add", "alice", "--token", "laptop")
    desk.refused("token", "add", "alice", *words)
    assert [one.name for one in world.people.tokens.of("alice")] == ["laptop"]


@pytest.mark.parametrize(
    "words", [("user", "add"), ("user", "nonsense"), ("token", "add", "alice", "--nonsense")]
)
def test_wrong_usage_has_another_exit_code_than_failure(desk: Desk, words: tuple[str, ...]) -> None:
    assert "Usage" in desk.refused(*words, code=2)


def test_a_data_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(migrate, ["--data", str(tmp_path / "file" / "data")])
    assert (result.exit_code, result.output) == (
        1,
        f"curlew: the data folder {tmp_path}/file/data cannot be used: Not a directory; "
        "--data DIR chooses another\n",
    )


def test_an_operator_lists_and_resets_second_factors(desk: Desk, world: World) -> None:
    desk.done("user", "add", "ann", "--email", "ann@birds.example")
    world.people.factors.add(Factor("ann", FactorKind.APP, "phone", "sealed"))
    world.people.factors.renew_codes("ann", ["one"])
    (row,) = json.loads(desk.done("user", "second-factor", "ann", "--json").stdout)
    assert row == {"name": "phone", "kind": "app", "last_used_on": None}
    assert "the password alone signs in" in desk.done("user", "second-factor", "--reset", "ann").stderr
    assert (list(world.people.factors.of("ann")), world.people.factors.codes_left("ann")) == ([], 0)
    (letter,) = (desk.folder / "outbox").glob("*")
    assert "All second factors were removed" in letter.read_text()
    assert "no user" in desk.refused("user", "second-factor", "nobody", "--reset")
