"""LastQuestion: git's hook asks whether a push may still be made, right before references change."""

from __future__ import annotations

import logging
import os
import secrets
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chains.files.keeper import keeper_of
from handlers.rules.plain_lines import one_line
from vfs.errors import VfsError

log = logging.getLogger("curlew")

YES = "yes"
# Letters of a refusal: one write to a pipe takes them whole.
LONGEST = 512


@contextmanager
def last_question(folder: Path, ask: Callable[[], object]) -> Iterator[dict[str, str]]:
    """Answer the hook of one push meanwhile; the variable by which it finds where to ask.

    The body of a push may take an hour to come, and its pack a while to be looked through. `ask` raises as
    the push would be refused now. Question and answer go through two pipes with names, as the hook is a
    program of another account that git starts. Raises OSError.
    """
    place = folder / f".push-{secrets.token_hex(8)}"
    keeper = keeper_of(folder)
    with keeper.acting():
        place.mkdir(mode=0o700)
        for name in ("ask", "answer"):
            os.mkfifo(place / name, 0o600)
        # Open at both ends, so that neither side waits for the other to open its own.
        asked, answered = (os.open(place / name, os.O_RDWR | os.O_NONBLOCK) for name in ("ask", "answer"))
    is_over = threading.Event()
    thread = threading.Thread(target=_answer, args=(asked, answered, ask, is_over), name="push", daemon=True)
    thread.start()
    try:
        yield {"CURLEW_PUSH": str(place)}
    finally:
        is_over.set()
        os.write(asked, b"\n")
        thread.join()
        os.close(asked)
        os.close(answered)
        with keeper.acting():
            for name in ("ask", "answer"):
                (place / name).unlink()
            place.rmdir()


def _answer(asked: int, answered: int, ask: Callable[[], object], is_over: threading.Event) -> None:
    """Wait for the question, or for the end, and answer it."""
    poll = select.poll()
    poll.register(asked, select.POLLIN)
    poll.poll()
    if not is_over.is_set():
        os.write(answered, f"{_verdict(ask)[:LONGEST]}\n".encode())


def _verdict(ask: Callable[[], object]) -> str:
    """Yes, or the reason why not in one line."""
    try:
        ask()
    except VfsError as error:
        return one_line(error.detail)
    except Exception:
        log.exception("a push could not be asked for once more")
        return "the server could not look whether this push may still be made; push again."
    return YES
