"""The process that renders: confined before its first order, one order at a time."""

from __future__ import annotations

import os
import sys
import sysconfig
import traceback
from typing import Any

from handlers.rendering.confinement import confine
from handlers.rendering.forms import render_order, warm_up
from handlers.rendering.frames import BrokenMessage, read_message, write_message
from handlers.rendering.port import RenderOrder

ETC = ("/etc/fonts", "/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo")


def main() -> int:
    """Warm up, confine, then serve orders from standard input to standard output."""
    memory = int(sys.argv[1])
    orders, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    warm_up()
    confine(readable_folders(), memory)
    write_message(answers, {"ready": True})
    while True:
        try:
            head, _ = read_message(orders)
        except BrokenMessage:
            return 0
        write_message(answers, *answer(head))


def answer(head: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """The message that answers an order: what was made, or the reason why not."""
    try:
        order = RenderOrder(**head)
        made = render_order(order)
    except MemoryError:
        return {"failed": "it needs more memory than a render may have"}, b""
    except RecursionError:
        return {"failed": "it is nested too deeply"}, b""
    except Exception as error:
        traceback.print_exc()
        return {"failed": f"the renderer broke ({type(error).__name__})"}, b""
    return {"media": made.media, "notes": list(made.notes)}, made.body


def readable_folders() -> list[str]:
    """Folders whose files drawing reads: Python's, this package's, fonts and libraries."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    own = [os.path.join(here, name) for name in ("vfs", "chains", "storage", "handlers")]
    python = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return [
        *own,
        *python,
        sys.base_prefix,
        "/usr/lib",
        "/lib",
        "/lib64",
        "/usr/share/fonts",
        "/dev/urandom",
        *ETC,
    ]


if __name__ == "__main__":
    sys.exit(main())
