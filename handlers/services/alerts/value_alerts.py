"""Alerts of variables: judged whenever a value is written, and by a clock while it is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction

from handlers.services.alerts.alert_rules import (
    ABOVE,
    BELOW,
    CHANGES,
    SILENT,
    AlertRule,
    judge,
    new_alert,
    read_rules,
    report_state,
    with_state,
)
from handlers.services.world import World
from handlers.words.variables import is_number
from vfs.ports.alerts import AlertState, KeptAlert
from vfs.ports.clock import stamp
from vfs.ports.items import Item
from vfs.ports.leaves import text_at

VALUE, RULES, TO = "value", "alert", "to"
"""Files of a variable."""


def value_written(world: World, item: Item, rel: str, value: str) -> None:
    """Judge the alerts of the variable at `rel`. Call it in the transaction that writes its value.

    An empty value leaves the alerts as they are.
    """
    kept = world.social.alerts.locked(item.id, rel)
    text = text_at(world.leaves, item.id, f"{rel}/{RULES}")
    if value.strip() and text:
        for rule in read_rules(text):
            _judge(world, item, rel, rule, kept.get(rule.text), value.strip(), world.clock.now())


def rules_written(world: World, item: Item, rel: str, text: str) -> None:
    """Begin, keep and end alerts of a variable. Call it in the transaction that writes its rules.

    New ones are judged at once, by the present value. Those that end send no notice.
    """
    kept = world.social.alerts.locked(item.id, rel)
    rules = {rule.text: rule for rule in read_rules(text)}
    world.social.alerts.drop(item.id, rel, kept.keys() - rules.keys())
    leaf = world.leaves.get(item.id, f"{rel}/{VALUE}")
    value = (leaf.text or "").strip() if leaf is not None else ""
    written = datetime.fromisoformat(leaf.last_modified) if leaf is not None and value else world.clock.now()
    for word, rule in rules.items():
        if word not in kept:
            _judge(world, item, rel, rule, None, value, written)


def silence_due(world: World, item: Item, alert: KeptAlert) -> None:
    """Tell that a variable was not written in time. Call it in a transaction, with the alert locked."""
    now_on = replace(with_state(world, alert, AlertState.ON), due=None)
    world.social.alerts.keep(now_on)
    _report(world, item, read_rules(alert.rule)[0], alert, now_on, "")


def _judge(
    world: World, item: Item, rel: str, rule: AlertRule, kept: KeptAlert | None, value: str, written: datetime
) -> None:
    before = kept or new_alert(world, item.id, rel, rule.text)
    if rule.word == SILENT:
        due = written + timedelta(seconds=float(rule.bar))
        is_on = due <= world.clock.now()
        after = with_state(world, before, AlertState.ON if is_on else AlertState.WELL)
        after = replace(after, due=None if is_on else stamp(due))
    else:
        after = with_state(world, before, judge(rule, value, before.former) if value else before.state)
        after = replace(after, former=value if is_number(value) else before.former)
    world.social.alerts.keep(after)
    if after.state is not before.state:
        _report(world, item, rule, before, after, value)


def _report(
    world: World, item: Item, rule: AlertRule, before: KeptAlert, after: KeptAlert, value: str
) -> None:
    name = after.rel.rpartition("/")[2]
    said = f"{name} {_words(rule, before, after, value)}"
    to = text_at(world.leaves, item.id, f"{after.rel}/{TO}")
    report_state(world, item, after, said, to=to, below=after.rel, link=f"v/{name}")


def _words(rule: AlertRule, before: KeptAlert, after: KeptAlert, value: str) -> str:
    """Return the words about a variable, after its name. Only numbers are quoted."""
    if after.state is AlertState.UNCLEAR:
        return f'has a value that is no number, so its alert "{rule.text}" cannot be judged.'
    if rule.word == SILENT:
        time = rule.text.removeprefix("silent for ")
        return "is written again." if after.state is AlertState.WELL else f"was not written for {time}."
    is_on = after.state is AlertState.ON
    if rule.word in (BELOW, ABOVE):
        return f"is {value}, which is {'' if is_on else 'not '}{rule.text}."
    if before.former is None:
        return f"is {value} now."
    share = rule.text.removeprefix(f"{CHANGES} by ")
    if is_on:
        return f"went from {before.former} to {value}, which is a change by {share} or more."
    if Fraction(value) == Fraction(before.former):
        return f"is {value}, as before."
    return f"went from {before.former} to {value}, which is less than {share}."
