"""The process that renders: confined before it loads the drawing code, then one order at a time."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys
import traceback
from typing import Any

from handlers.rendering.confinement import confine, readable_folders
from handlers.rendering.connection import BrokenMessage, Readable, Writable, read_message, write_message
from handlers.rendering.port import RenderOrder, RenderTooLarge, fault_fields

LONGEST_REASON = 500
LESS_URGENT = 10
"""Steps of nice(2) by which drawing has a lower priority than answering."""


def main() -> int:
    """Confine, warm up, then serve orders from standard input to standard output."""
    memory, lifeline = map(int, sys.argv[1:])
    end_with(lifeline)
    os.nice(LESS_URGENT)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    confine(readable_folders(), memory)
    load()
    return serve(sys.stdin.buffer, answers)


def load() -> None:
    """Load the drawing code, after the confinement, because it starts threads that inherit it."""
    from handlers.rendering.forms import warm_up

    warm_up()


def serve(orders: Readable, answers: Writable) -> int:
    """Report readiness, and answer orders until the input ends."""
    write_message(answers, {"ready": True})
    while True:
        try:
            head, _ = read_message(orders)
        except BrokenMessage:
            return 0
        write_message(answers, *answer(head))


def end_with(lifeline: int) -> None:
    """Let the kernel kill this process when the other end of the pipe is closed.

    The parent-death signal (prctl) would be sent when the thread that started this process ends.
    """
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    waiting = select.poll()
    waiting.register(lifeline, select.POLLIN)
    if waiting.poll(0):
        sys.exit("the process that ordered renders has ended")


def answer(head: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Return the message that answers an order: the render, or the reason of a failure."""
    from handlers.rendering.forms import render_order

    try:
        made = render_order(RenderOrder(**head))
    except RenderTooLarge as large:
        return dict(fault_fields(large)), b""
    except MemoryError:
        return {"failed": "it needs more memory than a render may have"}, b""
    except RecursionError:
        return {"failed": "it is nested too deeply"}, b""
    except Exception as error:
        sys.stderr.write(f"a render broke: {reason(error)} [{head.get('cause', '')}]\n")
        return {"failed": f"the renderer broke ({type(error).__name__})"}, b""
    return made.head, made.body


def reason(error: Exception) -> str:
    """Return one line for the log: position and reason, without control characters."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {place.filename}:{place.lineno}: {ascii(str(error))[:LONGEST_REASON]}"


if __name__ == "__main__":
    sys.exit(main())
