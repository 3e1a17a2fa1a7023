"""Child processes of `curlew serve`: started together, stopped in order, and ended with their parent."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence

import click

from handlers.commands.options import FAILED, MISUSED
from handlers.security.log_lines import PlainLines
from handlers.settings.settings import Settings
from vfs.cause import DONE

READY = "CURLEW_READY_FD"
PROGRESS = "CURLEW_PROGRESS_FD"
PARENT = "CURLEW_PARENT_PID"
ONCE = (READY, PROGRESS, PARENT)
"""Variables for the first start of a process only."""
SENTENCE = "+ "
USERS = "users "
SETUP = "setup "
PR_SET_PDEATHSIG = 1


def set_up_process() -> None:
    """Set up logging, file mode and exit of a long-running process."""
    terminal = logging.StreamHandler()
    terminal.setFormatter(PlainLines())
    logging.basicConfig(handlers=[terminal], level=logging.WARNING)
    logging.getLogger(DONE).setLevel(logging.INFO)
    # Steps read inputs and images as other users, so the operator's umask must not apply. Private files are
    # in folders that only their owner can enter.
    os.umask(0o022)
    end_with_parent()


def end_with_parent() -> None:
    """Let the kernel send SIGTERM when `curlew serve`, which started this process, dies."""
    parent = os.environ.pop(PARENT, None)
    if parent is not None:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != int(parent):
            os.kill(os.getpid(), signal.SIGTERM)


def tell_ready(name: str) -> None:
    """Report to the parent process, if it asked, that this one is ready."""
    if READY in os.environ:
        with os.fdopen(int(os.environ[READY]), "w", closefd=False) as pipe:
            pipe.write(f"{name}\n")


def tell_progress(sentence: str) -> None:
    """Report a slow action to the parent process, if it asked."""
    _write_progress(f"{SENTENCE}{sentence}")


def tell_users(number: int) -> None:
    """Report the number of users to the parent process, if it asked."""
    _write_progress(f"{USERS}{number}")


def tell_setup(key: str) -> None:
    """Report the key for the creation of the first account to the parent process, if it asked."""
    _write_progress(f"{SETUP}{key}")


def _write_progress(line: str) -> None:
    if PROGRESS in os.environ:
        with os.fdopen(int(os.environ[PROGRESS]), "w", closefd=False) as pipe:
            pipe.write(f"{' '.join(line.split())}\n")


class ChildProcesses:
    """The child processes of `curlew serve`: started together, stopped in order.

    `show` is called with the sentences that they report before they are ready.
    """

    def __init__(self, settings: Settings, show: Callable[[str], object] = lambda sentence: None) -> None:
        self._settings = settings
        self._show = show
        self._waiting: set[str] = set()
        self.users: int | None = None
        self.setup_key = ""
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._stopping = threading.Event()
        self._pipe, self._say = os.pipe()
        os.set_inheritable(self._say, True)

    def start(self, names: Sequence[str]) -> None:
        """Start each in its own process group, so that Ctrl-C reaches only the parent."""
        chosen = {
            "CURLEW_DATA": str(self._settings.folder),
            "CURLEW_BIND": self._settings.bind,
            **({"CURLEW_CONFIG": self._settings.config} if self._settings.config else {}),
            READY: str(self._say),
            PROGRESS: str(self._say),
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
        """Return whether every child became ready before the timeout and before one of them ended."""
        self._waiting = set(self._children)
        threading.Thread(target=self._listen, daemon=True).start()
        ready = wait_until(lambda: not self._waiting, seconds, self._is_over)
        if not ready and not self._is_over():
            names = " and ".join(sorted(self._waiting))
            self._show(f"not ready after {seconds:g} s, and still waiting for: {names}")
        return ready

    def _listen(self) -> None:
        with os.fdopen(self._pipe) as pipe:
            for line in pipe:
                self._note(line.strip())

    def _note(self, line: str) -> None:
        """Handle a line of a child: a sentence, the number of users, the setup key, or that it is ready."""
        if line.startswith(SENTENCE):
            self._show(line.removeprefix(SENTENCE))
        elif line.startswith(USERS):
            self.users = int(line.removeprefix(USERS))
        elif line.startswith(SETUP):
            self.setup_key = line.removeprefix(SETUP)
        else:
            self._waiting.discard(line)

    def _is_over(self) -> bool:
        return self._stopping.is_set() or self._any_ended()

    def _any_ended(self) -> bool:
        return any(child.poll() is not None for child in self._children.values())

    def stop(self) -> None:
        """Begin to stop."""
        self._stopping.set()

    def await_end(self) -> int:
        """Wait for `stop` or the end of a child, then stop the others in order; return the exit code."""
        wait_until(self._any_ended, None, self._stopping.is_set)
        asked = self._stopping.is_set()
        if asked:
            self._show("stopping; open requests may end first")
        for name, child in self._children.items():
            if child.poll() is None:
                child.terminate()
            elif not asked and child.returncode not in (FAILED, MISUSED):
                # A process with these exit codes has printed the reason.
                click.echo(f"curlew: the {name} process ended unexpectedly; stopping", err=True)
            child.wait()
        return 0 if asked else FAILED


def wait_until(done: Callable[[], bool], seconds: float | None, give_up: Callable[[], bool]) -> bool:
    """Return whether `done` became true before `give_up` or the timeout; signals may arrive meanwhile."""
    deadline = None if seconds is None else time.monotonic() + seconds
    while not done():
        if give_up() or (deadline is not None and time.monotonic() > deadline):
            return done()
        time.sleep(0.02)
    return True
