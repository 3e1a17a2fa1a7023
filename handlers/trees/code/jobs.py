"""Jobs: a chain of images, its configuration, and the file that triggers runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial

from chains.language.ast import Chain, JobRef, to_data
from chains.language.chain import parse
from chains.language.named_items import named_in_mounts, named_in_plan, named_in_triggers
from chains.language.result_lines import parse_results
from chains.language.trigger_lines import TriggerKind, parse_triggers, with_name
from chains.runs.mask import SHORTEST, maskable
from chains.runs.states import Overlap
from handlers.rules.job_files import LEGACY, json_schema
from handlers.rules.kinds import ResourceKind
from handlers.rules.mounts import parse as parse_mounts
from handlers.rules.scopes import NAMES as CLAIMS
from handlers.services.references import References, admit_chain
from handlers.services.run_notices import withdraw_waiting
from handlers.services.runs.job_triggers import TRIGGERS
from handlers.services.runs.kept_inputs import INPUTS, JSON_LARGEST
from handlers.services.runs.trigger_cycles import admit_no_cycle
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.code.chain_check import (
    CHAIN_CHECK,
    check_chain,
    remark_on_chain,
    remark_on_mounts,
)
from handlers.trees.code.job_access import (
    MASTER,
    READER,
    WRITER,
    admit_claim,
    admit_share,
    clear_claim,
    read_claim,
    remark_on_code,
    remark_on_secrets,
    seal,
    set_claim,
)
from handlers.trees.code.job_config import (
    ALERTS,
    STEPS,
    accept_no_cycle,
    remark_on_triggers,
    triggers_data,
)
from handlers.trees.code.job_copy import COPIED, COPIER, finish_copy
from handlers.trees.code.job_hooks import HOOKS
from handlers.trees.code.logs import latest_log, log_file
from handlers.trees.code.run_rows import history, job_states
from handlers.trees.code.runs import RUNS
from handlers.trees.code.trigger import trigger
from handlers.trees.facets.meta import meta
from handlers.trees.facets.renames import PLAN, RESULTS, SPACES, draft_mending, finish_rename
from handlers.trees.facets.result_writer import accept_results, remark_on_results
from handlers.trees.facets.schedule import schedule_file, switch_file, text_of
from handlers.trees.facets.threads import THREADS
from handlers.trees.facets.variables import VARIABLES
from vfs.access import Verb
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import KIB, Derived, Dir, Each, File, Items
from vfs.param import Param
from vfs.parts import action, choice, flag, parsed_by, text, value
from vfs.rules import FIRST_HAND, NOBODY, SIGNED_IN, Rule, W, X

ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
ENV_RULE = "a letter or _, then up to 127 more letters, digits and _"
CHAIN_CHAPTER = "/docs/chains"
OF_PROGRAMS = frozenset(("PATH", "HOME", "SHELL", "ENV", "BASH_ENV", "PYTHONHOME", "PYTHONPATH"))
CONFIDED = ("config/env", "config/access")


KIND = ResourceKind(
    name="job",
    family="code",
    folder="jobs",
    title="Jobs",
    letter="j",
    says="runs programs, by clock or call",
    takes="config/chains",
    further_pages={"hooks": "Hooks"},
    shows="Runs",
    rights={"x": "run", "r": "read", "rx": "run and read", "rwx": "run, read and edit"},
    paged=True,
    default_type="chains",
    scopes={"jobs:run": "rx", "propose": "rx"},
    candid=False,
    secrets=("config/env/", "config/access", "config/plan"),
    schema=json_schema,
    refers_in={
        SPACES: named_in_mounts,
        PLAN: named_in_plan,
        RESULTS: named_in_mounts,
        TRIGGERS: named_in_triggers,
    },
    chain_ref=JobRef,
    mended_in={TRIGGERS: partial(with_name, TriggerKind.AFTER)},
    admit_share=admit_share,
    states=job_states,
    ended=lambda world, job: world.code.runs.retention.discard(job.id),
)


def has_secrets(context: Context[World]) -> bool:
    """Return whether the job has secrets that a writer of its chain could print or mount (R-10)."""
    marks = context.world.leaves.under(context.here.id, "config")
    return any(mark.rel.startswith(CONFIDED) for mark in marks) or bool(
        parse_mounts(text_of(context, SPACES))
    )


CHAIN_WRITER = (
    W
    & FIRST_HAND
    & Rule(
        "the owner while env, spaces or access are set",
        lambda p: p.owned or not has_secrets(p),
        "its owner while config/env, config/spaces or config/access are set",
    )
)
KEEPS_LEGACY = Rule("legacy jobs", lambda p: p.world.service.settings.legacy_jobs, "the setting legacy_jobs")


@lru_cache(16)
def parse_once(text: str) -> Chain:
    """Return the parsed chain of a text, cached during its write. Raises Mistake with line and column."""
    return parse(text)


@contextmanager
def _chapter() -> Iterator[None]:
    """Add the name of the chapter on chains to a refusal."""
    try:
        yield
    except Invalid as refusal:
        refusal.detail += f" ({CHAIN_CHAPTER} shows every mark)"
        raise


def chain_text(sent: str) -> str:
    """Return the text of a chain unchanged if it parses. Raises Mistake."""
    with _chapter():
        parse_once(sent)
    return sent


def accept_chain(context: Context[World], sent: str) -> str:
    """Return the text of a chain if its job neither runs nor starts itself. Raises Invalid."""
    with _chapter():
        admit_chain(References(context.world), context.here, parse_once(sent), context.me)
    plan = json.dumps(to_data(parse_once(sent)))
    admit_no_cycle(context.world, context.here, context.me, {PLAN: plan})
    return sent


def chain_data(context: Context[World], sources: Mapping[str, str]) -> str:
    """Return the chain as data, stored with the text so that triggers need not parse."""
    return json.dumps(to_data(parse_once(sources["chains"]))) if sources["chains"] else ""


def remark_on_name(name: str) -> str:
    """Return a note if a variable affects how programs are found and started, ignoring case."""
    if name.upper() in OF_PROGRAMS or name.upper().startswith("LD_"):
        return f"note: programs of a step are found and started by {name}: if it is wrong, every run fails\n"
    return ""


def remark_on_variable(context: Context[World], sealed: str) -> str:
    """Return notes on a value too short to be masked in logs, and on who can read it by pushing code."""
    secret = context.world.service.seal.open(sealed, f"{context.here.id}/{context.rel}")
    shown = {line for line in secret.splitlines() if line} - maskable(secret)
    short = f"note: logs do not mask values or lines of fewer than {SHORTEST} characters\n" if shown else ""
    return short + remark_on_name(context.name) + remark_on_secrets(context)


def stop_runs(context: Context[World]) -> None:
    """Stop the runs of a job that is deleted."""
    context.world.code.runs.retention.stop(context.here.id)
    withdraw_waiting(context.world, context.here.id)


def input_option(name: str) -> Mapping[str, File]:
    """Return the declarations of one input option and of its description."""
    return {
        name: choice("no", "optional", "yes", default="no", about=f"whether callers send {name}"),
        f"{name}_description": text(about=f"what callers should send as {name}", largest=4 * KIB),
    }


def legacy(name: str) -> File:
    """Return a key of former job types: absent unless `legacy_jobs` is set (decisions 31b)."""
    return text(
        about=f"{name} of a former job type; kept, never executed",
        rules={Verb.READ: READER & KEEPS_LEGACY, Verb.WRITE: WRITER & KEEPS_LEGACY},
        listed=NOBODY,
        hidden=SIGNED_IN,
    )


OPTIONS = Dir(
    {
        "comments": flag(True, about="whether the job takes comments"),
        **input_option("stdin"),
        **input_option("argv"),
        **input_option("input"),
    },
    about="the job's inputs, described for callers; not enforced",
)

CONFIG = Dir(
    {
        "type": choice("chains", default=KIND.default_type, about="kind of the job"),
        "chains": text(
            check=chain_text,
            accept=accept_chain,
            remark=lambda context, sent: remark_on_chain(context, parse_once(sent)) + remark_on_code(context),
            view=check_chain,
            trial=check_chain,
            query=CHAIN_CHECK,
            largest=64 * KIB,
            rules={Verb.WRITE: CHAIN_WRITER},
            about=f"the chain of images that a run executes; {CHAIN_CHAPTER} shows every mark",
        ),
        "plan": Derived(
            chain_data,
            of=("chains",),
            rules={Verb.READ: NOBODY},
            listed=NOBODY,
            hidden=SIGNED_IN,
            about="the chain as data",
        ),
        "schedule": schedule_file(about="cron line with optional TZ= and comment"),
        "triggers": text(
            check=parsed_by(parse_triggers),
            accept=accept_no_cycle,
            remark=remark_on_triggers,
            largest=8 * KIB,
            data=triggers_data,
            rules={Verb.WRITE: CHAIN_WRITER},
            about="what else starts the job, a line each: a push, files of a space, the end of another job",
        ),
        "enabled": switch_file("whether the schedule, triggers and hooks act"),
        "overlap": choice(
            *Overlap,
            default=Overlap.ALLOW,
            about="what a new run does while an earlier one has not ended: begin beside it, be left out, "
            "wait for its end, or cancel it",
        ),
        "access": File(
            read_claim,
            set_claim,
            accept=admit_claim,
            clear=clear_claim,
            largest=KIB,
            values=CLAIMS,
            rules={Verb.WRITE: MASTER},
            about="the claim of the run credential that steps get",
        ),
        "env": Each(
            Param("variable"),
            File(
                silent=True,
                accept=seal,
                remark=remark_on_variable,
                largest=64 * KIB,
                about="a secret variable: written, never read",
            ),
            name=ENV_NAME,
            name_rule=ENV_RULE,
            upsert=True,
            candid=True,
            rules={Verb.WRITE: MASTER},
            about="environment of every step, sealed; names only",
        ),
        "spaces": text(
            check=parsed_by(parse_mounts),
            accept=accept_no_cycle,
            remark=lambda context, sent: (
                remark_on_mounts(context, parse_mounts(sent)) + remark_on_secrets(context)
            ),
            largest=64 * KIB,
            rules={Verb.WRITE: MASTER},
            about="spaces mounted below /mnt, a line each",
        ),
        "results": text(
            check=parsed_by(parse_results),
            accept=lambda context, sent: accept_no_cycle(context, accept_results(context, sent)),
            remark=remark_on_results,
            largest=8 * KIB,
            rules={Verb.WRITE: CHAIN_WRITER},
            about="where outputs of a successful run are written to, a line each",
        ),
        "steps": STEPS,
        "alerts": ALERTS,
        "options": OPTIONS,
        **{name: legacy(name) for name in LEGACY},
    },
    rules={Verb.READ: READER, Verb.WRITE: WRITER},
    about="how the job runs",
)

JOB = Dir(
    {
        **meta(KIND, {Verb.WRITE: WRITER}),
        "threads": THREADS,
        "vars": VARIABLES,
        "config": CONFIG,
        "hooks": HOOKS,
        "data": action(
            trigger,
            needs=X & SIGNED_IN,
            wants="raw",
            media=INPUTS,
            largest=JSON_LARGEST,
            long=True,
            open_ended=lambda context: "respond-async" not in hints_of(context.call).prefer,
            about="triggers a run with a JSON document of at most `max_bytes`, or with files of any size",
        ),
        "log": log_file(latest_log, "the latest run's log", rules={Verb.READ: READER}),
        "stats": Dir(
            {"runs": value(history, about="all runs")},
            rules={Verb.READ: READER},
            about="histories",
        ),
        "runs": RUNS,
        "status": text(about="free text", largest=KIB, rules={Verb.WRITE: WRITER}),
    },
    about="a job",
)
JOBS = Items(
    KIND,
    JOB,
    canonical=True,
    copies=COPIED,
    copier=COPIER,
    copied=finish_copy,
    gone=stop_runs,
    mending=partial(draft_mending, KIND),
    renamed=partial(finish_rename, KIND),
    about="jobs",
)
