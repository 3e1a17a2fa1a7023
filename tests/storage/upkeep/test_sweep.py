"""What is swept, and what is left alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chains.runs.ports import Runs
from chains.runs.records import Order, Result, Run
from chains.runs.retention import RetentionSweep
from chains.runs.states import Event
from storage.database.database import Database
from storage.runs.runs import stored_runs
from storage.signals.change_signal import ChangeSignal
from storage.tree.shortnames import Shortnames
from storage.upkeep.sweep import NAMED, Sweep, Swept
from tests.kit.suites.kernel import StillClock, add_user
from tests.kit.world import StoredWorld
from vfs.access import Via
from vfs.errors import NotFound
from vfs.ports.blobs import Ref

RUN = """
INSERT INTO run (
    job, id, shortname, status, trigger, source, caller, created_on, digest, discarded, lines, spaces)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '')"""
HOUR = 3600.0
DAY = 24 * HOUR


@pytest.fixture(params=["disk", "mem"])
def stored(request: pytest.FixtureRequest, database: Database, tmp_path: Path) -> StoredWorld:
    """A world whose clock begins with the present: drafts are stamped by the file system."""
    files = f"osfs://{tmp_path}/blobs" if request.param == "disk" else "mem://"
    return StoredWorld(database, files, StillClock(datetime.now(UTC)))


@pytest.fixture
def sweep(stored: StoredWorld) -> Sweep:
    return sweeping(stored)


def sweeping(stored: StoredWorld, retention: Callable[[datetime], int] = lambda now: 0) -> Sweep:
    """A sweep for which time goes by as the world's clock tells."""
    clock = stored.clock
    return Sweep(
        stored.database,
        stored.blobs,
        stored.tokens,
        clock,
        retention,
        elapsed=lambda: clock.now().timestamp(),
    )


def is_there(stored: StoredWorld, ref: Ref) -> bool:
    try:
        stored.blobs.open(ref).close()
    except NotFound:
        return False
    return True


def test_bytes_without_a_row_go_after_an_hour(stored: StoredWorld, sweep: Sweep) -> None:
    item = stored.items.create("doc", "alice", "report")
    named, orphan = (stored.blobs.add([word], "image/png") for word in (b"named", b"orphan"))
    stored.leaves.put(item.id, "logo", named, "alice")
    stored.clock.forward(HOUR - 60)
    assert sweep.run() == Swept(0, 0)
    stored.clock.forward(120)
    assert sweep.run() == Swept(1, 0)
    assert is_there(stored, named)
    assert not is_there(stored, orphan)
    stored.items.remove(item)
    assert sweep.run() == Swept(1, 0)
    assert not is_there(stored, named)


def test_bytes_that_were_added_again_are_young(stored: StoredWorld, sweep: Sweep) -> None:
    ref = stored.blobs.add([b"again"], "image/png")
    stored.clock.forward(2 * HOUR)
    stored.blobs.add([b"again"], "image/png")
    assert not stored.blobs.remove(ref.digest, stored.clock.now())
    assert sweep.run() == Swept(0, 0)
    assert is_there(stored, ref)


def test_a_copy_keeps_the_bytes(stored: StoredWorld, sweep: Sweep) -> None:
    item = stored.items.create("doc", "alice", "report")
    ref = stored.blobs.add([b"shared"], "image/png")
    stored.leaves.put(item.id, "logo", ref, "alice")
    stored.items.copy(item, "bob", "mine", ("logo",))
    stored.items.remove(item)
    stored.clock.forward(2 * HOUR)
    assert sweep.run() == Swept(0, 0)


def test_the_output_of_a_run_is_kept(stored: StoredWorld, sweep: Sweep) -> None:
    job = stored.items.create("job", "alice", "nightly")
    ref = stored.blobs.add([b"result"], "text/csv")
    stored.database.run(RUN, job.id, "r1", "short", "success", "api", "", "alice", "2026", ref.digest, False)
    stored.clock.forward(2 * HOUR)
    assert sweep.run() == Swept(0, 0)
    assert is_there(stored, ref)


def test_every_column_of_digests_is_looked_at(stored: StoredWorld) -> None:
    """A table that comes to name blobs belongs into the sweep's list."""
    tables = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
    if stored.database.dialect == "sqlite":
        tables = (
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
        )
    columns = stored.database.rows(tables)
    named = {(table, column) for table, column in columns if column.endswith(("digest", "files"))}
    of_texts = {
        ("token", "digest"),
        ("refresh", "digest"),
        ("recovery_code", "digest"),
        ("leaf", "text_digest"),
        ("leaf_version", "text_digest"),
        ("version_text", "digest"),
        ("mail_sending", "digest"),
        ("invitation_link", "digest"),
        ("job_hook", "digest"),
        ("item_link", "digest"),
    }
    held_while_their_run_goes_on = {("step", "files")}
    assert named - of_texts - held_while_their_run_goes_on == set(NAMED)


def test_more_than_a_batch(stored: StoredWorld, sweep: Sweep) -> None:
    for number in range(250):
        stored.blobs.add([b"%d" % number], "text/plain")
    stored.clock.forward(2 * HOUR)
    assert sweep.run() == Swept(250, 0)
    assert sweep.run() == Swept(0, 0)


def test_what_is_gone_is_not_removed_twice(stored: StoredWorld) -> None:
    ref = stored.blobs.add([b"once"], "text/plain")
    stored.clock.forward(1)
    assert stored.blobs.remove(ref.digest, stored.clock.now())
    assert not stored.blobs.remove(ref.digest, stored.clock.now())


def test_drafts_of_dead_writers_go(database: Database, tmp_path: Path) -> None:
    stored = StoredWorld(database, f"osfs://{tmp_path}/blobs", StillClock(datetime.now(UTC)))
    draft = tmp_path / "blobs" / "drafts" / "0123"
    draft.parent.mkdir()
    draft.write_bytes(b"half")
    sweep = sweeping(stored)
    assert sweep.run() == Swept(0, 0)
    stored.clock.forward(2 * HOUR)
    assert sweep.run() == Swept(0, 1)
    assert not draft.exists()


def run_store_of(stored: StoredWorld) -> Runs:
    """The ports of runs of a world."""
    database = stored.database
    return stored_runs(database, ChangeSignal(), stored.clock, Shortnames(database).fresh, lambda run: None)


def ended(stored: StoredWorld, number: int) -> Run:
    """A run of the job that ends now, with a line and a separate output."""
    run_store, output = run_store_of(stored), stored.blobs.add([b"result %d" % number], "text/csv")
    run = run_store.queue.submit(Order(1, f"20261121-074416-{number:08}", "api", "curl", "bob", None, None))
    run_store.states.event(
        run.key, Event.SUCCEED, Result(output, "birds.csv"), lines=[("2026", "info", "a line")]
    )
    found = run_store.reader.by_key(run.key)
    assert found is not None
    return found


def test_logs_and_outputs_go_after_their_days_with_their_bytes(stored: StoredWorld) -> None:
    run_store = run_store_of(stored)
    sweep = sweeping(stored, RetentionSweep(run_store.retention, 30).sweep)
    old = ended(stored, 1)
    stored.clock.forward(DAY)
    young = ended(stored, 2)
    stored.clock.forward(29 * DAY + HOUR)
    assert sweep.run() == Swept(1, 0, 1)
    assert [list(run_store.reader.lines(old.key)), len(run_store.reader.lines(young.key))] == [[], 1]
    assert old.output is not None
    assert young.output is not None
    assert (is_there(stored, old.output), is_there(stored, young.output)) == (False, True)
    assert stored.database.row("SELECT count(*) FROM run_line") == (1,)
    assert sweep.run() == Swept(0, 0)


def test_a_backlog_goes_by_two_days_a_sweep(stored: StoredWorld) -> None:
    sweep = sweeping(stored, RetentionSweep(run_store_of(stored).retention, 30).sweep)
    for number in range(6):
        ended(stored, number)
        stored.clock.forward(DAY)
    stored.clock.forward(300 * DAY)
    assert [sweep.run().runs for _ in range(4)] == [2, 2, 2, 0]


@pytest.mark.parametrize("hours", [400 * 24, 1.1, -1.1])
def test_a_clock_that_was_set_lets_nothing_go(
    stored: StoredWorld, hours: float, caplog: pytest.LogCaptureFixture
) -> None:
    clock, went = stored.clock, [0.0]
    run_store = run_store_of(stored)
    sweep = Sweep(
        stored.database,
        stored.blobs,
        stored.tokens,
        clock,
        RetentionSweep(run_store.retention, 0).sweep,
        elapsed=lambda: went[0],
    )
    run = ended(stored, 1)
    orphan = stored.blobs.add([b"on its way to a row"], "image/png")
    went[0] += 2 * HOUR
    clock.forward(2 * HOUR + hours * HOUR)
    assert sweep.run() == Swept(0, 0)
    assert "the clock was set by" in caplog.text
    assert len(run_store.reader.lines(run.key)) == 1
    assert is_there(stored, orphan)
    went[0] += HOUR
    clock.forward(HOUR + 600)
    assert sweep.run() == Swept(2, 0, 1)


def test_credentials_of_runs_and_old_activity_go(stored: StoredWorld, sweep: Sweep) -> None:
    add_user(stored, "alice")
    mine = stored.tokens.mint("alice", "cli", "d1")
    run = stored.tokens.mint("alice", "run", "d2", via=Via.RUN, run=1)
    stored.tokens.record_uses([(mine.id, f"{number:04}", "GET /") for number in range(1003)])
    stored.tokens.record_uses([(run.id, "2026", "GET /")])
    stored.tokens.revoke(mine.id)
    stored.tokens.revoke_run(1)
    stored.clock.forward(29 * DAY)
    sweep.run()
    assert stored.database.row("SELECT count(*) FROM token_use") == (1001,)
    assert stored.tokens.by_digest("d2") is not None
    stored.clock.forward(2 * DAY)
    sweep.run()
    assert stored.tokens.by_digest("d2") is None
    assert stored.tokens.by_digest("d1") is not None
    assert stored.database.row("SELECT count(*) FROM token_use") == (1000,)
