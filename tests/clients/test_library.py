"""The published Python client against a real server: who one is, profile, repos and jobs."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import novem
import pytest
from novem.api_ref import NovemAPI
from novem.exceptions import Novem401, Novem403, Novem404, NovemException

from tests.clients.conftest import Person
from tests.kit.server import environment

Image = Callable[..., str]

# The client leaves the files open that it sends.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def test_a_token_is_made_and_used(alice: Person) -> None:
    made = NovemAPI(**alice.connection).create_token(
        {
            "username": alice.name,
            "password": alice.server.password(alice.name),
            "token_name": "np-host-abcd1234",
            "token_description": "made by the client",
        }
    )
    assert made["token_name"] == "np-host-abcd1234"
    api = NovemAPI(**{**alice.connection, "token": made["token"]})
    assert api.read("whoami") == alice.name
    assert json.loads(api.read("token"))["token_name"] == "np-host-abcd1234"


def test_a_wrong_password_makes_no_token(alice: Person) -> None:
    wrong = {"username": alice.name, "password": "wrong", "token_name": "t", "token_description": ""}
    with pytest.raises(Exception, match="user name or the password is wrong"):
        NovemAPI(**alice.connection).create_token(wrong)


def test_dead_tokens_and_absent_files_raise_different_errors(alice: Person) -> None:
    with pytest.raises(Novem401):
        NovemAPI(**{**alice.connection, "token": "dead"}).read("whoami")
    with pytest.raises(Novem404):
        NovemAPI(**alice.connection).read("code/jobs/absent")


def test_credentials_come_from_the_environment_or_the_configuration(alice: Person, tmp_path: Path) -> None:
    script = "import novem; print(novem.Job('by_env').ref('prod'))"
    env = environment(NOVEM_TOKEN=alice.token, NOVEM_API_ROOT=alice.server.root, HOME=str(tmp_path))
    assert _python(script, env) == f"/{alice.name}/by_env:prod"
    folder = tmp_path / ".config" / "novem"
    folder.mkdir(parents=True)
    (folder / "novem.conf").write_text(
        f"[general]\nprofile = me\napi_root = {alice.server.root}\n"
        f"[profile:me]\nusername = {alice.name}\ntoken_name = t\ntoken = {alice.token}\n"
    )
    assert _python(script.replace("by_env", "by_file"), environment(HOME=str(tmp_path))).endswith(
        "/by_file:prod"
    )
    assert [entry["name"] for entry in alice.ask("GET", "code/jobs")] == ["by_env", "by_file"]


def _python(script: str, env: dict[str, str]) -> str:
    command = [sys.executable, "-P", "-c", script]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip()


def test_a_profile_is_read_and_written(alice: Person) -> None:
    profile = novem.Profile(**alice.connection)
    profile.name = "Alice Wader"
    profile.bio = "counts birds, øst og vest"
    profile.timezone = "Europe/Oslo"
    profile.public = False
    assert (profile.name, profile.bio) == ("Alice Wader", "counts birds, øst og vest")
    assert profile.timezone == "Europe/Oslo"
    assert profile.public is False
    profile.public = True
    assert profile.public is True
    assert alice.name in profile.url


def test_a_repo_is_made_once_and_its_properties_are_read(alice: Person) -> None:
    repo = novem.Repo("my-repo", name="My repo", description="# Code", summary="counts", **alice.connection)
    again = novem.Repo("my-repo", **alice.connection)
    assert (again.name, again.description, again.summary) == ("My repo", "# Code", "counts")
    assert again.type == "job"
    repo.type = "code"
    assert again.type == "code"
    assert again.url == f"{alice.server.origin}/git/{alice.name}/my-repo.git"
    assert again.shortname.isalnum()
    repo.api_delete("")
    with pytest.raises(Novem404):
        repo.api_read("/name")


def test_what_is_pushed_is_read(alice: Person, image: Image, capsys: pytest.CaptureFixture[str]) -> None:
    image("count", "ECHO=counted")
    repo = novem.Repo("count", create=False, **alice.connection)
    commits = json.loads(repo.api_read("/commits"))
    path = f"/commits/{commits[0]['name']}/files"
    assert [entry["name"] for entry in json.loads(repo.api_read(path))] == ["Containerfile"]
    assert repo.api_read(f"{path}/Containerfile").endswith("ENV ECHO=counted")
    _ = repo.log
    assert "ENV ECHO=counted" in capsys.readouterr().out
    tree = repo.api_tree()
    assert "commits" in tree
    assert "Containerfile" not in tree


def test_a_job_is_made_and_configured(alice: Person) -> None:
    job = novem.Job("my-job", name="My job", **alice.connection)
    job.summary = "one line"
    job.description = "*long*"
    job.config = {"type": "chains"}
    job.w("config/chains", "count").w("/config/schedule", "TZ=Europe/Oslo 0 4 * * 1-5 # workdays")
    job.api_write("/config/env/API_KEY", "a very secret word")
    assert (job.name, job.summary, job.description, job.type) == ("My job", "one line", "*long*", "chains")
    assert job.api_read("/config/chains") == "count"
    assert [entry["name"] for entry in json.loads(job.api_read("/config/env"))] == ["API_KEY"]
    assert job.url.endswith(f"/u/{alice.name}/j/my-job")
    with pytest.raises(NovemException, match="line 1"):
        job.api_write("/config/chains", "a -> a")
    job.api_delete("/config/schedule")
    assert job.api_read("/config/schedule") == ""
    job.api_delete("")
    assert alice.ask("GET", "code/jobs") == []


def test_a_run_takes_nothing_files_and_folders(alice: Person, image: Image, tmp_path: Path) -> None:
    image("same", 'COPY=""')
    job = novem.Job("copy", **alice.connection)
    job.api_write("/config/chains", "same")
    job.run(output=str(tmp_path / "none"))
    assert (tmp_path / "none" / "input.json").read_text() == "{}"
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "nested.json").write_text("[1]")
    (folder / "fugler på sjøen.csv").write_text("tjeld,11")
    job.run(input_dir=str(folder), output_file=str(tmp_path / "all.zip"))
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert sorted(archive.namelist()) == ["fugler på sjøen.csv", "sub/nested.json"]
    for _ in range(2):
        job.run(files=[f"@{folder / 'fugler på sjøen.csv'}"], output=str(tmp_path / "out"))
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["fugler på sjøen (1).csv", "fugler på sjøen.csv"]
    assert (tmp_path / "out" / "fugler på sjøen.csv").read_text() == "tjeld,11"
    assert {run["status"] for run in alice.ask("GET", "code/jobs/copy/stats/runs")} == {"success"}
    run = alice.ask("GET", "code/jobs/copy/runs")[0]["name"]
    assert alice.ask("GET", f"code/jobs/copy/runs/{run}/stats")["source"] == "library"


def test_a_failed_run_is_reported(alice: Person, image: Image, capsys: pytest.CaptureFixture[str]) -> None:
    image("alas", "ECHO=alas", "EXIT=3")
    job = novem.Job("fails", **alice.connection)
    job.api_write("/config/chains", "alas")
    with pytest.raises(SystemExit):
        job.run()
    assert "ended failed: alas: ended with exit code 3" in capsys.readouterr().out
    _ = job.log
    assert "alas: alas" in capsys.readouterr().out
    job.api_write("/config/chains", "unborn")
    with pytest.raises(SystemExit):
        job.run()
    assert "git push" in capsys.readouterr().out


def test_a_job_is_shared_and_run_by_another(alice: Person, bob: Person, image: Image, tmp_path: Path) -> None:
    image("same", 'COPY=""')
    job = novem.Job("copy", **alice.connection)
    job.api_write("/config/chains", "same")
    job.shared += f"@{bob.name}"
    job.shared += "public~r"
    assert job.shared.get() == [f"@{bob.name}", "public~r"]
    theirs = novem.Job("copy", user=alice.name, create=False, **bob.connection)
    theirs.run(output=str(tmp_path))
    assert (tmp_path / "input.json").read_text() == "{}"
    assert theirs.name == job.name
    job.shared -= "public~r"
    job.shared = f"@{bob.name}~r"
    assert job.shared.get() == [f"@{bob.name}~r"]
    with pytest.raises(SystemExit):
        theirs.run()
    job.shared = ""
    with pytest.raises(Novem404):
        theirs.api_read("/name")


def test_what_may_not_be_written_raises(alice: Person, bob: Person) -> None:
    job = novem.Job("mine", **alice.connection)
    job.shared = f"@{bob.name}~r"
    with pytest.raises(Novem403):
        NovemAPI(**bob.connection).write(f"users/{alice.name}/code/jobs/mine/summary", "theirs")


def test_a_tree_is_printed(alice: Person) -> None:
    novem.Repo("code", **alice.connection)
    job = novem.Job("my-job", **alice.connection)
    job.tags += "fav"
    assert job.tags.get() == ["fav"]
    tree = job.api_tree()
    for name in ("config", "chains", "options", "runs", "shared", "tags", "fav"):
        assert name in tree
    assert tree.startswith("[rwd]")
