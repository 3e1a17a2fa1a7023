"""`curlew serve`, `web`, `runner`, `render` and `migrate`: the processes of the service."""

from __future__ import annotations

import errno
import signal
import socket
import sys
import threading
from importlib.metadata import version

import click

from handlers.commands.child_processes import ChildProcesses, set_up_process, tell_ready
from handlers.commands.options import FAILED, become, drop_groups, leave, may_make_data
from handlers.settings import Settings
from vfs.errors import Unavailable

CHILDREN = ("web", "runner", "render")
"""In the order in which they are stopped: open requests may still run code, and need pictures."""
STARTS_WITHIN = 120.0
BIND = click.option("--bind", metavar="HOST:PORT", help="Where to listen (default 127.0.0.1:8000).")


@click.command()
@BIND
@may_make_data
def serve(settings: Settings, bind: str | None) -> None:
    """Run web, runner and render together until SIGTERM or Ctrl-C."""
    require_port(settings)
    children = ChildProcesses(settings)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: children.stop())
    children.start(CHILDREN)
    if children.await_ready(STARTS_WITHIN):
        click.echo(greeting(settings))
        sys.stdout.flush()
    sys.exit(children.await_end())


@click.command()
@BIND
@may_make_data
def web(settings: Settings, bind: str | None) -> None:
    """Run the web server alone."""
    from handlers.http.server import Server, ServerOptions
    from handlers.processes.web import application

    become(settings.folder)
    require_port(settings)
    set_up_process()
    options = ServerOptions(
        bind=settings.bind,
        workers=settings.workers,
        threads=settings.threads,
        graceful=settings.graceful_timeout,
        started=lambda addresses: tell_ready("web"),
    )
    Server(lambda: application(settings), options).run()


@click.command()
@may_make_data
def runner(settings: Settings) -> None:
    """Run the runner alone: it claims runs and builds, and owns Podman."""
    from chains.engine.port import EngineError
    from handlers.processes.runner import run

    stop = stop_event()
    set_up_process()
    drop_groups()
    try:
        run(settings, stop, lambda: tell_ready("runner"))
    except EngineError as error:
        leave(f"{error}; see  curlew doctor", FAILED)


@click.command()
@may_make_data
def render(settings: Settings) -> None:
    """Run the rendering service alone: it draws plots and grids in confined processes."""
    from handlers.processes.render import run

    stop = stop_event()
    become(settings.folder)
    set_up_process()
    run(settings, stop, lambda: tell_ready("render"))


@click.command()
@may_make_data
def migrate(settings: Settings) -> None:
    """Bring the database's schema up to date."""
    from handlers.processes.world import open_world

    become(settings.folder)
    with open_world(settings):
        click.echo(f"the schema of {settings.database.split('@')[-1]} is up to date", err=True)


def stop_event() -> threading.Event:
    """An event that SIGTERM and Ctrl-C set."""
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    return stop


def require_port(settings: Settings) -> None:
    """Raise Unavailable unless the web server can listen where it is to, before anything is started."""
    host, port = settings.address
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        why = "another program listens there" if taken else error.strerror
        raise Unavailable(
            f"nothing can listen on {settings.bind}: {why}; --bind HOST:PORT chooses another address"
        ) from error


def greeting(settings: Settings) -> str:
    """The lines printed when the service is ready: addresses, data folder, first command."""
    origin = settings.base_url or f"http://{settings.bind}"
    return (
        f"curlew {version('curlew')} ready\n"
        f"  API   {origin}/v1\n"
        f"  Web   {origin}/\n"
        f"  Data  {settings.folder}\n"
        f"  Stop  Ctrl-C\n"
        f"A first user and token:  curlew user add NAME --token laptop --data {settings.data}"
    )
