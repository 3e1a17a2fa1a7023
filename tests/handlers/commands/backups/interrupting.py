"""A program: `curlew` with the arguments of its command line, which gets a signal at a given moment.

`interrupting.py MOMENT SIGNAL WORD…`: moments are calls that change files or ask the database, from the
first of the command on. The last line of standard error tells how many there were.
"""

from __future__ import annotations

import os
import sys
from itertools import count
from types import FrameType
from typing import Any

from handlers.__main__ import main

CALLS = frozenset(
    {"execute", "executemany", "commit", "rename", "replace", "unlink", "rmdir", "mkdir", "link", "fsync"}
)
moments = count(1)


def watch(moment: int, number: int) -> None:
    """Send this process a signal at a moment; 0 sends none."""

    def look(frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and called.__name__ in CALLS and next(moments) == moment:
            os.kill(os.getpid(), number)

    sys.setprofile(look)


if __name__ == "__main__":
    watch(int(sys.argv[1]), int(sys.argv[2]))
    try:
        main(sys.argv[3:])
    finally:
        sys.setprofile(None)
        sys.stderr.write(f"\n{next(moments) - 1}\n")
