"""The published native command line against a real server: every command that plain REST serves."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import novem_cli
import pyotp
import pytest
import requests

from tests.clients.conftest import Person
from tests.kit.server import environment

KINDS = {
    "-p": "vis/plots",
    "-g": "vis/grids",
    "-m": "vis/mails",
    "-d": "vis/docs",
    "-j": "code/jobs",
    "--repo": "code/repos",
    "--space": "code/spaces",
}
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
Image = Callable[..., str]
Novem = Callable[..., str]


def command(words: tuple[str, ...], home: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command line with a separate home folder."""
    env = environment(HOME=str(home))
    return subprocess.run(
        [novem_cli.find_binary(), *words], env=env, input=stdin, capture_output=True, text=True, check=False
    )


@pytest.fixture
def novem(alice: Person, tmp_path: Path) -> Novem:
    """Runs a command as alice; what it prints. It has to end with the given exit code."""

    def run(*words: str, stdin: str = "", code: int = 0, who: Person = alice) -> str:
        whole = ("--api-url", who.server.root, "--token", who.token, *words)
        done = command(whole, tmp_path, stdin)
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return COLOUR.sub("", done.stdout + done.stderr)

    return run


def test_a_profile_is_made_with_a_password_and_used(alice: Person, tmp_path: Path) -> None:
    answers = f"{alice.name}\n{alice.server.password(alice.name)}\n"
    words = ("--api-url", alice.server.root, "--init", "--token-name", "np-host-abcd1234")
    done = command(words, tmp_path, answers)
    assert done.returncode == 0, done.stdout + done.stderr
    assert command(("--get", "whoami"), tmp_path).stdout == f"{alice.name}\n"
    assert alice.name in command(("--info",), tmp_path).stdout
    assert "np-host-abcd1234" in [entry["name"] for entry in alice.ask("GET", "admin/tokens")]
    refused = command((*words, "--force"), tmp_path, f"{alice.name}\nwrong\n")
    assert refused.returncode == 1
    assert "Invalid username and/or password" in refused.stdout + refused.stderr


def test_with_a_second_factor_it_says_to_make_a_token(alice: Person, tmp_path: Path) -> None:
    password, secret = alice.server.password(alice.name), pyotp.random_base32()
    session = requests.post(f"{alice.server.root}auth", auth=(alice.name, password), timeout=60).json()
    added = requests.post(
        f"{alice.server.root}admin/second_factor/add",
        json={"name": "phone", "secret": secret, "code": pyotp.TOTP(secret).now()},
        headers={"Authorization": f"Bearer {session['token']}"},
        timeout=60,
    )
    assert added.status_code == 201, added.text
    words = ("--api-url", alice.server.root, "--init")
    refused = command(words, tmp_path, f"{alice.name}\n{password}\n")
    assert refused.returncode == 1
    assert "make a token in a browser" in refused.stdout and "/settings/tokens" in refused.stdout
    assert command((*words, "token", "--token", alice.token), tmp_path).returncode == 0


def test_a_profile_is_made_with_a_token(alice: Person, tmp_path: Path) -> None:
    words = ("--api-url", alice.server.root, "--token", alice.token, "--init", "token")
    done = command(words, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = (tmp_path / ".config" / "novem" / "novem.conf").read_text()
    assert f"[profile:{alice.name}]" in kept
    dead = command(("--api-url", alice.server.root, "--token", "dead", "--init", "token"), tmp_path)
    assert dead.returncode == 1
    assert "Invalid or expired token" in dead.stdout + dead.stderr


def test_a_dead_token_is_said_to_be_dead(alice: Person, tmp_path: Path) -> None:
    words = ("--api-url", alice.server.root, "--token", "dead", "-j", "x", "-C")
    done = command(words, tmp_path)
    assert done.returncode == 1
    assert "invalid or has expired" in done.stderr


def test_plain_requests(novem: Novem, alice: Person) -> None:
    novem("--put", "code/jobs/my-job")
    novem("--post", "code/jobs/my-job/summary", "counts birds")
    assert novem("--get", "code/jobs/my-job/summary") == "counts birds\n"
    novem("--delete", "code/jobs/my-job/summary")
    assert novem("--get", "code/jobs/my-job/summary").strip() == ""
    assert "message" in novem("--get", "code/jobs/absent", code=1)
    assert alice.name in novem("--get", "/admin/profile/overview")


@pytest.mark.parametrize("flag", KINDS)
def test_each_kind_is_made_written_read_and_removed(novem: Novem, alice: Person, flag: str) -> None:
    novem(flag, "my-thing", "-C")
    novem(flag, "my-thing", "-C")
    novem(flag, "my-thing", "-w", "name", "My thing", "-w", "description", "fugler på sjøen")
    assert novem(flag, "my-thing", "-r", "name").rstrip("\n") == "My thing"
    assert novem(flag, "my-thing", "-r", "/description").rstrip("\n") == "fugler på sjøen"
    assert json.loads(novem(flag, "my-thing", "-r", "config"))[0]["uri"].startswith("/v1/")
    assert alice.ask("GET", f"{KINDS[flag]}/my-thing/name") == "My thing"
    assert "not found" in novem(flag, "my-thing", "-r", "nothing", code=1)
    novem(flag, "my-thing", "-D")
    assert "did not exist" in novem(flag, "my-thing", "-D", code=1)
    assert alice.ask("GET", KINDS[flag]) == []


@pytest.mark.parametrize("flag", KINDS)
def test_each_kind_is_shared_and_tagged(novem: Novem, alice: Person, bob: Person, flag: str) -> None:
    novem(flag, "my-thing", "-C")
    for share in (f"@{bob.name}~r", "public~r"):
        novem(flag, "my-thing", "-s", share, "-C")
        novem(flag, "my-thing", "-s", share)
    assert novem(flag, "my-thing", "-s", "-l").split() == [f"@{bob.name}~r", "public~r"]
    novem(flag, "my-thing", "-s", "public~r", "-D")
    assert "does not have the share" in novem(flag, "my-thing", "-s", "public~r", code=1)
    novem(flag, "my-thing", "-w", "summary", "counts birds")
    assert novem("-u", alice.name, flag, "my-thing", "-r", "summary", who=bob).strip() == "counts birds"
    novem(flag, "my-thing", "-t", "fav,+birds,=wader", "-C")
    assert sorted(novem(flag, "my-thing", "-t", "-l").split()) == ["+birds", "=wader", "fav"]
    novem(flag, "my-thing", "-t", "fav", "-D")
    assert sorted(novem(flag, "my-thing", "-t", "-l").split()) == ["+birds", "=wader"]


@pytest.mark.parametrize("flag", KINDS)
def test_each_kind_is_drawn_as_a_tree(novem: Novem, flag: str) -> None:
    novem(flag, "my-thing", "-C")
    tree = novem(flag, "my-thing", "--tree")
    assert tree.startswith("[rwd]")
    for name in ("config", "shared", "tags", "description", "shortname"):
        assert name in tree
    assert "[---]" not in tree
    assert novem(flag, "my-thing", "--tree", "config").startswith("[rwd] my-thing/config/")


@pytest.mark.parametrize("flag", KINDS)
def test_each_kind_is_dumped_and_loaded(novem: Novem, bob: Person, flag: str, tmp_path: Path) -> None:
    novem(flag, "my-thing", "-C")
    novem(flag, "my-thing", "-w", "summary", "counts birds", "-w", "description", "# Long")
    novem(flag, "my-thing", "-s", f"@{bob.name}~r", "-C")
    dump = tmp_path / "dump"
    novem(flag, "my-thing", "--dump", str(dump))
    kept = {str(path.relative_to(dump)) for path in dump.rglob("*") if path.is_file()}
    assert {"summary", "description", f"shared/@{bob.name}~r"} <= kept
    assert not kept & {"url", "shortname", "notifications", "log", "config/type"}
    (dump / "summary").write_text("counts fish")
    (dump / "description").unlink()
    novem(flag, "my-thing", "--load", str(dump), "--dry-run")
    assert novem(flag, "my-thing", "-r", "summary").strip() == "counts birds"
    novem(flag, "my-thing", "--load", str(dump))
    assert novem(flag, "my-thing", "-r", "summary").strip() == "counts fish"
    assert novem(flag, "my-thing", "-r", "description").strip() == ""
    novem(flag, "other", "-C")
    novem(flag, "other", "--load", str(dump))
    assert novem(flag, "other", "-r", "summary").strip() == "counts fish"
    assert novem(flag, "other", "-s", "-l").split() == [f"@{bob.name}~r"]


def test_a_jobs_configuration_is_dumped_and_loaded(novem: Novem, tmp_path: Path) -> None:
    novem("-j", "one", "-C")
    written = {
        "config/chains": "count",
        "config/schedule": "0 4 * * *",
        "config/access": "repo_ro",
        "config/enabled": "false",
        "config/options/input": "yes",
    }
    for name, text in written.items():
        novem("-j", "one", "-w", name, text)
    novem("-j", "one", "--dump", str(tmp_path / "dump"))
    novem("-j", "two", "-C")
    novem("-j", "two", "--load", str(tmp_path / "dump"))
    for name, text in written.items():
        assert novem("-j", "two", "-r", name).splitlines()[0] == text


def test_a_kind_is_given_its_type(novem: Novem) -> None:
    novem("-j", "my-job", "-C", "--type", "chains")
    assert "chains" in novem("-j", "my-job", "--type", "render", code=1)
    novem("-d", "my-doc", "-C", "--type", "pres")
    assert novem("-d", "my-doc", "-r", "config/type").strip() == "pres"


def test_a_space_holds_files(novem: Novem, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("tjeld,11")
    novem("--space", "my-space", "-C", "-w", "content/sub/data.csv", f"@{tmp_path / 'data.csv'}")
    assert novem("--space", "my-space", "-r", "content/sub/data.csv") == "tjeld,11"
    assert "data.csv" in novem("--space", "my-space", "--tree")
    novem("--delete", "code/spaces/my-space/content/sub/data.csv")
    assert novem("--get", "code/spaces/my-space/content/sub").split() == ["[]"]


@pytest.mark.usefixtures("verified")
def test_a_mail_is_addressed(novem: Novem) -> None:
    novem("-m", "my-mail", "-C", "--to", "a@birds.example,b@birds.example", "--subject", "Counted")
    assert novem("-m", "my-mail", "-r", "recipients/to").split() == ["a@birds.example", "b@birds.example"]
    assert novem("-m", "my-mail", "-r", "config/subject").strip() == "Counted"
    novem("-m", "my-mail", "-w", "content", "# Birds\n\nEleven of them.")
    assert "Eleven of them." in novem("-m", "my-mail", "-x")


def test_a_job_is_run(novem: Novem, alice: Person, image: Image, tmp_path: Path) -> None:
    image("same", 'COPY=""')
    novem("-j", "copy", "-C", "-w", "config/chains", "same")
    assert novem("-j", "copy", "-R") == ""
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "b.txt").write_text("curlew")
    (folder / "fugler på sjøen.csv").write_bytes(b"\x00\xff")
    novem("-j", "copy", "-R", "-i", f"@{folder / 'fugler på sjøen.csv'}", "-o", str(tmp_path / "out"))
    assert (tmp_path / "out" / "fugler på sjøen.csv").read_bytes() == b"\x00\xff"
    novem("-j", "copy", "-R", "-i", str(folder), "-o", f"@{tmp_path / 'all.zip'}")
    assert (tmp_path / "all.zip").read_bytes().startswith(b"PK")
    runs = alice.ask("GET", "code/jobs/copy/runs")
    assert len(runs) == 3
    assert alice.ask("GET", f"code/jobs/copy/runs/{runs[0]['name']}/stats")["source"] == "cli"
    assert "Chain: same" in novem("-j", "copy", "-r", "log")
    assert json.loads(novem("-j", "copy", "-r", f"runs/{runs[0]['name']}/steps"))["edges"] == []


def test_a_failed_run_is_reported(novem: Novem, image: Image) -> None:
    image("alas", "ECHO=alas", "EXIT=3")
    novem("-j", "fails", "-C", "-w", "config/chains", "alas")
    assert "ended failed: alas: ended with exit code 3" in novem("-j", "fails", "-R", code=1)
    assert "config/chains" in novem("-j", "bare", "-C") + novem("-j", "bare", "-R", code=1)


def test_anothers_job_is_run(novem: Novem, alice: Person, bob: Person, image: Image) -> None:
    image("same", 'COPY=""')
    novem("-j", "copy", "-C", "-w", "config/chains", "same")
    assert "Error" in novem("-u", alice.name, "-j", "copy", "-R", who=bob, code=1)
    novem("-j", "copy", "-s", f"@{bob.name}", "-C")
    novem("-u", alice.name, "-j", "copy", "-R", who=bob)
