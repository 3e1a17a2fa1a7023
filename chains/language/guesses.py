"""Guesses at the marks of a chain: words that people try, and the mark that does what they mean."""

from __future__ import annotations

import re

FAN_OUT = 'to run a step once per file, put a point before its name, as in "split -> .resize"'
HOLD = 'for a hold, put "!" before or after the name of a step, as in "!publish" or "draw!"'
HELP = 'a chain is "repo", or steps with arrows, as in "fetch -> draw"'

GUESSES = {"fan_out": FAN_OUT, "fan-out": FAN_OUT, "fanout": FAN_OUT, "hold": HOLD, "help": HELP}

_WORD = re.compile(r"[A-Za-z][A-Za-z_-]*")


def advice_for(line: str) -> str | None:
    """The mark that the first guess in a line of a chain stands for; None where nothing looks like one."""
    words = (word.lower().rstrip("-_") for word in _WORD.findall(line.partition("#")[0]))
    return next((GUESSES[word] for word in words if word in GUESSES), None)
