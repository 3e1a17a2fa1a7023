"""`curlew doctor`: checks everything that the service needs, and gives advice on faults."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version

import click

from chains.buildbox.doctor import build_checks, versions
from chains.files.folder_lock import try_lock
from chains.host.doctor import DoctorCheck, check_host, observe_host
from chains.host.host_limits import host_limits
from chains.runs.records import Worker
from handlers.commands.options import FAILED, drop_groups, may_make_data, require
from handlers.settings.settings import Settings
from vfs.errors import VfsError

PYTHON = (3, 11)
ROOM = 1 << 30
RUNNER_ADVICE = "see the runner's log, and the lines below; it tries again every few seconds"
PROVIDER_ADVICE = "correct oidc_issuer, or the provider; nobody can sign in there until this works"
UNLEASED = DoctorCheck(
    "runner",
    False,
    "a runner has the lock of this folder, but has not reported in the database",
    "wait while it starts; else see its log, and restart it",
)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of lines.")
@may_make_data
def doctor(settings: Settings, as_json: bool) -> None:
    """Check Python, database, disk, git, mail, drawing and Podman, without disturbing a running runner.

    The exit code is 1 if something is wrong.
    """
    require(settings)
    drop_groups()
    checks = []
    for check in _all(settings):
        checks.append(check)
        if not as_json:
            click.echo(_line(check))
    if as_json:
        rows = [asdict(check) for check in checks]
        click.echo(json.dumps(rows, indent=2))
    sys.exit(0 if all(check.ok for check in checks) else FAILED)


def _line(check: DoctorCheck) -> str:
    word = "FAIL" if not check.ok else "WARN" if check.warning else "ok"
    said = f"{word:<4} {check.name:<11} {check.detail}"
    return f"{said}\n     {'':<11} do: {check.advice}" if word != "ok" else said


def _all(settings: Settings) -> Iterator[DoctorCheck]:
    from handlers.commands.doctor_checks import check_mails, check_renders, check_scheduler, check_shared

    yield DoctorCheck("curlew", True, version("curlew"))
    yield DoctorCheck(
        "python", sys.version_info >= PYTHON, platform.python_version(), "install Python 3.11 or newer"
    )
    database, workers = _database(settings)
    yield database
    yield _disk(settings)
    yield from _limits(settings)
    yield from check_shared(settings)
    yield _git()
    yield from check_mails(settings)
    yield from check_provider(settings)
    yield from check_renders(settings)
    yield from _containers(settings, workers)
    if settings.has_dask:
        yield check_scheduler(settings)


def check_provider(settings: Settings) -> Iterator[DoctorCheck]:
    """Fetch the document and the keys of the provider, if one is set."""
    if not settings.oidc_issuer:
        return
    from handlers.oidc.provider import Provider

    provider = Provider(settings)
    try:
        known = len(provider.keys(None))
    except VfsError as error:
        yield DoctorCheck("sign-in", False, error.detail, PROVIDER_ADVICE)
        return
    detail = f"{provider.issuer} answers, with {known} {'key' if known == 1 else 'keys'}"
    advice = "set base_url: the provider leads people back to <base_url>/oidc/callback"
    yield DoctorCheck("sign-in", True, detail, advice, not settings.base_url)


def _containers(settings: Settings, workers: Sequence[Worker]) -> Iterator[DoctorCheck]:
    """Check Podman: with a test if no runner runs here, else by its state.

    During the test, the lock lets a starting runner wait, as another runner would.
    """
    from handlers.commands.doctor_checks import check_registry
    from handlers.processes.hosting.podman_host import host_of, require_own_folder

    try:
        require_own_folder(settings.runner_home)
        with try_lock(settings.runner_home) as free:
            if not free:
                yield from map(_worker, workers) if workers else [UNLEASED]
                working = host_of(settings)
                yield from observe_host(working)
                if proven := working.runtimes.proven:
                    yield from versions(working.program, proven)
                yield from check_registry(settings, working)
                return
            yield DoctorCheck(
                "runner", True, f"none runs in {settings.runner_home}; Podman is tested without it"
            )
            host = host_of(settings)
            try:
                yield from check_host(host)
                if chosen := host.runtimes.chosen:
                    yield from build_checks(host.program, chosen, host.folders.state / "doctor")
                yield from check_registry(settings, host)
            finally:
                host.stop()
    except VfsError as error:
        yield from map(_worker, workers)
        yield DoctorCheck("containers", bool(workers), error.detail, "run it as the account of the runner")


def _worker(worker: Worker) -> DoctorCheck:
    """Report a runner by its last entry in the run store."""
    if worker.trouble is None:
        return DoctorCheck("runner", True, f"{worker.name} works, and Podman answers it")
    detail = f"{worker.name} starts no steps since {worker.since}: {worker.trouble}"
    return DoctorCheck("runner", False, detail, RUNNER_ADVICE)


def _database(settings: Settings) -> tuple[DoctorCheck, Sequence[Worker]]:
    from handlers.processes.world import open_world

    advice = "correct CURLEW_DATABASE_URL, start the database, or make the data folder writable"
    try:
        with open_world(settings) as world:
            count, workers = len(world.people.users.all()), world.code.runs.leases.workers()
    except (VfsError, OSError) as error:
        return DoctorCheck("database", False, str(error), advice), ()
    kind = settings.database.split(":", 1)[0]
    return DoctorCheck("database", True, f"{kind}, {count} users"), workers


def _disk(settings: Settings) -> DoctorCheck:
    free = shutil.disk_usage(settings.folder).free
    return DoctorCheck(
        "disk",
        free > ROOM,
        f"{free >> 30} GiB free below {settings.folder}",
        "make room, or choose another --data",
    )


def _limits(settings: Settings) -> Iterator[DoctorCheck]:
    """Name each limit of the machine that is nearly reached."""
    found = host_limits(settings.folder)
    for limit in found:
        if limit.is_near:
            yield DoctorCheck("limits", True, f"{limit} are in use", limit.advice, warning=True)
    if not any(limit.is_near for limit in found):
        fullest = max(found, key=lambda limit: limit.part)
        yield DoctorCheck("limits", True, f"{fullest} are in use, and less of the {len(found) - 1} others")


def _git() -> DoctorCheck:
    advice = "apt-get install git"
    try:
        said = subprocess.run(
            ["git", "--version"], capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        return DoctorCheck("git", False, str(error), advice)
    return DoctorCheck("git", True, said)
