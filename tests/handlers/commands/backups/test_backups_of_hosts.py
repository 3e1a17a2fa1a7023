"""A backup of several hosts, made on any of them, fills new ones; no folder of runs is in it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from handlers.settings.settings import Settings
from tests.handlers.commands.backups.scene import (
    QUEUED,
    WAITING,
    Hand,
    populate,
    queue_run,
    rows_in,
    walk,
    web,
)
from tests.kit.clocks import until
from tests.kit.commands import curlew, done
from tests.kit.hosts.shared import settings_at, shared_parts
from tests.kit.postgres import Postgres
from tests.kit.processes import own
from tests.kit.service import Application, open_service

pytestmark = [pytest.mark.postgres, pytest.mark.repeats]


def ends(app: Application, alice: Hand, address: str) -> None:
    """Check that a run succeeds."""
    status = until(
        lambda: alice.do("GET", f"{address}/status"),
        lambda said: said not in (b"processing", b"waiting", b"queued"),
    )
    assert status == b"success", alice.do("GET", f"{address}/log").decode()


def go_on(settings: Settings, tokens: dict[str, str]) -> None:
    """Continue the waiting runs on a host that did not start them."""
    with open_service(settings) as app:
        app._tokens.update(tokens)
        alice, builds = Hand(app, "alice"), app.world.code.builds
        for repo in ("alice/first", "alice/then"):
            build = builds.latest(app.item("repo", repo).id)
            assert build is not None
            list(builds.follow(build.id, 60))
        (held,) = app.world.code.runs.reader.newest(app.item("job", "alice/letter").id, 1)
        alice.do("POST", f"{WAITING}/{held.id}/hold", b"continue")
        ends(app, alice, f"{WAITING}/{held.id}")
        assert b"draft" in alice.do("GET", f"{WAITING}/{held.id}/output")


def test_any_host_writes_a_backup_that_new_hosts_restore(postgres: Postgres, tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    after.mkdir()
    file = tmp_path / "whole.tar"
    with shared_parts(before, postgres) as shared:
        settings = settings_at(before / "one", shared, MAIL_DOMAIN="mail.example")
        with open_service(settings) as app:
            tokens = populate(app)
            waits(app)
        with web(settings) as app:
            queue_run(app)
            answers = walk(app, tokens)
        (before / "other").mkdir()
        done("backup", file, "--data", before / "other", **own(shared))
        key = (before / "key").read_bytes()
    # The database, the bucket and the process that had it are gone from here on.
    names = [name for name in rows_in(file) if name.startswith(("runs/run-", "runs/in-"))]
    assert names == []
    done("backup", "--verify", file)
    with shared_parts(after, postgres) as shared:
        result = done("restore", file, "--data", after / "one", **own(shared))
        assert (after / "key").read_bytes() == key, result.output
        with web(settings_at(after / "other", shared)) as app:
            found = walk(app, tokens)
            assert sent_to(app, tmp_path / "fetched") == "what was sent"
        assert {place for place in answers if found[place] != answers[place]} == set()
        assert found.keys() == answers.keys()
        refused = curlew("restore", file, "--data", after / "third", **own(shared))
        assert (refused.exit_code, "has repositories" in refused.output) == (1, True)
        done("repo", "rebuild", "--all", "--every", "--data", after / "one", **own(shared))
        go_on(settings_at(after / "third", shared), dict(tokens))


def sent_to(app: Application, folder: Path) -> str:
    """The input of the run that nobody has taken yet, as any runner gets it."""
    files = app.world.code.run_files
    run = app.world.code.runs.reader.newest(app.item("job", "alice/plain").id, 1)[0]
    assert (run.id, files is not None, run.files is not None) == (QUEUED, True, True)
    files.fetch(run.files, folder)  # type: ignore[union-attr, arg-type]
    return (folder / "sent.txt").read_text()


def waits(app: Application) -> None:
    """Let the run with a hold come to it."""
    job = app.item("job", "alice/letter").id
    end = time.monotonic() + 60
    while str(app.world.code.runs.reader.newest(job, 1)[0].status) != "waiting":
        assert time.monotonic() < end
        time.sleep(0.02)
