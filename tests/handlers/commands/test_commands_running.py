"""`curlew key rotate` and `curlew run`, beside a running service."""

from __future__ import annotations

import json
import time
from pathlib import Path

from chains.runs.records import Order
from storage.bytes.seal import read_keys, write_keys
from tests.handlers.commands.backups.scene import WAITING, Hand, populate, settings_of, web
from tests.kit.commands import curlew, done
from tests.kit.service import open_service

HOOK_SECRET = "hooks/shop/secret"


def test_secrets_are_sealed_again_while_the_service_runs(url: str | None, tmp_path: Path) -> None:
    with open_service(settings_of(tmp_path, url)) as app:
        populate(app)
        job, seal = app.item("job", "alice/letter").id, app.world.service.seal
        before, mark = app.world.leaves.get(job, "config/env/SECRET"), seal.mark("x")
        old = read_keys(tmp_path / "key")
        assert before is not None
        Hand(app, "alice").do("PUT", "code/jobs/letter/config/env/EMPTY")
        Hand(app, "alice").do("PUT", "code/jobs/letter/hooks/shop")
        sealed = app.world.leaves.get(job, HOOK_SECRET)
        result = done("key", "rotate", "--data", tmp_path, url=url)
        assert "2 secrets are sealed under it" in result.stdout
        secret = app.world.leaves.get(job, HOOK_SECRET)
        assert sealed is not None and secret is not None and sealed.text != secret.text
        assert seal.open(str(secret.text), f"{job}/{HOOK_SECRET}").startswith("whsec_")
        after = app.world.leaves.get(job, "config/env/SECRET")
        assert after is not None
        assert after.text != before.text
        assert seal.open(str(after.text), f"{job}/config/env/SECRET") == "a secret"
        assert seal.open(str(before.text), f"{job}/config/env/SECRET") == "a secret"
        assert seal.is_mark_of(mark, "x")
        assert len(read_keys(tmp_path / "key")) == 2
        assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
        Hand(app, "alice").do("PUT", "code/jobs/letter/config/env/OTHER", b"other")
        other = app.world.leaves.get(job, "config/env/OTHER")
        assert other is not None
        assert str(other.text).split(".")[1] == str(after.text).split(".")[1]

        app.world.leaves.put(job, "config/env/OLD", before.text, "alice")
        assert "OLD of the item" in curlew("key", "rotate", "--drop-old", "--data", tmp_path, url=url).stderr
        app.world.leaves.clear(job, "config/env/OLD")
        assert "1 older keys" in done("key", "rotate", "--drop-old", "--data", tmp_path, url=url).stdout
        assert len(read_keys(tmp_path / "key")) == 1
        assert not seal.is_mark_of(mark, "x")
        assert seal.open(str(after.text), f"{job}/config/env/SECRET") == "a secret"

        write_keys(tmp_path / "key", old)
        lost = curlew("key", "rotate", "--data", tmp_path, url=url)
        assert lost.exit_code == 1
        assert f"no key of the file opens config/env/SECRET of the item {job}" in lost.stderr
        (tmp_path / "key").write_text("nonsense")
        assert seal.mark("y")


def test_runs_are_listed_and_canceled(tmp_path: Path) -> None:
    with open_service(settings_of(tmp_path, None)) as app:
        populate(app)
        alice = Hand(app, "alice")
        (row,) = json.loads(done("run", "list", "--json", "--data", tmp_path).stdout)
        assert (row["state"], row["by"], row["trigger"]) == ("waiting", "alice", "api")
        assert row["run"].startswith("@alice/letter/")
        assert row["run"] in done("run", "list", "--data", tmp_path).stdout
        assert curlew("run", "cancel", "@alice/letter/none", "--data", tmp_path).exit_code == 1
        assert "declined" in done("run", "cancel", row["run"], "--data", tmp_path).stdout
        id, until = row["run"].rpartition("/")[2], time.monotonic() + 60
        while alice.do("GET", f"{WAITING}/{id}/status") != b"canceled":
            assert time.monotonic() < until
            time.sleep(0.05)
        assert b"canceled by an operator" in alice.do("GET", f"{WAITING}/{id}/log")
        assert json.loads(done("run", "list", "--json", "--data", tmp_path).stdout) == []
        assert "has ended" in curlew("run", "cancel", row["run"], "--data", tmp_path).stderr
        assert "run.canceled" in (tmp_path / "security.log").read_text()


def test_a_run_that_is_queued_is_canceled_before_it_begins(tmp_path: Path) -> None:
    with open_service(settings_of(tmp_path, None)) as app:
        populate(app)
    with web(settings_of(tmp_path, None)) as app:
        job = app.item("job", "alice/plain").id
        app.world.code.runs.queue.submit(Order(job, "r1", "api", "api", "alice", None, None))
        assert "queued" in done("run", "list", "--data", tmp_path).stdout
        assert "canceling" in done("run", "cancel", "@alice/plain/r1", "--data", tmp_path).stdout
        assert "canceling already" in done("run", "cancel", "@alice/plain/r1", "--data", tmp_path).stdout
