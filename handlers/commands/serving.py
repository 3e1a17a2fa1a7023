"""`curlew serve`, and the processes of the service that it starts, on one host or on several."""

from __future__ import annotations

import _thread
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, NoReturn

import click

from handlers.commands.child_processes import (
    ONCE,
    PROGRESS,
    ChildProcesses,
    set_up_process,
    tell_progress,
    tell_ready,
    tell_setup,
    tell_users,
)
from handlers.commands.options import (
    FAILED,
    LIBRARY,
    MISUSED,
    become,
    drop_groups,
    leave,
    may_make_data,
    require,
)
from handlers.rules.hosts import loopback
from handlers.server.processes import READY, Supervisor
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import load_with_sources
from vfs.errors import NotFound, TooLarge, VfsError

if TYPE_CHECKING:
    from handlers.mail.inbound.sender_proof import MailEnvelope

CHILDREN = ("web", "runner", "render")
"""Processes in the order of stopping: open requests may still run code and need pictures."""
WATCHING = ("metrics",)
"""Processes that run only if the setting `metrics` has an address."""
STARTS_WITHIN = 120.0
TEMPORARY = 75
WILDCARDS = ("", "0.0.0.0", "::")
PIPE_CODES: dict[type[VfsError], int] = {TooLarge: 65, NotFound: 67}
"""Exit codes for mail servers, from sysexits.h; all other errors should be retried."""
BIND = click.option("--bind", metavar="HOST:PORT", help="Address to listen on (default 127.0.0.1:8000).")


@click.command()
@BIND
@may_make_data
def serve(settings: Settings, bind: str | None) -> None:
    """Run web, runner and render together until SIGTERM or Ctrl-C."""
    from handlers.processes.database import make_data_folder
    from handlers.processes.listening import require_port

    require_port(settings)
    make_data_folder(settings.folder)
    is_new = not any(settings.folder.iterdir())
    show_progress(
        f"starting in {settings.folder}"
        + (", which is new: the first start takes longer than the next" if is_new else "")
    )
    run_together(settings, (*CHILDREN, *WATCHING) if settings.metrics else CHILDREN)


def run_together(settings: Settings, names: Sequence[str]) -> NoReturn:
    """Run processes of the service until SIGTERM or Ctrl-C, then exit; say when they are ready."""
    children = ChildProcesses(settings, show_progress)
    call_at_stop(children.stop)
    children.start(names)
    if children.await_ready(STARTS_WITHIN):
        click.echo(greeting(settings, children.users, children.setup_key))
        sys.stdout.flush()
    sys.exit(children.await_end())


@click.command()
@BIND
@may_make_data
def web(settings: Settings, bind: str | None) -> None:
    """Run only the web server."""
    from handlers.processes.listening import listens_already, require_port
    from handlers.processes.web import WebService, limits_of
    from handlers.server.limits import within_files
    from handlers.server.server import Server, ServerOptions

    become(settings.folder)
    limits = within_files(limits_of(settings))
    if limits.connections < settings.connections:
        click.echo(
            f"curlew: {limits.connections:,} connections, not {settings.connections:,}: see /readyz", err=True
        )
    if not listens_already(settings):
        require_port(settings)
    set_up_process()
    if PROGRESS in os.environ:
        count_users(settings)
    service = WebService(settings)
    options = ServerOptions(
        bind=settings.bind,
        workers=settings.workers,
        threads=settings.threads,
        graceful=settings.graceful_timeout,
        limits=limits,
        started=lambda addresses: tell_ready("web"),
        worker_begins=service.begin,
        worker_ends=service.close,
        watch=service.watch,
        count_refusal=service.count_refusal,
        once=ONCE,
    )
    Server(service.load, options).run()


@click.command()
@may_make_data
def runner(settings: Settings) -> None:
    """Run only the runner, which claims runs and builds, and owns Podman."""
    stop = stop_event()
    set_up_process()
    drop_groups()

    def work() -> None:
        from handlers.processes.runner import run

        run(settings, stop, teller("runner"), tell_progress)

    attempt(work)


@click.command()
@may_make_data
def render(settings: Settings) -> None:
    """Run only the rendering service, which draws plots and grids in confined processes."""
    from handlers.processes.render import run

    stop = stop_event()
    become(settings.folder)
    set_up_process()
    run(settings, stop, teller("render"))


@click.command()
@may_make_data
def metrics(settings: Settings) -> None:
    """Serve metrics, without names or paths, to Prometheus at the address in the setting `metrics`."""
    if not settings.metrics:
        leave('no address is set for metrics: write metrics = "127.0.0.1:9464" in the settings', MISUSED)
    from handlers.processes.watching.figures import run

    stop = stop_event()
    become(settings.folder)
    set_up_process()
    run(settings, stop, teller("metrics"))


@click.command("mail-in")
@click.option("--data", metavar="DIR", help="The server's data folder (default ./var, or CURLEW_DATA).")
@click.option("--config", metavar="FILE", help="The settings (default curlew.toml in the data folder).")
@click.option(
    "--recipient", "recipients", multiple=True, envvar="RECIPIENT", help="A recipient of the envelope."
)
@click.option("--sender", default="", envvar="SENDER", help="The sender of the envelope.")
@click.option("--client", default="", envvar="CLIENT_ADDRESS", help="The address of the server it came from.")
@click.option("--hello", default="", envvar="CLIENT_HELO", help="The name in the HELO of that server.")
def mail_in(
    data: str | None, config: str | None, recipients: tuple[str, ...], sender: str, client: str, hello: str
) -> None:
    """Accept mails to groups: listen for them, or read one from a file or a pipe on standard input.

    With a pipe, the exit code is one of sysexits: 65, the mail is too large; 67, nobody has such an address
    here; 75, it cannot be accepted now: try again later.
    """
    from handlers.mail.inbound.sender_proof import MailEnvelope

    is_pipe = stat.S_ISFIFO(mode := os.fstat(0).st_mode) or stat.S_ISREG(mode)
    try:
        settings = load_with_sources(os.environ, data=data, config=config, bind=None).settings
        if is_pipe:
            take_pipe(settings, MailEnvelope(client, hello, sender, recipients))
        else:
            listen_for_mails(settings)
    except SettingsError as error:
        leave(str(error), TEMPORARY if is_pipe else MISUSED)
    except VfsError as error:
        leave(error.detail, PIPE_CODES.get(type(error), TEMPORARY) if is_pipe else FAILED)


def take_pipe(settings: Settings, envelope: MailEnvelope) -> None:
    """Accept the mail on standard input. Raises VfsError."""
    from handlers.mail.inbound.message_parts import MOST_BYTES
    from handlers.processes.mail_in import take_message

    require(settings)
    become(settings.folder)
    take_message(settings, envelope, sys.stdin.buffer.read(MOST_BYTES + 1))


def listen_for_mails(settings: Settings) -> None:
    """Accept mails until SIGTERM; do nothing if groups have no addresses."""
    from handlers.processes.mail_in import listen

    if not settings.mail_domain:
        click.echo("curlew: no group has a mail address: set mail_domain", err=True)
        # Report readiness, because systemd treats the exit of a service that was never ready as a failure.
        Supervisor().tell(READY)
        return
    stop = stop_event()
    become(settings.folder)
    set_up_process()
    listen(settings, stop, teller("mail-in"))


@click.command()
@click.option("--copy", "copies", is_flag=True, help="Copy the database before its schema changes.")
@may_make_data
def migrate(settings: Settings, copies: bool) -> None:
    """Bring the database's schema up to date."""
    from handlers.processes.database import migrate

    become(settings.folder)
    if copy := migrate(settings, copies=copies):
        click.echo(f"the database before the migration is in {copy}", err=True)
    click.echo(f"the schema of {settings.database.split('@')[-1]} is up to date", err=True)


def show_progress(sentence: str) -> None:
    """Print progress on stderr; standard output is for the greeting."""
    click.echo(f"curlew: {sentence}", err=True)


def count_users(settings: Settings) -> None:
    """Report the number of users to `curlew serve`, and close the database before any fork.

    If there are none, report the key for the creation of the first account, too.
    """
    from handlers.processes.world import open_world
    from handlers.trees.account.first_account import renew_key

    with open_world(settings) as world:
        tell_users(number := len(world.people.users.all()))
        if not number and setup_origin(settings) and (key := renew_key(world)):
            tell_setup(key)


def teller(name: str) -> Callable[[], None]:
    """Return the function that reports to `curlew serve` and systemd that a service is ready."""
    supervisor = Supervisor.kept_from_children()

    def tell() -> None:
        tell_ready(name)
        supervisor.tell(READY)

    return tell


def stop_event() -> threading.Event:
    """Return an event that SIGTERM and Ctrl-C set."""
    stop = threading.Event()
    call_at_stop(stop.set)
    return stop


def call_at_stop(stop: Callable[[], None]) -> None:
    """Call a function at SIGTERM and Ctrl-C, in a new thread.

    A handler interrupts the main thread, which may hold a lock that the function takes, such as that of an
    event. `Thread.start` takes locks, too.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: _thread.start_new_thread(stop, ()))


def setup_origin(settings: Settings) -> str:
    """Return the origin at which a browser creates the first account; "" if no allowed browser reaches it."""
    host, port = settings.address
    if host in WILDCARDS:
        host = "127.0.0.1"
    authority = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    if settings.setup_from == "anywhere":
        return settings.base_url or authority
    is_near = loopback(host) and not settings.base_url and not settings.proxies
    return authority if is_near and settings.setup_from == "local" else ""


def greeting(settings: Settings, users: int | None, setup_key: str = "") -> str:
    """Return the lines for a ready service: addresses, data folder, and how to create the first user.

    `users` is their number, None if unknown; if there are users, the last part is left out. With the
    `setup_key`, a browser creates the first one.
    """
    origin = settings.base_url or f"http://{settings.bind}"
    lines = [
        f"curlew {version('curlew')} ready",
        f"  API   {origin}/v1",
        f"  Web   {origin}/",
        f"  Docs  {origin}/docs",
        f"  Data  {settings.folder}",
        "  Stop  Ctrl-C",
    ]
    if not users:
        lines.append(f"A first user and token:  curlew user add NAME --token laptop --data {settings.data}")
    if setup_key:
        where = "" if settings.setup_from == "anywhere" else " on this machine"
        lines += [
            f"Or make the first account, once, within 30 minutes, in a browser{where}:",
            f"  {setup_origin(settings)}/setup?key={setup_key}",
        ]
    return "\n".join(lines)


@click.command()
@may_make_data
def worker(settings: Settings) -> None:
    """Run steps on this host for a runner on another host, in a separate Podman."""
    stop = stop_event()
    set_up_process()
    drop_groups()

    def work() -> None:
        from handlers.processes.hosting.dask_hosts import run_worker

        leaving, ready = Supervisor().tell_stopping, teller("worker")
        run_worker(settings, stop, ready, leaving, tell_progress)

    attempt(work)


@click.command()
@may_make_data
def scheduler(settings: Settings) -> None:
    """Run the scheduler between runner and workers, with the settings that steps need."""
    stop = stop_event()
    set_up_process()

    def work() -> None:
        from handlers.processes.hosting.dask_hosts import run_scheduler

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
