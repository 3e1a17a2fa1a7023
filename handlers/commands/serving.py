"""`curlew serve`, `web`, `runner` and `migrate`: the processes of the service."""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib.metadata import version

import click

from handlers.commands.options import FAILED, become, drop_groups, leave, may_make_data
from handlers.settings import Settings
from vfs.errors import Unavailable

READY = "CURLEW_READY_FD"
PARENT = "CURLEW_PARENT_PID"
PR_SET_PDEATHSIG = 1
STARTS_WITHIN = 120.0
BIND = click.option("--bind", metavar="HOST:PORT", help="Where to listen (default 127.0.0.1:8000).")


@click.command()
@BIND
@may_make_data
def serve(settings: Settings, bind: str | None) -> None:
    """Run web and runner together until SIGTERM or Ctrl-C."""
    require_port(settings)
    children = ChildProcesses(settings)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: children.stop())
    children.start(["web", "runner"])
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

    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    set_up_process()
    drop_groups()
    try:
        run(settings, stop, lambda: tell_ready("runner"))
    except EngineError as error:
        leave(f"{error}; see  curlew doctor", FAILED)


@click.command()
@may_make_data
def migrate(settings: Settings) -> None:
    """Bring the database's schema up to date."""
    from handlers.processes.world import open_world

    become(settings.folder)
    with open_world(settings):
        click.echo(f"the schema of {settings.database.split('@')[-1]} is up to date", err=True)


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


def set_up_process() -> None:
    """Set up logging, file mode and end of a process that stays."""
    logging.basicConfig(format="%(levelname)s %(name)s %(message)s", level=logging.WARNING)
    # Steps read inputs and images as users of their own, however strict the operator's mask is; what is
    # private lies in folders that only their owner enters.
    os.umask(0o022)
    end_with_parent()


def end_with_parent() -> None:
    """Have the kernel send SIGTERM when `curlew serve`, which started this process, dies."""
    parent = os.environ.pop(PARENT, None)
    if parent is not None:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != int(parent):
            os.kill(os.getpid(), signal.SIGTERM)


def tell_ready(name: str) -> None:
    """Tell the parent process, when there is one that asked."""
    if READY in os.environ:
        with os.fdopen(int(os.environ[READY]), "w", closefd=False) as pipe:
            pipe.write(f"{name}\n")


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


class ChildProcesses:
    """The child processes of `curlew serve`: started together, stopped in order."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._stopping = threading.Event()
        self._heard, self._say = os.pipe()
        os.set_inheritable(self._say, True)

    def start(self, names: list[str]) -> None:
        """Start each in a group of its own, so that Ctrl-C reaches only the parent."""
        chosen = {
            "CURLEW_DATA": str(self._settings.folder),
            "CURLEW_BIND": self._settings.bind,
            **({"CURLEW_CONFIG": self._settings.config} if self._settings.config else {}),
            READY: str(self._say),
            PARENT: str(os.getpid()),
        }
        for name in names:
            self._children[name] = subprocess.Popen(
                [sys.executable, "-P", "-m", "handlers", name],
                env={**os.environ, **chosen},
                pass_fds=(self._say,),
                start_new_session=True,
            )
        os.close(self._say)

    def await_ready(self, seconds: float) -> bool:
        """Whether every child said that it is ready before the time was over or one of them ended."""
        waiting = set(self._children)
        thread = threading.Thread(target=self._listen, args=(waiting,), daemon=True)
        thread.start()
        return wait_until(lambda: not waiting, seconds, lambda: self._stopping.is_set() or self._any_ended())

    def _listen(self, waiting: set[str]) -> None:
        with os.fdopen(self._heard) as pipe:
            for line in pipe:
                waiting.discard(line.strip())

    def _any_ended(self) -> bool:
        return any(child.poll() is not None for child in self._children.values())

    def stop(self) -> None:
        """Begin to stop."""
        self._stopping.set()

    def await_end(self) -> int:
        """Wait until told to stop or a child ends, then stop the others in their order; the exit code."""
        wait_until(self._any_ended, None, self._stopping.is_set)
        asked = self._stopping.is_set()
        for name, child in self._children.items():
            if child.poll() is None:
                child.terminate()
            elif not asked:
                click.echo(f"curlew: the {name} process ended unexpectedly; stopping", err=True)
            child.wait()
        return 0 if asked else FAILED


def wait_until(done: Callable[[], bool], seconds: float | None, give_up: Callable[[], bool]) -> bool:
    """Whether `done` came true before `give_up` did or the time was over; signals may come meanwhile."""
    deadline = None if seconds is None else time.monotonic() + seconds
    while not done():
        if give_up() or (deadline is not None and time.monotonic() > deadline):
            return done()
        time.sleep(0.02)
    return True
