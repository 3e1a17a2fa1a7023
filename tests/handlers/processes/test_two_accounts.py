"""The web's account lays traps for the root that works in its data folder, and gains nothing by them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handlers.processes.runner import run
from handlers.processes.world import LiveWorld, build
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import load
from storage.git.command import kill
from tests.kit.accounts import SOMEBODY, TwoAccounts, two_accounts
from tests.kit.git import commit
from vfs.errors import Unavailable
from vfs.ports.blobs import chunks

pytestmark = pytest.mark.podman  # root's

BLOB = b"what a run left"
RENDER = "ab12"
INPUT = "in-0123456789abcdef0123456789abcdef"
# Where root works in the data folder; `treasure` is a file of root's, `vault` a folder.
TRAPS = [
    *(("seen", "treasure"), (".scheduler", "treasure"), (".runner", "treasure"), ("runs/.home", "treasure")),
    ("reserve", "treasure"),
    *(("curlew.db", "treasure"), ("curlew.db-wal", "treasure"), ("curlew.db-shm", "treasure")),
    *(("key", "treasure"), ("curlew.db-journal", "treasure"), ("signals/1-2.signal", "treasure")),
    ("commits", "treasure"),
    *(("signals", "vault"), ("blobs", "vault"), ("blobs/drafts", "vault"), ("outbox", "vault")),
    *(
        ("repos", "vault"),
        ("repos/hooks", "vault"),
        ("repos/gitconfig", "treasure"),
        ("repos/1.git", "vault"),
    ),
    *(("runs", "vault"), (f"runs/{INPUT}", "vault"), ("runs/run-1", "vault"), ("runs/.noted", "vault")),
    *(("renders", "vault"), ("renders/ab", "vault"), (f"renders/ab/{RENDER}.json", "treasure")),
    *(("podman", "vault"), ("scratch", "vault"), (f"runs/{INPUT}/file", "treasure")),
]


@pytest.fixture
def accounts() -> Iterator[TwoAccounts]:
    with two_accounts() as accounts:
        yield accounts


def settings_of(accounts: TwoAccounts) -> Settings:
    return Settings(data=str(accounts.data), runner_folder=str(accounts.own))


def work(live_world: LiveWorld) -> None:
    """Do the work of a runner in the data folder."""
    world = live_world.world
    acts = (
        lambda: live_world.change_signal.ticket("topic"),
        lambda: live_world.change_signal.signal("topic"),
        lambda: world.blobs.add([BLOB], "text/plain"),
        lambda: world.service.post.send("a@example.org", "subject", "text"),
        world.code.folders.home,
        lambda: world.code.folders.take(1, INPUT),
        lambda: world.code.folders.sweep(lambda: (set(), set())),
        lambda: world.code.folders.clear(1, INPUT),
        lambda: world.code.folders.notes.take(INPUT, world.code.folders.path(INPUT)),
        lambda: world.code.repositories.create(1),
        lambda: world.code.repositories.remove(1),
        lambda: world.visuals.kept.get(RENDER),
        lambda: world.visuals.kept.put(RENDER, BLOB, "text/plain", ()),
        world.people.users.all,
        live_world.lead.mine,
        live_world.reserve.make,
        live_world.reserve.room,
        live_world.sweep.run,
        world.clock.now,
    )
    for act in acts:
        with suppress(Exception):
            act()


@pytest.mark.parametrize("rel, target", TRAPS, ids=[rel for rel, _ in TRAPS])
def test_a_link_leads_root_nowhere(accounts: TwoAccounts, rel: str, target: str) -> None:
    accounts.plant(rel, getattr(accounts, target))
    kept = accounts.kept()
    live_world = None
    with suppress(Exception):
        live_world = build(settings_of(accounts))
    if live_world is not None:
        work(live_world)
        live_world.close()
    assert accounts.kept() == kept
    made = [path for path in accounts.data.rglob("*") if path.lstat().st_uid == 0]
    assert made == []


def test_links_that_come_between_a_check_and_an_action_lead_nowhere(accounts: TwoAccounts) -> None:
    live_world = build(settings_of(accounts))
    kept, over = accounts.kept(), threading.Event()

    def swap() -> None:
        while not over.is_set():
            for name, target in (
                ("signals", accounts.vault),
                ("outbox", accounts.vault),
                ("seen", accounts.treasure),
            ):
                place, aside = accounts.data / name, accounts.data / f"{name}-aside"
                with suppress(OSError):
                    if place.exists() and not place.is_symlink():
                        place.rename(aside)
                    place.unlink(missing_ok=True)
                    place.symlink_to(target)
                    place.unlink()
                    aside.rename(place)

    attacker = threading.Thread(target=swap)
    attacker.start()
    try:
        for _ in range(30):
            work(live_world)
    finally:
        over.set()
        attacker.join()
        live_world.close()
    assert accounts.kept() == kept


def test_root_can_work_in_a_folder_without_traps(accounts: TwoAccounts) -> None:
    live_world = build(settings_of(accounts))
    world = live_world.world
    ref = world.blobs.add([BLOB], "text/plain")
    with world.blobs.open(ref) as stored:
        assert b"".join(chunks(stored)) == BLOB
    world.service.post.send("a@example.org", "subject", "text")
    with world.visuals.kept.put(RENDER, BLOB, "text/plain", ()).open() as render:
        assert render.read() == BLOB
    world.code.repositories.create(1)
    sha = commit(world.code.repositories.path(1), {"main.py": "print()"})
    assert world.code.repositories.export(1, sha, accounts.own) == []
    assert (accounts.own / "main.py").stat().st_uid == 0
    assert world.clock.now() > datetime(2020, 1, 1, tzinfo=UTC)
    live_world.close()
    owners = {path.lstat().st_uid for path in accounts.data.rglob("*") if ".git/" not in f"{path}/"}
    assert owners == {SOMEBODY}


def test_git_runs_as_the_account_of_the_repositories(accounts: TwoAccounts) -> None:
    live_world = build(settings_of(accounts))
    repositories = live_world.world.code.repositories
    repositories.create(1)
    process = repositories.git.start(repositories.path(1), "cat-file", "--batch", stdin=-1)
    status = Path(f"/proc/{process.pid}/status").read_text()
    kill(process)
    assert process.stdin is not None
    process.stdin.close()
    live_world.close()
    ids = {line.split(":")[0]: line.split()[1:] for line in status.splitlines() if line}
    assert (set(ids["Uid"]), set(ids["Gid"]), ids["Groups"]) == ({str(SOMEBODY)}, {str(SOMEBODY)}, [])


def test_a_repository_makes_git_run_no_program(accounts: TwoAccounts) -> None:
    live_world = build(settings_of(accounts))
    repositories = live_world.world.code.repositories
    repositories.create(1)
    sha = commit(repositories.path(1), {"main.py": "print()"})
    shout = accounts.place / "shout"
    shout.mkdir()
    shout.chmod(0o777)
    program = accounts.place / "program"
    program.write_text(f"#!/bin/sh\nid -u > {shout}/$$\n")
    program.chmod(0o755)
    (repositories.path(1) / "config").write_text(
        "[core]\nrepositoryformatversion = 1\nbare = true\n"
        f"fsmonitor = {program}\npager = {program}\nsshCommand = {program}\n"
        f'alternateRefsCommand = {program}\n[protocol "ext"]\nallow = always\n[extensions]\n'
        f'partialClone = far\n[remote "far"]\nurl = ext::{program}\npromisor = true\n'
    )
    for blob in (repositories.path(1) / "objects").glob("??/*"):
        if blob.stat().st_size < 40:
            blob.unlink()
    with suppress(Exception):
        repositories.export(1, sha, accounts.own)
    live_world.close()
    assert list(shout.iterdir()) == []


def test_root_obeys_no_settings_that_others_can_write(accounts: TwoAccounts) -> None:
    his = accounts.write("curlew.toml", "slots = 9\n")
    with pytest.raises(SettingsError, match=f"{his} can be changed by accounts other than root"):
        load({}, data=str(accounts.data))
    his.unlink()
    root_s = accounts.own / "curlew.toml"
    root_s.write_text("slots = 7\n")
    accounts.plant("curlew.toml", root_s)
    with pytest.raises(SettingsError, match="chown root:root"):
        load({}, data=str(accounts.data))
    assert load({}, data=str(accounts.data), config=str(root_s)).slots == 7
    root_s.chmod(0o666)
    with pytest.raises(SettingsError, match="others may write"):
        load({"CURLEW_CONFIG": str(root_s)}, data=str(accounts.data))


def test_root_s_runner_keeps_no_files_where_others_write(accounts: TwoAccounts) -> None:
    for place in ("", str(accounts.data / "runner")):
        settings = Settings(data=str(accounts.data), runner_folder=place)
        with pytest.raises(Unavailable, match="runner_folder"):
            run(settings, threading.Event(), lambda: None)
    assert list(accounts.data.iterdir()) == []


def test_one_account_needs_no_second_folder(accounts: TwoAccounts) -> None:
    os.chown(accounts.data, 0, 0)
    stop = threading.Event()
    stop.set()
    run(Settings(data=str(accounts.data)), stop, lambda: None)
    assert [path.name for path in accounts.data.iterdir()] == [".runner"]
