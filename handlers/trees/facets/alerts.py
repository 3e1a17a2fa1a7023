"""Files of alerts: whom they notify, and their states."""

from __future__ import annotations

from handlers.services.alerts.alert_rules import NOTICES, hooks_in, read_targets, targets_text
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import KIB, File
from vfs.parts import text, value
from vfs.rules import ANYONE, OWNER, Rule


def remark_on_hooks(context: Context[World], sent: str) -> str:
    """Return a note for each hook that the owner does not have."""
    hooks, owner = context.world.social.hooks, context.here.owner
    lacking = [name for name in hooks_in(read_targets(sent)) if hooks.find(owner, name) is None]
    return "".join(f"note: there is no hook {name}: PUT /v1/admin/hooks/{name}\n" for name in lacking)


def alert_targets(writes: Rule, listed: Rule = ANYONE) -> File:
    """Return the file that says whom alerts notify; only their owner writes it."""
    return text(
        NOTICES,
        check=targets_text,
        remark=remark_on_hooks,
        largest=KIB,
        listed=listed,
        rules={Verb.WRITE: OWNER & writes},
        about="how alerts reach you: notices, mail, hook and its name, with commas between",
    )


def states(listed: Rule = ANYONE) -> File:
    """Return the file that shows the states of these alerts."""
    return value(_states, listed=listed, about="the state of each alert, well, on or unclear, and since when")


def _states(context: Context[World]) -> Data:
    kept = context.world.social.alerts.of(context.here.id, context.rel.rpartition("/")[0])
    rows = [{"alert": one.rule, "state": one.state, "since": one.since} for one in kept.values()]
    return Data(
        rows, lambda _: "".join(f"{one.rule}: {one.state} since {one.since}\n" for one in kept.values())
    )
