"""Hooks of a job: addresses at which other services start its runs, made and ended by its owner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple

from chains.runs.hooks import JobHook
from handlers.identity.credentials import digest, fresh_key
from handlers.rules.addresses import HOOK
from handlers.rules.hook_files import (
    SCHEMES,
    UNSIGNED,
    fresh_secret,
    header_names,
    hook_secret,
    require_key,
)
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.code.job_access import MASTER, READER, seal
from handlers.trees.facets.schedule import text_of
from handlers.words.tables import table
from vfs.access import Verb
from vfs.call import Data, Outcome, Reply
from vfs.context import Context
from vfs.errors import Conflict
from vfs.nodes import KIB, Dir, Each, Named
from vfs.param import Param
from vfs.parts import choice, text, value
from vfs.ports.clock import stamp

MOST_HOOKS = 20
LOGGED = ("time", "status", "size", "run", "why")
PLACE: Param[JobHook] = Param("hook")


def list_hooks(context: Context[World]) -> Iterator[Named]:
    """Yield the hooks of the job, by name."""
    for hook in context.world.code.hooks.of(context.here.id):
        extra = {"calls": hook.calls, "called_on": hook.called_on, "status": hook.status}
        yield Named(hook.name, hook.created_on, hook.called_on or hook.created_on, hook, extra=extra)


def find_hook(context: Context[World], name: str) -> JobHook | None:
    """Return the hook of that name."""
    hooks = context.world.code.hooks.of(context.here.id)
    return next((hook for hook in hooks if hook.name == name), None)


def make_hook(context: Context[World]) -> Reply:
    """Make a hook and return its address and secret, which are shown only here."""
    hooks, job = context.world.code.hooks, context.here
    if len(hooks.of(job.id)) >= MOST_HOOKS:
        raise Conflict(f"the job has {MOST_HOOKS} hooks: DELETE one of them first")
    key, secret = fresh_key(), fresh_secret()
    if not hooks.add(job.id, JobHook(digest(key), context.name, stamp(context.world.clock.now()))):
        raise Conflict(f'there is already something named "{context.name}" here')
    place = f"{context.rel}/secret"
    context.world.leaves.put(job.id, place, seal(context, secret, place), context.caller.name)
    address = f"{hints_of(context.call).origin}/{HOOK}/{key}"
    made = Data(
        {"name": context.name, "address": address, "secret": secret},
        lambda said: f"{said['address']}\nits secret, if calls are to be signed: {said['secret']}\n",
    )
    return Reply(made, Outcome.CREATED, location=str(context.requested))


def end_hook(context: Context[World]) -> str:
    """End a hook: its address is unknown from now on."""
    context.world.code.hooks.drop(context.here.id, context.name)
    context.world.leaves.clear(context.here.id, context.rel)
    return f"the hook {context.name} is ended\n"


def read_log(context: Context[World]) -> Data:
    """Return the last calls of the hook, oldest first."""
    rows = [
        dict(zip(LOGGED, astuple(one), strict=True))
        for one in context.world.code.hooks.log(context[PLACE].digest)
    ]
    return Data(rows, lambda rows: table(LOGGED, [row.values() for row in rows]))


def accept_secret(context: Context[World], secret: str) -> str:
    """Return a secret sealed, if the hook's scheme can use it. Raises Invalid."""
    require_key(text_of(context, f"{_folder(context)}/signature") or UNSIGNED, secret)
    return seal(context, secret)


def accept_scheme(context: Context[World], scheme: str) -> str:
    """Return a scheme that can use the hook's secret. Raises Invalid."""
    place = f"{_folder(context)}/secret"
    sealed = text_of(context, place)
    require_key(scheme, context.world.service.seal.open(sealed, f"{context.here.id}/{place}"))
    return scheme


def _folder(context: Context[World]) -> str:
    return context.rel.rpartition("/")[0]


HOOKS = Each(
    PLACE,
    Dir(
        {
            "signature": choice(
                UNSIGNED,
                *SCHEMES,
                default=UNSIGNED,
                accept=accept_scheme,
                about="how calls are signed with the hook's secret; other calls are refused",
            ),
            "secret": text(
                check=hook_secret,
                accept=accept_secret,
                silent=True,
                clear=False,
                largest=4 * KIB,
                rules={Verb.READ: MASTER},
                about="the secret that signs calls: written, never read",
            ),
            "headers": text(
                check=header_names,
                largest=4 * KIB,
                about="headers of a call that its run finds in /input/request.json, one on a line",
            ),
            "log": value(read_log, about="the last 100 calls: time, status, size, run, and why refused"),
        },
        about="a hook; DELETE ends it",
    ),
    names=list_hooks,
    has=find_hook,
    create=make_hook,
    remove=end_hook,
    candid=True,
    rules={Verb.READ: READER, **dict.fromkeys((Verb.WRITE, Verb.CREATE, Verb.REMOVE), MASTER)},
    about="addresses that start a run without an account; PUT of a name makes one, and answers its address",
)
