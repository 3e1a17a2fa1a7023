"""Files of alerts: whom they tell, and their states."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from handlers.services.alerts.alert_rules import NOTICES, read_targets, targets_text
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import KIB, File
from vfs.parts import text, value
from vfs.rules import ANYONE, OWNER, Rule

Rows = Iterable[dict[str, str]]


def remark_on_hooks(context: Context[World], sent: str) -> str:
    """Return a note for each hook that the owner does not have."""
    hooks, owner = context.world.social.hooks, context.here.owner
    lacking = [name for name in read_targets(sent).hooks if hooks.find(owner, name) is None]
    return "".join(f"note: there is no hook {name}: PUT /v1/admin/hooks/{name}\n" for name in lacking)


def told_to(writes: Rule, listed: Rule = ANYONE) -> File:
    """Return the file that says whom alerts tell; their owner alone writes it."""
    return text(
        NOTICES,
        check=targets_text,
        remark=remark_on_hooks,
        largest=KIB,
        listed=listed,
        rules={Verb.WRITE: OWNER & writes},
        about="how alerts reach you: notices, mail, hook and its name, with commas between",
    )


def alert_rows(context: Context[World], folder: str) -> Rows:
    """Return the alerts on a path of the item: the rule, its state, and since when."""
    for kept in context.world.social.alerts.of(context.here.id, folder).values():
        yield {"alert": kept.rule, "state": kept.state, "since": kept.since}


def states(rows: Callable[[Context[World], str], Rows], listed: Rule = ANYONE) -> File:
    """Return the file that shows the states of the alerts beside it."""

    def read(context: Context[World]) -> Data:
        return Data(list(rows(context, context.rel.rpartition("/")[0])), _lines)

    return value(read, listed=listed, about="the state of each alert, well, on or unclear, and since when")


def _lines(rows: Rows) -> str:
    return "".join(f"{row['alert']}: {row['state']} since {row['since']}\n" for row in rows)
