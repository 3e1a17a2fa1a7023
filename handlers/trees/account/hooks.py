"""The caller's hooks: addresses outside to which events are sent, with a test and a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from handlers.rules.event_patterns import parse
from handlers.rules.hook_addresses import HookReach, parse_address
from handlers.rules.hook_files import fresh_secret
from handlers.services.outgoing_hooks import (
    FORMATS,
    HookSecrets,
    in_form,
    new_message_id,
    payload,
    secret,
    send_hook,
)
from handlers.services.viewer import hints_of
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Invalid, TooMany, Unmet
from vfs.nodes import KIB, Check, Dir, Each, File, Named
from vfs.param import Param
from vfs.parts import action, one_of, value
from vfs.path import NAME
from vfs.ports.clock import stamp
from vfs.ports.hooks import ACTIVE, NEW, PAUSED, TEST, Hook, HookAttempt
from vfs.ports.people import Limit
from vfs.rules import FIRST_HAND, SIGNED_IN, hide_unless

HOOK: Param[Hook] = Param("hook")
OWN = SIGNED_IN & FIRST_HAND
WRITTEN = {Verb.WRITE: OWN}
MOST_PATTERNS = 20
MOST_TESTS, MINUTE = 10, 60
SEVERITIES = {"delivered": "info", "waits": "warning", "failed": "error"}
OFF = "the operator of this server has switched off hooks that send (setting hooks_out)"


def list_hooks(context: Context[World]) -> Iterator[Named]:
    """Yield the caller's hooks."""
    for hook in context.world.social.hooks.of(context.me):
        extra = {"state": hook.state, "why": hook.why if hook.state == PAUSED else ""}
        yield Named(hook.name, hook.created_on, hook.last_modified, hook, extra=extra)


def find_hook(context: Context[World], name: str) -> Hook | None:
    """Return the caller's hook of that name."""
    return context.world.social.hooks.find(context.me, name) if context.me else None


def add_hook(context: Context[World]) -> Reply:
    """Make a hook and return its secret, which is shown only here."""
    _require_on(context)
    kept = HookSecrets(secret=fresh_secret())
    context.world.social.hooks.add(
        context.me, context.name, kept.seal(context.world, context.me, context.name)
    )
    said = {"name": context.name, "secret": kept.secret}
    shown = Data(said, lambda said: f"{said['secret']}\n")
    return Reply(shown, Outcome.CREATED, location=str(context.requested))


def remove_hook(context: Context[World]) -> str:
    """End a hook, with what waits for it."""
    context.world.social.hooks.remove(context[HOOK].id)
    return f"the hook {context.name} is ended\n"


def write_url(context: Context[World], sent: str) -> str:
    """Set the address; with the first one the hook begins to send."""
    url = sent.strip()
    parse_address(url, HookReach.parse(context.world.service.settings.hooks_out_hosts))
    _keep(context, replace(_kept(context), url=url))
    if context[HOOK].state == NEW:
        context.world.social.hooks.change(context[HOOK].id, state=ACTIVE)
    return url


def patterns(sent: str) -> str:
    """Return patterns of events, one a line. Raises Invalid."""
    lines = [line.strip() for line in sent.splitlines() if line.strip()]
    if len(lines) > MOST_PATTERNS:
        raise Invalid(f"a hook has at most {MOST_PATTERNS} patterns: use * for any name")
    for line in lines:
        parse(line)
    return "".join(f"{line}\n" for line in lines)


def write_state(context: Context[World], word: str) -> str:
    """Pause or resume a hook; what waited is sent as soon as it is resumed."""
    if context[HOOK].state == NEW:
        raise Unmet("the hook has no address yet: write its file url first")
    context.world.social.hooks.change(context[HOOK].id, state=word, why="by you" if word == PAUSED else "")
    return word


def rotate(context: Context[World], word: str) -> Reply:
    """Set another secret and return it, once; the former one signs messages for a day, too."""
    kept = _kept(context).rotate(context.world, word)
    _keep(context, kept)
    said = {"secret": kept.secret, "former_until": kept.until}
    return Reply(Data(said, lambda said: f"{said['secret']}\n"))


def secret_facts(context: Context[World]) -> str:
    """Return whether a former secret is still valid. The secret itself is never shown again."""
    kept = _kept(context)
    if len(kept.valid(stamp(context.world.clock.now()))) > 1:
        return f"set; the former one is valid until {kept.until}"
    return "set"


def test(context: Context[World], _: str) -> Reply:
    """Send a message now and answer what happened."""
    world, hook, now = context.world, context[HOOK], context.world.clock.now()
    _require_on(context)
    if hook.state == NEW:
        raise Unmet("the hook has no address yet: write its file url first")
    if wait := world.people.rates.take([Limit(f"tests of hooks of {context.me}", MOST_TESTS, MINUTE)]):
        raise TooMany(f"too many tests within a minute: wait {wait} s, then try again", retry_after=wait)
    context.call.ongoing.begin(spare=True)
    text = {
        "text": f"A test of the hook {hook.name}.",
        "url": f"{hints_of(context.call).origin}/settings/hooks",
    }
    reach = HookReach.parse(world.service.settings.hooks_out_hosts)
    kept, id = _kept(context), new_message_id()
    body = in_form(hook.format, payload(TEST, stamp(now), text))
    with world.idle():
        answer = send_hook(parse_address(kept.url, reach), reach, kept.headers(id, body, now), body)
    outcome = "delivered" if answer.is_taken else "failed"
    call = HookAttempt(stamp(now), TEST, id, 1, outcome, answer.said, answer.milliseconds)
    world.social.hooks.record(hook.id, call)
    return Reply(Data(_row(call), lambda row: f"{row['message']}\n"))


def log_rows(context: Context[World]) -> Data:
    """Return the last messages, oldest first."""
    rows = [_row(call) for call in context.world.social.hooks.calls(context[HOOK].id)]
    return Data(rows, lambda rows: "".join(f"{row['log_time']}  {row['message']}\n" for row in rows))


def _row(call: HookAttempt) -> dict[str, object]:
    tries = f", try {call.tries}" if call.tries > 1 else ""
    said = f"{call.event}: {call.outcome}: {call.answer} ({call.milliseconds} ms{tries})"
    return {
        "log_time": call.called_on,
        "severity": SEVERITIES[call.outcome],
        "message": said,
        "event": call.event,
        "id": call.message_id,
        "outcome": call.outcome,
        "answer": call.answer,
        "tries": call.tries,
        "milliseconds": call.milliseconds,
    }


def _kept(context: Context[World]) -> HookSecrets:
    return HookSecrets.open(context.world, context[HOOK])


def _keep(context: Context[World], kept: HookSecrets) -> None:
    hook = context[HOOK]
    context.world.social.hooks.change(hook.id, sealed=kept.seal(context.world, hook.owner, hook.name))


def _require_on(context: Context[World]) -> None:
    if not context.world.service.settings.hooks_out:
        raise Unmet(OFF)


def _field(field: str, check: Check, about: str, largest: int, values: tuple[str, ...] = ()) -> File:
    def write(context: Context[World], sent: str) -> None:
        context.world.social.hooks.change(context[HOOK].id, **{field: sent})

    return _file(lambda context: str(getattr(context[HOOK], field)), write, about, largest, check, values)


def _file(
    read: Callable[[Context[World]], str], write: Callable[[Context[World], str], Reply | str | None],
    about: str, largest: int = KIB, check: Check | None = None, values: tuple[str, ...] = (),
) -> File:  # fmt: skip
    return File(
        read, write, check=check, clear=False, largest=largest, values=values, rules=WRITTEN, about=about
    )


HOOKS = Each(
    HOOK,
    Dir(
        {
            "url": _file(lambda context: _kept(context).url, write_url, "the address, with HTTPS", 4 * KIB),
            "events": _field(
                "events", patterns, "patterns of the events to send, one a line, as at /ws", 8 * KIB
            ),
            "format": _field(
                "format", one_of(FORMATS), "the form of messages: standard, slack or discord", KIB, FORMATS
            ),
            "state": _file(
                lambda context: context[HOOK].state,
                write_state,
                "new until it has an address, then active or paused; write active to resume it",
                check=one_of((ACTIVE, PAUSED)),
                values=(ACTIVE, PAUSED),
            ),
            "why": value(
                lambda context: context[HOOK].why if context[HOOK].state == PAUSED else "",
                about="why it is paused",
            ),
            "secret": _file(
                secret_facts, rotate, "whether it is set; POST new sets and shows another", check=secret
            ),
            "test": action(
                test, needs=OWN, largest=KIB, long=True, about="sends a message, and answers what happened"
            ),
            "log": value(log_rows, about="the last 100 messages: time, event, answer, tries, duration"),
        },
        about="a hook; DELETE ends it",
    ),
    names=list_hooks,
    has=hide_unless(OWN, find_hook),
    create=add_hook,
    remove=remove_hook,
    name=NAME,
    rules={Verb.READ: OWN, Verb.CREATE: OWN, Verb.REMOVE: OWN},
    about="the caller's hooks, which send events to addresses outside; PUT makes one, and answers its secret",
)
