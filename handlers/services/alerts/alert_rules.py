"""The rules of alerts on a value, and the ways to notify: read from text, and judged."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from handlers.settings.quantities import Unit, parse_quantity, quantity_text
from handlers.words.variables import is_number
from vfs.errors import Invalid
from vfs.path import NAME
from vfs.ports.alerts import AlertState

MOST_RULES = 5
LEAST_SILENCE, MOST_SILENCE = 60, 366 * 86_400
BELOW, ABOVE, CHANGES, SILENT = "below", "above", "changes", "silent"
HOW = "write below 10, above 3, changes by 20% or silent for 2d, one a line"
NOTICES, MAIL, HOOK = "notices", "mail", "hook"
WHERE = "write notices, mail or hook and its name, with commas between"


class AlertRule(NamedTuple):
    """A rule on a value: its first `word`, its whole `text`, and its number.

    `bar` is the number to compare with, the part of the former number by which it changes, or seconds.
    """

    word: str
    text: str
    bar: Fraction


def alert_text(sent: str) -> str:
    """Return the rules of a text in their short form, one a line. Raises Invalid."""
    rules = dict.fromkeys(rule.text for rule in read_rules(sent))
    if len(rules) > MOST_RULES:
        raise Invalid(f"these are {len(rules)} alerts, and a value has at most {MOST_RULES}")
    return "\n".join(rules)


def read_rules(text: str) -> list[AlertRule]:
    """Return the rules of a text. Raises Invalid."""
    return [_rule(line) for line in text.splitlines() if line.strip()]


def _rule(line: str) -> AlertRule:
    words = line.casefold().split()
    match words:
        case ["below" | "above" as word, bar] if is_number(bar):
            return AlertRule(word, f"{word} {bar}", Fraction(bar))
        case ["changes", "by", *rest]:
            share = "".join(rest)
            if share.endswith("%") and is_number(share[:-1]) and Fraction(share[:-1]) > 0:
                return AlertRule(CHANGES, f"changes by {share}", Fraction(share[:-1]) / 100)
        case ["silent", "for", *rest]:
            seconds = _silence(" ".join(rest))
            return AlertRule(SILENT, f"silent for {quantity_text(seconds, Unit.SECONDS)}", Fraction(seconds))
    raise Invalid(f'"{line.strip()[:40]}" is no alert: {HOW}')


def _silence(text: str) -> float:
    try:
        seconds = parse_quantity(text, Unit.SECONDS)
    except ValueError as error:
        raise Invalid(f'"{text[:40]}" is no time of silence: {error}') from None
    if not LEAST_SILENCE <= seconds <= MOST_SILENCE:
        raise Invalid(f'"{text[:40]}" is no time of silence: send one from 1m to 366d, such as 2d')
    return seconds


def judge(rule: AlertRule, value: str, former: str | None) -> AlertState:
    """Return the state of an alert that compares a value: with its number, or with the `former` one.

    A change is measured against the size of the former number; from 0, every change is large enough.
    """
    if not is_number(value):
        return AlertState.UNCLEAR
    number = Fraction(value)
    if rule.word == CHANGES:
        before = Fraction(former) if former is not None else number
        is_on = number != before and abs(number - before) >= rule.bar * abs(before)
    else:
        is_on = number < rule.bar if rule.word == BELOW else number > rule.bar
    return AlertState.ON if is_on else AlertState.WELL


def targets_text(sent: str) -> str:
    """Return the ways in a text in their short form. Raises Invalid."""
    return ", ".join(read_targets(sent))


def read_targets(text: str) -> list[str]:
    """Return the ways in a text: notices (also if it is empty), mail, hook and its name. Raises Invalid."""
    words = [" ".join(word.split()) for word in text.replace("\n", ",").split(",") if word.strip()]
    for word in words:
        first, _, name = word.partition(" ")
        if word not in (NOTICES, MAIL) and (first != HOOK or not NAME.fullmatch(name)):
            raise Invalid(f'"{word[:40]}" is no way to notify: {WHERE}')
    return list(dict.fromkeys(words)) or [NOTICES]


def hooks_in(targets: list[str]) -> list[str]:
    """Return the names of the hooks among these ways."""
    return [word.removeprefix(f"{HOOK} ") for word in targets if word not in (NOTICES, MAIL)]
