"""The README and the manual are true: commands run as they stand, names lead somewhere."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from chains.language.schedule import parse as schedule
from chains.language.trigger_lines import parse_triggers
from handlers.reference.manual import ABOUT
from handlers.rules.mounts import parse as mounts
from handlers.settings.settings import Settings
from tests.console import Command, Shell, commands
from tests.kit.generated import DOCUMENTS, README, ROOT, TEXTS
from tests.kit.server import environment, rendering, serving, web

SHOWN_PORT = 8000
STARTS_WITHIN = 120.0
STOPS_WITHIN = 60.0
SHORT_WORDS = """s() { curl -sS -H "Authorization: Bearer $TOKEN" "$@"; }; text='Content-Type: text/plain'
plain='Accept: text/plain' login='!answer() { echo username=alice; echo "password=$TOKEN"; }; answer'"""
VERIFYING = r"""letter=$(ls $CURLEW_DATA/outbox/* | head -1)
uid=$(sed -nE 's/.*"uid": *"([^"]*)".*/\1/p' $letter) code=$(sed -nE 's/.*"code": *"([^"]*)".*/\1/p' $letter)
s -H 'Content-Type: application/json' -d "{\"uid\": \"$uid\", \"code\": \"$code\"}" $U/admin/challenge"""
LARGEST = 12 * 1024
AUTHORSHIP = {
    f"GIT_{who}_{what}": word
    for who in ("AUTHOR", "COMMITTER")
    for what, word in (("NAME", "alice"), ("EMAIL", "alice@example.org"))
}
SAID = {path.stem: path.read_text() for path in DOCUMENTS}
EVERYTHING = "\n".join(SAID.values())


def test_the_readme_is_short() -> None:
    assert len(README.read_bytes()) <= LARGEST


def test_every_setting_is_explained() -> None:
    assert [field.name for field in fields(Settings) if not field.metadata["about"]] == []


def test_our_terms_are_few_and_used() -> None:
    own = re.findall(r"^\* \*\*(\w+)\*\*:", SAID["words"], re.MULTILINE)
    folders = ("vfs", "chains/runner", "storage/signals")
    code = "\n".join(path.read_text() for folder in folders for path in (ROOT / folder).glob("*.py"))
    assert 0 < len(own) <= 10
    assert [word for word in own if not re.search(rf"\b{word}\b", code)] == []


def test_decisions_are_few_and_short_and_each_names_its_price() -> None:
    decisions = [one for one in SAID["decisions"].split("\n\n") if one.startswith("**")]
    numbers = re.findall(r"^\*\*(\d+)\. ", SAID["decisions"], re.MULTILINE)
    assert len(decisions) == len(numbers) == len(set(numbers)), "a number stands for one decision"
    assert 40 <= len(decisions) <= 60, "what does not shape the whole belongs beside its code"
    assert [one for one in decisions if "*Price:*" not in one or one.count("\n") >= 10] == []


@pytest.mark.parametrize(
    "language, parse", [("schedule", schedule), ("spaces", mounts), ("triggers", parse_triggers)]
)
def test_texts_of_jobs_are_taken_as_they_stand(language: str, parse: Callable[[str], object]) -> None:
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", SAID["jobs"], re.DOTALL | re.MULTILINE)
    assert blocks
    assert all(parse(block) for block in blocks)


def test_the_chapters_are_the_texts_and_what_the_program_writes() -> None:
    there = {path.stem for path in TEXTS.iterdir()} | {"api", "errors"}
    assert set(ABOUT) == there, "give it a line in ABOUT of handlers/reference/manual.py"


def test_the_files_that_are_named_are_there() -> None:
    named = set(re.findall(r"[`(]((?:vfs|chains|storage|handlers|deploy|tests)/[\w./-]+)[`)]", EVERYTHING))
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_the_targets_of_make_that_are_named_are_there() -> None:
    there = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)`", EVERYTHING)) | {"demo", "test"} <= there


def test_the_chapters_that_are_named_are_there() -> None:
    named = re.findall(r"curlew docs ([a-z]+)", EVERYTHING) + re.findall(r"`/docs/([a-z]+)`", EVERYTHING)
    assert set(named) <= set(ABOUT)


def test_no_place_of_one_machine_is_named() -> None:
    assert re.findall(r"(?<![\w.…])/(?:home|root|work|tmp|usr)/\S*", EVERYTHING) == []


@pytest.fixture
def newcomer() -> Iterator[tuple[Path, Mapping[str, str], int]]:
    """A fresh checkout with a `.venv`, an environment without anything configured, and a free port.

    The home of the newcomer is beside the checkout.
    """
    if not shutil.which("podman"):
        pytest.fail("Podman is not installed: apt-get install podman runc", pytrace=False)
    place = Path(tempfile.mkdtemp(prefix="curlew-tour-"))
    folder, home = place / "checkout", place / "home"
    home.mkdir()
    (folder / ".venv").mkdir(parents=True)
    (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    kept = {name: word for name, word in os.environ.items() if not name.startswith(("CURLEW_", "GIT_"))}
    plain = {"HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
    direct = {"no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1", "CURLEW_BIND": f"127.0.0.1:{port}"}
    yield folder, kept | AUTHORSHIP | plain | direct, port
    shutil.rmtree(place, ignore_errors=True)


class Server:
    """`curlew serve` as typed into a separate terminal."""

    def __init__(self, command: Command, folder: Path, environ: Mapping[str, str]) -> None:
        self._said = folder.parent / "served.txt"
        self._log = folder.parent / "served.log"
        with self._said.open("w") as said, self._log.open("w") as log:
            self._process = subprocess.Popen(
                ["bash", "-c", f"exec {command.typed}"],
                cwd=folder,
                env={**environ, "PATH": f"{folder}/.venv/bin:{environ['PATH']}"},
                stdout=said,
                stderr=log,
                start_new_session=True,
            )
        self._await(command)

    def _await(self, command: Command) -> None:
        until = time.monotonic() + STARTS_WITHIN
        while (differs := command.differs(self._said.read_text())) and time.monotonic() < until:
            assert self._process.poll() is None, self.log()
            time.sleep(0.05)
        assert differs is None, f"{differs}\n{self.log()}"

    def log(self) -> str:
        """The lines on its standard error so far."""
        return self._log.read_text()

    def stop(self) -> int:
        """Ctrl-C; the exit code."""
        self._process.send_signal(signal.SIGINT)
        try:
            return self._process.wait(STOPS_WITHIN)
        finally:
            self._process.kill()
            self._process.wait()


def test_addresses_plots_grids_and_applications_answer_as_they_stand(tmp_path: Path) -> None:
    with web(tmp_path / "data") as server, rendering(tmp_path / "data"):
        known = {"TOKEN": server.add("alice"), "PASSWORD": server.password("alice"), "HOME": str(tmp_path)}
        shell = Shell(tmp_path, environment(**known, U=server.root.rstrip("/")))
        shell.run(SHORT_WORDS)
        try:
            names = ("addresses", "plots", "grids", "applications", "search", "alerts")
            run_commands(shell, "".join(SAID[name] for name in names))
        finally:
            shell.close()


def test_versions_and_what_comes_back_answer_as_they_stand(tmp_path: Path) -> None:
    with web(tmp_path / "data") as server, rendering(tmp_path / "data"):
        shell = Shell(tmp_path, environment(TOKEN=server.add("alice"), U=server.root.rstrip("/")))
        shell.run(SHORT_WORDS)
        try:
            run_commands(shell, SAID["versions"])
        finally:
            shell.close()


def test_accounts_and_mails_answer_as_they_stand(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        known = {"TOKEN": server.add("alice"), "PASSWORD": server.password("alice"), "HOME": str(tmp_path)}
        known["CURLEW_DATA"] = str(server.folder)
        shell = Shell(tmp_path, environment(**known, U=server.root.rstrip("/")))
        shell.run(SHORT_WORDS)
        try:
            run_commands(shell, SAID["accounts"] + SAID["mails"])
        finally:
            shell.close()


def test_sharing_groups_and_comments_answer_as_they_stand(tmp_path: Path) -> None:
    with web(tmp_path / "data") as server, rendering(tmp_path / "data"):
        known = {"TOKEN": server.add("alice"), "BOB": server.add("bob"), "HOME": str(tmp_path)}
        known["ACME"] = server.add("acme", account_type="organisation")
        shell = Shell(tmp_path, environment(**known, U=server.root.rstrip("/")))
        shell.run(SHORT_WORDS)
        try:
            run_commands(shell, "".join(SAID[name] for name in ("sharing", "groups", "comments")))
        finally:
            shell.close()


@pytest.fixture(scope="module")
def job_shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell of a user of a server that runs steps, for the chapters on jobs; its address is verified."""
    folder = tmp_path_factory.mktemp("jobs")
    with serving(folder / "data", podman=True) as server:
        known = {"HOME": str(folder), "TOKEN": server.add("alice"), "U": server.root.rstrip("/")}
        known["CURLEW_DATA"] = str(server.folder)
        known["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        shell = Shell(folder, environment(**known, **AUTHORSHIP, no_proxy="127.0.0.1"))
        shell.run(SHORT_WORDS)
        shell.run(VERIFYING)
        try:
            yield shell
        finally:
            shell.close()


@pytest.mark.podman
@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", ["chains", "coming", "examples", "jobs", "repos", "spaces", "report"])
def test_the_chapters_on_jobs_run_as_they_stand(job_shell: Shell, name: str) -> None:
    run_commands(job_shell, SAID[name])


def run_commands(shell: Shell, text: str) -> None:
    """Type all commands of a text; each ends well and prints what is shown."""
    for command in commands(text):
        code, printed = shell.run(command.typed)
        assert code == 0, f"$ {command.typed}\n{printed}"
        assert (differs := command.differs(printed)) is None, differs


@pytest.mark.podman
@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", ["README", "tour"])
def test_the_commands_run_as_they_stand(newcomer: tuple[Path, Mapping[str, str], int], name: str) -> None:
    folder, environ, port = newcomer
    shell, server = Shell(folder, environ), None
    try:
        for command in commands(SAID[name].replace(f":{SHOWN_PORT}", f":{port}")):
            if command.typed == "curlew serve":
                server = Server(command, folder, environ)
                assert "curlew: making the base image" in server.log()
                continue
            code, printed = shell.run(command.typed)
            assert code == 0, f"$ {command.typed}\n{printed}"
            assert (differs := command.differs(printed)) is None, differs
    finally:
        shell.close()
        ended = server.stop() if server else None
    assert ended == 0
    assert {path.name for path in folder.iterdir()} == {".venv", "var"}
