"""Changes of an alert's state: stored and reported, each once."""

from __future__ import annotations

from dataclasses import replace

from handlers.services.alerts.alert_rules import MAIL, NOTICES, hooks_in, read_targets
from handlers.services.happenings import Happening, publish
from handlers.services.hook_calls import call_hook
from handlers.services.mailboxes import public_origin
from handlers.services.notices import page_path, thing_name
from handlers.services.posting import Message, post_to_readers
from handlers.services.world import World
from vfs.ports.alerts import AlertState, KeptAlert
from vfs.ports.clock import stamp
from vfs.ports.items import Item
from vfs.ports.notices import NoticeSubject

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
