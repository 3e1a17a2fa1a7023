"""Declarations of files that several trees use: switches, languages, alerts, and actions that take JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from handlers.services.alerts.alert_rules import NOTICES, hooks_in, read_targets, targets_text
from handlers.services.world import World
from handlers.words.language import list_languages, read_tag
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import KIB, File
from vfs.parts import action, boolean, text, value
from vfs.rules import ANYONE, OWNER, Rule

YES_NO = ("yes", "no")


def switch(
    read: Callable[[Context[World]], bool], change: Callable[[Context[World], bool], None], about: str
) -> File:
    """Return a yes-or-no file that hooks store; clearing it means no."""

    def write(context: Context[World], sent: str) -> str:
        on = boolean(sent)
        change(context, on)
        return _word(on)

    return File(
        lambda context: _word(read(context)),
        write,
        default=_word(False),
        clear=lambda context: change(context, False),
        values=YES_NO,
        largest=KIB,
        about=about,
    )


def _word(on: bool) -> str:
    return YES_NO[0] if on else YES_NO[1]


NAMED = ", ".join(list_languages())
ABOUT = f"language of numbers, dates and words in drawings: {NAMED}, or such as de-AT"


def language_tag(sent: str) -> str:
    """Return the tag of a language, or empty text. Raises Invalid."""
    text = sent.strip()
    if text and read_tag(text) is None:
        raise Invalid(
            f'"{text[:40]}" is not a language of charts: send one of {NAMED}, '
            "or one of them with a country, such as de-AT or pt-BR"
        )
    return text


JSON = "application/json"
LARGEST = 16 * KIB
document_action = partial(action, wants="raw", media=(JSON,), largest=LARGEST, long=True)


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
