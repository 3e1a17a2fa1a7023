"""`curlew log security`: what operators did by command, chosen by account, event and time."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from handlers.__main__ import main
from handlers.commands.operators import operator
from handlers.processes.world import open_world
from handlers.settings.sources import load

ENV = {"CURLEW_PASSWORD_MEMORY": "8", "CURLEW_DATA": None}


def run(folder: Path, *words: str, sent: bytes | None = None, place: str | None = None) -> Result:
    env = {**ENV, "CURLEW_SECURITY_LOG": place}
    return CliRunner().invoke(main, [*words, "--data", str(folder)], input=sent, env=env)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the log of an operator's commands."""
    folder = tmp_path_factory.mktemp("data")
    with open_world(load({}, data=str(folder))):
        pass
    for words in (
        ("user", "add", "boss", "--organisation", "--token", "first"),
        ("user", "lock", "boss"),
        ("user", "unlock", "boss"),
        ("user", "passwd", "boss"),
        ("token", "add", "boss", "laptop"),
        ("token", "revoke", "boss", "laptop"),
        ("user", "add", "other", "--token", "first"),
    ):
        result = run(folder, *words)
        assert result.exit_code == 0, result.output
    return folder


def entries(folder: Path, *words: str) -> list[tuple[str, str, str]]:
    result = run(folder, "log", "security", "--json", *words)
    assert result.exit_code == 0, result.output
    read = map(json.loads, result.stdout.splitlines())
    return [(one["event"], one["account"], one.get("target", "")) for one in read]


def test_commands_are_logged(folder: Path) -> None:
    assert entries(folder) == [
        ("account.made", "boss", ""),
        ("token.made", "boss", "first"),
        ("account.locked", "boss", ""),
        ("account.unlocked", "boss", ""),
        ("password.changed", "boss", ""),
        ("token.made", "boss", "laptop"),
        ("token.revoked", "boss", "laptop"),
        ("account.made", "other", ""),
        ("token.made", "other", "first"),
    ]


def test_lines_are_chosen(folder: Path) -> None:
    assert [one[0] for one in entries(folder, "--account", "other")] == ["account.made", "token.made"]
    assert len(entries(folder, "--event", "account", "--event", "token.revoked")) == 5
    assert len(entries(folder, "--since", "1 hour")) == 9
    assert entries(folder, "--until", "1 hour") == []
    assert entries(folder, "--since", "9999-01") == []


def test_for_people_a_line_is_plain_text(folder: Path) -> None:
    result = run(folder, "log", "security", "--event", "token.revoked")
    _, event, outcome, account, *rest = result.stdout.split()
    assert (event, outcome, account) == ("token.revoked", "ok", "boss")
    assert "target=laptop" in rest
    assert "clw_" not in result.stdout


@pytest.mark.parametrize(
    "words, said",
    [
        (("--event", "nonsense"), "there is no event nonsense: there are sign-in"),
        (("--since", "yesterday"), '"yesterday" is no time'),
        (("--file", "/absent/file"), "nothing was written to it yet"),
    ],
)
def test_a_misspelt_choice_is_refused(folder: Path, words: tuple[str, ...], said: str) -> None:
    result = run(folder, "log", "security", *words)
    assert result.exit_code == 1
    assert said in result.stderr


def test_lines_from_elsewhere_are_read_from_stdin(folder: Path) -> None:
    sent = b'a line of something else\n{"time": "t", "event": "sign-in", "outcome": "ok", "actor": "eve"}\n'
    result = run(folder, "log", "security", "--file", "-", sent=sent)
    assert result.stdout == "t sign-in ok eve\n"
    refused = run(folder, "log", "security", place="stderr")
    assert "there is no file" in refused.stderr


def test_a_log_is_followed_until_the_program_is_ended(folder: Path) -> None:
    before = {name: signal.getsignal(name) for name in (signal.SIGTERM, signal.SIGINT)}
    over = threading.Event()

    def end() -> None:
        while not over.wait(0.2):
            os.kill(os.getpid(), signal.SIGTERM)

    # Until the command hears it, the signal must not end the tests.
    signal.signal(signal.SIGTERM, lambda *_: None)
    ender = threading.Thread(target=end)
    ender.start()
    try:
        assert len(entries(folder, "--follow")) == 9
    finally:
        over.set()
        ender.join()
        for name, handler in before.items():
            signal.signal(name, handler)


def test_the_operator_is_named(folder: Path) -> None:
    name = operator()
    assert name.endswith(" on this host")
    assert json.loads((folder / "security.log").read_text().splitlines()[0])["client"] == name
