"""`curlew worker` and `curlew scheduler`: steps on several hosts."""

from __future__ import annotations

from collections.abc import Callable

import click

from handlers.commands.child_processes import set_up_process, tell_progress
from handlers.commands.options import FAILED, drop_groups, leave, may_make_data
from handlers.commands.serving import stop_event, teller
from handlers.processes.hosting.dask_check import LIBRARY
from handlers.server.processes import Supervisor
from handlers.settings.settings import Settings


@click.command()
@may_make_data
def worker(settings: Settings) -> None:
    """Run steps on this host that a runner elsewhere orders, in a Podman of the worker's own."""
    stop = stop_event()
    set_up_process()
    drop_groups()

    def work() -> None:
        from handlers.processes.hosting.worker import run_worker

        leaving, ready = Supervisor().tell_stopping, teller("worker")
        run_worker(settings, stop, ready, leaving, tell_progress)

    attempt(work)


@click.command()
@may_make_data
def scheduler(settings: Settings) -> None:
    """Run the scheduler between runner and workers, under the settings that steps depend on."""
    stop = stop_event()
    set_up_process()

    def work() -> None:
        from handlers.processes.hosting.worker import run_scheduler

        run_scheduler(settings, stop, teller("scheduler"))

    attempt(work)


def attempt(work: Callable[[], None]) -> None:
    """Run a service; an error is one line on stderr and an exit code."""
    from chains.engine.port import EngineError

    try:
        work()
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        leave(LIBRARY, FAILED)
    except EngineError as error:
        leave(f"{error}; see  curlew doctor", FAILED)
