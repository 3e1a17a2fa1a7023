"""Jobs: a chain of images, its configuration, and the door through which runs are triggered."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from chains.language.ast import from_data, to_data
from chains.language.chain import parse
from chains.language.schedule import parse as parse_schedule
from handlers.rules.claims import CLAIMS, actions
from handlers.rules.jobs import LEGACY
from handlers.rules.mounts import mounts
from handlers.rules.mounts import parse as parse_mounts
from handlers.services.hints import hints_of
from handlers.services.orders import guard, open_circle
from handlers.services.references import Refusal
from handlers.services.rights import other_writer
from handlers.services.world import World
from handlers.trees.code.history import history
from handlers.trees.code.logs import latest_log, log_file
from handlers.trees.code.runs import READER, RUNS
from handlers.trees.code.trigger import INPUTS, JSON_LARGEST, trigger
from handlers.trees.facets.meta import meta
from handlers.trees.facets.threads import THREADS
from handlers.trees.facets.variables import VARIABLES
from vfs.access import Verb
from vfs.call import Data, Reply
from vfs.errors import Conflict, Denied, Invalid
from vfs.nodes import KIB, Derived, Dir, Each, File, Items
from vfs.param import Param
from vfs.parts import action, choice, flag, text, value
from vfs.place import Place
from vfs.ports.world import stamp
from vfs.rules import IN_PERSON, NOBODY, OWNER, SIGNED_IN, Rule, W, X

ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
ENV_RULE = "a letter or _, then up to 127 more letters, digits and _"
SCHEDULE, ENABLED, SPACES = "config/schedule", "config/enabled", "config/spaces"
SHOWN_TIMES = 5
CONFIDED = ("config/env", "config/access")


def confided(place: Place[World]) -> bool:
    """Whether the job holds what a writer of its chain could print or mount:
    secrets, spaces, a claim (R-10).
    """
    marks = place.world.leaves.under(place.here.id, "config")
    return any(mark.rel.startswith(CONFIDED) for mark in marks) or bool(parse_mounts(_said(place, SPACES)))


CHAIN_WRITER = Rule(
    "w, or the owner while env, spaces or access are set",
    lambda p: W.test(p) and IN_PERSON.test(p) and (p.owned or not confided(p)),
    "write access (w), and its owner while config/env, config/spaces or config/access are set",
)
KEEPS_LEGACY = Rule("legacy jobs", lambda p: p.world.service.settings.legacy_jobs, "the setting legacy_jobs")
WRITER = W & IN_PERSON
MASTER = OWNER & WRITER


def chain(sent: str) -> str:
    """A chain's text, kept to the byte, once it parses.
    Raises Mistake with line, column and what is wrong.
    """
    parse(sent)
    return sent


def parsed(_: Place[World], sources: Mapping[str, str]) -> str:
    """The chain as data, made at the write so that a trigger parses nothing."""
    return json.dumps(to_data(parse(sources["chains"]))) if sources["chains"] else ""


def schedule(sent: str) -> str:
    """A schedule's text, once it parses. Raises Invalid with the field."""
    parse_schedule(sent)
    return sent


def explained(place: Place[World], sent: str) -> dict[str, object]:
    """The JSON face of a schedule: its text, what it says in words, and its next five times."""
    plan = parse_schedule(sent)
    times = plan.next(SHOWN_TIMES, place.world.clock.now()) if plan is not None else ()
    return {
        "schedule": sent,
        "explanation": plan.explain() if plan is not None else None,
        "enabled": _said(place, ENABLED) != "false",
        "next": [stamp(time) for time in times],
    }


def scheduled(place: Place[World], sent: str) -> str:
    """Let the new schedule act at once."""
    place.world.code.schedules.set(place.here.id, sent, _said(place, ENABLED) != "false")
    return sent


def switched(place: Place[World], word: str) -> str:
    """Let the schedule act, or rest, at once."""
    place.world.code.schedules.set(place.here.id, _said(place, SCHEDULE), word != "false")
    return word


def unscheduled(place: Place[World]) -> None:
    """Clear the schedule."""
    place.world.leaves.clear(place.here.id, place.rel)
    scheduled(place, "")


def unswitched(place: Place[World]) -> None:
    """Clear the switch: the schedule acts."""
    place.world.leaves.clear(place.here.id, place.rel)
    switched(place, "true")


def _said(place: Place[World], rel: str) -> str:
    leaf = place.world.leaves.get(place.here.id, rel)
    return leaf.text or "" if leaf is not None else ""


def sealed(place: Place[World], sent: str) -> str:
    """A secret as it is stored."""
    return str(place.world.service.seal.close(sent, f"{place.here.id}/{place.rel}"))


def claim(place: Place[World], sent: str) -> str:
    """A claim that this job may hold:
    a known one, with no share that lets others write (interface, Authentication 10).
    """
    word, *rest = sent.split() or [""]
    if tuple(rest) not in ((), actions(word)):
        raise Invalid(f'send the claim alone, for example "{word}"; its actions follow from it')
    if (share := other_writer(place.world, place.here.id)) is not None:
        raise Denied(
            f'the job is shared writable as "{share}": revoke that share, or share with r or rx, '
            "before the job gets a credential"
        )
    stored = place.world.leaves.get(place.here.id, "config/plan")
    if stored is not None and stored.text:
        try:
            guard(place.world, place.here, from_data(json.loads(stored.text)))
        except Refusal as refusal:
            raise Conflict(str(refusal)) from None
    return word


def shown(place: Place[World]) -> Reply:
    """The claim and its actions, a line each; empty when the job has none."""
    leaf = place.world.leaves.get(place.here.id, place.rel)
    if leaf is None or not leaf.text:
        return Reply(Data({"claim": None, "actions": []}, lambda said: ""), default=True)
    lines = (leaf.text, *actions(leaf.text))
    text = "".join(f"{line}\n" for line in lines)
    return Reply(Data({"claim": lines[0], "actions": lines[1:]}, lambda said: text))


def confer(place: Place[World], word: str) -> None:
    """Set the job's claim."""
    place.world.leaves.put(place.here.id, place.rel, word, place.caller.name)


def revoke(place: Place[World]) -> None:
    """Clear the job's claim."""
    place.world.leaves.clear(place.here.id, place.rel)


def gone(place: Place[World]) -> None:
    """Forget the runs of a job that is removed."""
    place.world.code.runs.retention.discard(place.here.id)


def described(name: str) -> Mapping[str, File]:
    """The declaration of one invocation input and the instructions that go with it."""
    return {
        name: choice("no", "optional", "yes", default="no", about=f"whether callers send {name}"),
        f"{name}_description": text(about=f"what callers should send as {name}", largest=4 * KIB),
    }


def legacy(name: str) -> File:
    """A key of former job types: absent unless the setting `legacy_jobs` keeps it (decisions 31b)."""
    return text(
        about=f"{name} of a former job type; kept, never executed",
        rules={Verb.READ: READER & KEEPS_LEGACY, Verb.WRITE: WRITER & KEEPS_LEGACY},
        listed=NOBODY,
        veiled=SIGNED_IN,
    )


OPTIONS = Dir(
    {
        "comments": flag(True, about="whether the job takes comments"),
        **described("stdin"),
        **described("argv"),
        **described("input"),
    },
    about="what callers are told of the inputs; nothing is enforced",
)

CONFIG = Dir(
    {
        "type": choice("chains", default="chains", about="kind of the job"),
        "chains": text(
            check=chain,
            accept=open_circle,
            largest=64 * KIB,
            rules={Verb.WRITE: CHAIN_WRITER},
            about="the chain of images that a run executes",
        ),
        "plan": Derived(
            parsed,
            of=("chains",),
            rules={Verb.READ: NOBODY},
            listed=NOBODY,
            veiled=SIGNED_IN,
            about="the chain as data",
        ),
        "schedule": text(
            check=schedule,
            accept=scheduled,
            clear=unscheduled,
            largest=KIB,
            data=explained,
            about="cron line with optional TZ= and comment",
        ),
        "enabled": flag(True, accept=switched, clear=unswitched, about="whether scheduled triggers fire"),
        "access": File(
            shown,
            confer,
            accept=claim,
            clear=revoke,
            largest=KIB,
            values=tuple(CLAIMS),
            rules={Verb.WRITE: MASTER},
            about="the claim of the run credential that steps get",
        ),
        "env": Each(
            Param("variable"),
            File(
                silent=True, accept=sealed, largest=64 * KIB, about="a secret variable: written, never read"
            ),
            name=ENV_NAME,
            name_rule=ENV_RULE,
            upsert=True,
            candid=True,
            rules={Verb.WRITE: MASTER},
            about="environment of every step, sealed; names only",
        ),
        "spaces": text(
            check=mounts,
            largest=64 * KIB,
            rules={Verb.WRITE: MASTER},
            about="spaces mounted below /mnt, a line each",
        ),
        "options": OPTIONS,
        **{name: legacy(name) for name in LEGACY},
    },
    rules={Verb.READ: READER, Verb.WRITE: WRITER},
    about="how the job runs",
)

JOB = Dir(
    {
        **meta("j", {Verb.WRITE: WRITER}),
        "threads": THREADS,
        "vars": VARIABLES,
        "config": CONFIG,
        "data": action(
            trigger,
            needs=X & SIGNED_IN,
            wants="raw",
            media=INPUTS,
            largest=JSON_LARGEST,
            long=True,
            open_ended=lambda place: "respond-async" not in hints_of(place.call).prefer,
            about="triggers a run with what is sent",
        ),
        "log": log_file(latest_log, "the latest run's log", rules={Verb.READ: READER}),
        "stats": Dir(
            {"runs": value(history, about="every run there was")},
            rules={Verb.READ: READER},
            about="histories",
        ),
        "runs": RUNS,
        "status": text(about="free text", largest=KIB, rules={Verb.WRITE: WRITER}),
    },
    about="a job",
)
JOBS = Items("job", JOB, home=True, gone=gone, about="jobs")
