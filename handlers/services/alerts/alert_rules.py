"""Alerts: the rules on a value, the ways to notify, and changes of state, each notified once."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from handlers.services.happenings import Happening, publish
from handlers.services.mailboxes import public_origin
from handlers.services.notices import page_path, thing_name
from handlers.services.outgoing_hooks import call_hook
from handlers.services.posting import Message, post_to_readers
from handlers.services.world import World
from handlers.settings.quantities import Unit, parse_quantity, quantity_text
from handlers.words.variables import is_number
from vfs.errors import Invalid
from vfs.path import NAME
from vfs.ports.alerts import AlertState, KeptAlert
from vfs.ports.clock import stamp
from vfs.ports.items import Item
from vfs.ports.notices import NoticeSubject

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


ALERT, RECOVERED = "alert", "recovered"
EVENT_TYPES = {
    AlertState.ON: "alert_started",
    AlertState.UNCLEAR: "alert_unclear",
    AlertState.WELL: "alert_ended",
}


def new_alert(world: World, item: int, rel: str, rule: str, former: str | None = None) -> KeptAlert:
    """Return an alert that is well since now."""
    return KeptAlert(item, rel, rule, AlertState.WELL, stamp(world.clock.now()), former)


def with_state(world: World, alert: KeptAlert, state: AlertState) -> KeptAlert:
    """Return an alert in a state, since now if that is another one."""
    if state is alert.state:
        return alert
    return replace(alert, state=state, since=stamp(world.clock.now()))


def report_state(
    world: World, item: Item, alert: KeptAlert, said: str, *, to: str, below: str, link: str = "",
    source: str = "",
) -> None:  # fmt: skip
    """Tell the new state of an alert. Call it in the transaction that keeps it.

    `below` is the path inside the item that it is about, which its readers may read, and `link` the end of
    its address. A later notice from the same `source` (else the rule) about the same path replaces an earlier
    one. If a hook cannot be called, there is a notice.
    """
    targets, event = read_targets(to), EVENT_TYPES[alert.state]
    data = _data(world, item, alert, said, below)
    missed = [hook for hook in hooks_in(targets) if not call_hook(world, item.owner, hook, event, data)]
    if NOTICES in targets or MAIL in targets or missed:
        kind = RECOVERED if alert.state is AlertState.WELL else ALERT
        by = f"alert {source or alert.rule} of {item.id}"
        lacks = f" The hook {missed[0]} is paused or gone." if missed else ""
        message = Message(kind, NoticeSubject(item.id), f"{{thing}}: {said}{lacks}", by, below)
        post_to_readers(world, message, item.owner if MAIL in targets else "")
    publish(world, Happening(ALERT, event, item.owner, item.id, below, link))


def _data(world: World, item: Item, alert: KeptAlert, said: str, below: str) -> dict[str, str]:
    """Return what a hook gets."""
    settings = world.service.settings
    origin = public_origin(settings, f"http://{settings.bind}")
    return {
        "text": f"{thing_name(item)}: {said}",
        "url": f"{origin}{page_path(world, item, below)}",
        "alert": alert.rule,
        "state": alert.state,
        "since": alert.since,
    }
