"""Files of a job: the limits of its steps, its inputs as a JSON schema, and keys of former types."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from chains.plan.model import LONGEST_BACKOFF, StepConfig
from handlers.settings.quantities import Unit, parse_quantity, quantity_text
from handlers.settings.settings import Settings
from vfs.errors import Invalid

LEGACY = ("extract", "render", "filter", "group")
INPUTS = ("stdin", "argv", "input")


def json_schema(said: Mapping[str, str]) -> dict[str, object]:
    """Return the inputs that a job declares (config/options) as a JSON schema."""
    options = {name: said.get(f"config/options/{name}", "no") for name in INPUTS}
    wanted = {name: options[name] for name in INPUTS if options[name] != "no"}
    properties: dict[str, object] = {name: _property(name, said) for name in wanted}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": [name for name, word in wanted.items() if word == "yes"],
        "additionalProperties": False,
    }


def _property(name: str, said: Mapping[str, str]) -> dict[str, object]:
    kind: dict[str, object] = {"type": "string"}
    if name == "argv":
        kind = {"type": "array", "items": {"type": "string"}}
    if name == "input":
        kind = {"type": "array", "items": {"type": "string", "contentEncoding": "base64"}}
    described = said.get(f"config/options/{name}_description")
    return {**kind, "description": described} if described else kind


FOLDER = "config/steps"
LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]|_(?!_)){0,63}")
LABEL_RULE = "the label of a step of this job's own chain: 1 to 64 of a-z, 0-9, _ and -, without __"
LEAST_MEMORY = 16 << 20
LEAST_CPUS = 0.05
MOST_CODES = 32
CODES = re.compile(r"([0-9]{1,3})(?: ?- ?([0-9]{1,3}))?")
NUMBER = re.compile(r"[0-9]{1,4}(\.[0-9]{1,3})?")
MAXIMA = {
    "memory": ("memory", "memory_max"),
    "cpus": ("cpus", "cpus_max"),
    "timeout": ("step_seconds", "step_seconds_max"),
}
"""The limits that a job may set, each with its setting and with that of its maximum."""


def backoff(sent: str) -> str:
    """Return the wait before the second attempt. Raises Invalid."""
    return _quantity(sent, Unit.SECONDS, 0, LONGEST_BACKOFF)


def timeout(sent: str) -> str:
    """Return the time of an attempt. Raises Invalid."""
    return _quantity(sent, Unit.SECONDS, 1)


def memory(sent: str) -> str:
    """Return the memory of a step. Raises Invalid."""
    return _quantity(sent, Unit.BYTES, LEAST_MEMORY)


def cpus(sent: str) -> str:
    """Return the processors of a step. Raises Invalid."""
    word = sent.strip()
    if word and (not NUMBER.fullmatch(word) or float(word) < LEAST_CPUS):
        raise Invalid(
            f'"{word[:40]}" is no number of processors from {LEAST_CPUS}: send one such as 2 or 0.5'
        )
    return word


def retry_on(sent: str) -> str:
    """Return exit codes and ranges of them, with commas between. Raises Invalid."""
    return ", ".join(f"{low}-{high}" if low != high else str(low) for low, high in _codes(sent))


def _quantity(sent: str, unit: Unit, least: float, most: float = math.inf) -> str:
    """Return a size or time in its short form; an empty text stays empty. Raises Invalid."""
    word = sent.strip()
    if not word:
        return ""
    try:
        number = parse_quantity(word, unit)
    except ValueError as error:
        raise Invalid(f'"{word[:40]}" is not understood: {error}') from None
    if number < least:
        raise Invalid(f"{word[:40]} is too little: send at least {quantity_text(least, unit)}")
    if number > most:
        raise Invalid(f"{word[:40]} is too much: send at most {quantity_text(most, unit)}")
    return quantity_text(number, unit)


def _codes(text: str) -> tuple[tuple[int, int], ...]:
    """Return ranges of exit codes. Raises Invalid."""
    words = [word.strip() for word in text.split(",")] if text.strip() else []
    if len(words) > MOST_CODES:
        raise Invalid(f"at most {MOST_CODES} codes and ranges fit here: use ranges such as 100-110")
    return tuple(map(_code_range, words))


def _code_range(word: str) -> tuple[int, int]:
    match = CODES.fullmatch(word)
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= low <= high <= 255:
        raise Invalid(f'"{word[:40]}" is no exit code from 1 to 255, and no range of them such as 100-110')
    return low, high


READERS: Mapping[str, Callable[[str], object]] = {
    "retries": int,
    "backoff": lambda text: float(parse_quantity(text, Unit.SECONDS)),
    "retry_on": _codes,
    "timeout": lambda text: float(parse_quantity(text, Unit.SECONDS)),
    "memory": lambda text: int(parse_quantity(text, Unit.BYTES)),
    "cpus": float,
}
"""For each file, how its stored text is read."""


def configs_of(texts: Mapping[str, str]) -> dict[str, StepConfig]:
    """Return the configurations of steps, by label, from the texts of a job's files by path."""
    found: dict[str, dict[str, object]] = {}
    for rel, text in texts.items():
        label, _, name = rel.removeprefix(f"{FOLDER}/").partition("/")
        if rel.startswith(f"{FOLDER}/") and name in READERS and text:
            found.setdefault(label, {})[name] = READERS[name](text)
    return {label: StepConfig(**values) for label, values in found.items()}  # type: ignore[arg-type]


def largest(settings: Settings, name: str) -> float:
    """Return the largest value of a limit that a job may set; never below the server's own."""
    return max(float(getattr(settings, setting)) for setting in MAXIMA[name])


def admit_limit(settings: Settings, name: str, text: str) -> str:
    """Return the text of a limit. Raises Invalid if it exceeds the operator's maximum."""
    if not text or READERS[name](text) <= (most := largest(settings, name)):  # type: ignore[operator]
        return text
    unit = {"memory": Unit.BYTES, "timeout": Unit.SECONDS}.get(name)
    shown = quantity_text(most, unit) if unit else f"{most:g}"
    raise Invalid(
        f"{text} is more than a job may give a step on this server: send at most {shown} "
        f"(the operator's setting {MAXIMA[name][1]})"
    )
