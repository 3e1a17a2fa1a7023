"""What rows of runs want of a backup: folders of one host, or the manifests that hosts share."""

from __future__ import annotations

from storage.backup.backup_catalog import BackupCatalog
from storage.backup.rows import wants_of
from storage.runs.rows import ITSELF

RUN = ["key", "status", "worker", "input", "expired_on", "files"]
STEP = ["run", "name", "replica", "status", "files"]
FOLDER = "in-" + "0" * 32
ONE, OTHER, AT_WORK = ("1" * 64, "2" * 64, "3" * 64)


def test_manifests_are_wanted_in_the_place_of_folders() -> None:
    catalog = BackupCatalog([])
    see_run, see_step = wants_of(catalog, "run", RUN), wants_of(catalog, "step", STEP)
    see_run([1, "processing", None, FOLDER, None, None])
    see_run([2, "waiting", None, FOLDER, None, ONE])
    see_run([3, "processing", "a runner", FOLDER, None, AT_WORK])  # lost with its runner; its list is named
    for run in (1, 2, 3):
        see_step([run, "first", ITSELF, "success", OTHER if run == 2 else None])
        see_step([run, "last", ITSELF, "pending", None])
    assert list(catalog.runs()) == [(1, FOLDER, ["first"]), (2, None, [])]
    assert catalog.manifests() == [ONE, OTHER]
    assert list(catalog.blobs()) == [ONE, AT_WORK]
    catalog.close()


def test_outputs_of_runs_that_did_not_succeed_are_wanted_as_long_as_their_logs() -> None:
    catalog = BackupCatalog([])
    see_run, see_step = wants_of(catalog, "run", RUN), wants_of(catalog, "step", STEP)
    for key, status, expired, files in (
        (1, "failed", None, ONE), (2, "success", None, OTHER), (3, "failed", "2026", OTHER),
    ):  # fmt: skip
        see_run([key, status, None, FOLDER, expired, None])
        see_step([key, "first", ITSELF, "success", files])
    assert (list(catalog.runs()), catalog.manifests()) == ([], [ONE])
    catalog.close()


def test_an_older_schema_has_folders_alone() -> None:
    catalog = BackupCatalog([])
    wants_of(catalog, "run", RUN[:-1])([1, "processing", None, FOLDER, None])
    wants_of(catalog, "step", STEP[:-1])([1, "first", ITSELF, "success"])
    assert list(catalog.runs()) == [(1, FOLDER, ["first"])]
    assert catalog.manifests() == []
    catalog.close()
