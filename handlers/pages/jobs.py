"""The page of a job: its chain, its runs and triggers, and the form that starts one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from chains.language.ast import Chain, Phase, RepoRef, from_data
from chains.language.trigger_lines import parse_triggers
from handlers.pages.acting.fields import at_field
from handlers.pages.chain_drawing import ChainDrawing, StepBox, draw_chain
from handlers.pages.forms import RunInput, SentForm, unknown_form
from handlers.pages.items.item_head import item_head
from handlers.pages.items.item_path import ItemPath, item_of
from handlers.pages.repos.builds import build_log, build_rows
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.run_bars import run_bars
from handlers.services.descriptions import description_html
from handlers.services.runs.job_triggers import TRIGGERS
from handlers.trees.code import repos
from handlers.trees.code.job_access import readers_by_code
from handlers.trees.facets.result_writer import RESULTS, behind_results
from vfs.access import Verb
from vfs.errors import Denied, Invalid
from vfs.path import Path

NEWEST, MOST_FOLLOWED = 30, 40
BEGUN = "jobbegun"
"""The key of the sentence about a job that was created to run at once."""
RESTS = {"pause": ("false", "resume"), "resume": ("true", "pause")}
"""The value of `config/enabled` after each form, and the form that undoes it."""
STATES = ("config", "alerts", "state")
INPUTS = ("stdin", "argv", "input")
UNTOLD = {"stdin": "no", "argv": "no", "input": "optional"}


def show(job: ItemPath, request: PageRequest) -> Page:
    """Return the page. Raises NotFound or Unauthenticated if the caller sees no such job."""
    rows = {row.name: row for row in request.read(job.api)}
    texts = request.texts(job.api)
    reads = "config/chains" in texts
    plan = texts.get("config/plan")
    chain = from_data(json.loads(plan)) if plan else None
    drawing = _draw_plan(chain) if chain else None
    writes = request.may(Verb.WRITE, job.api / ("config", "chains"))
    runs = _history(request, job, NEWEST) if reads else []
    facts = {
        "job": job,
        "head": item_head(request, job, lead=texts.get("summary", ""), writes=writes),
        "about": description_html(request.world, texts.get("description", ""), job.user),
        "reads": reads,
        "writes": writes,
        "runs_it": "data" in rows and Verb.WRITE in rows["data"].verbs,
        "chain": texts.get("config/chains", ""),
        "drawing": drawing,
        "size": (len(chain.steps), len(chain.edges)) if chain else (0, 0),
        "schedule": _schedule(request, job) if texts.get("config/schedule") else None,
        "inputs": _inputs(texts),
        **_warnings(request, job),
        "runs": runs,
        "bars": run_bars(runs),
        "most": NEWEST,
        "troubles": [row for row in request.peek(job.api / STATES, ()) if row["state"] != "well"],
        "may_run": _runners(request, job),
        "begun": _first_run(request, job, chain) if request.query.get("done") == BEGUN else None,
    }
    facts["triggers"] = triggers_of(request, job) if reads else None
    facts["rests_alone"] = request.may(Verb.WRITE, job.api / ("config", "enabled"))
    facts["rests"] = facts["rests_alone"] and facts["schedule"]
    return Page("job.html", facts)


def act(job: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Handle a form of the page: pause or resume, change triggers, or start a run and redirect to it."""
    if form["do"] in RESTS:
        word, undo = RESTS[form["do"]]
        request.write(job.api / ("config", "enabled"), word)
        return Redirect(str(job.page), done=f"{form['do']}d", undo={"do": undo})
    if form["do"] in (ADD, END):
        return change_triggers(job, request, form)
    if form["do"] != "run":
        raise unknown_form()
    inputs = _inputs(request.texts(job.api))
    needed = inputs["input"]["wanted"] == "yes"
    body = RunInput(form, _typed_input(form, inputs), file_needed=needed)
    try:
        reply = request.call(
            Verb.WRITE, job.api / "data", body, client="webpage", prefer={"respond-async": ""}
        )
    except Denied as refused:
        if "run" not in refused.members or not request.may(Verb.READ, job.api / "runs"):
            raise
        return Redirect(str(job.page / refused.members["run"]))
    return Redirect(str(job.page / Path.parse(reply.location or "")[-1]))


def _draw_plan(chain: Chain) -> tuple[ChainDrawing, ChainDrawing] | None:
    """Return the drawing of a chain that is not running."""
    nodes = [
        StepBox(
            step.label,
            f"{step.ref}" + (" · once per file" if step.fan_out else ""),
            before="planned" if Phase.BEFORE in step.holds else "",
            after="planned" if Phase.AFTER in step.holds else "",
        )
        for step in chain.steps
    ]
    return draw_chain(nodes, chain.edges)


def _history(request: PageRequest, job: ItemPath, most: int) -> list[Mapping[str, Any]]:
    """Return the rows of the newest runs that the caller may read, newest first."""
    return [{"name": row.name, **row.extra} for row in request.peek(job.api / "runs", ())[:most]]


def _first_run(request: PageRequest, job: ItemPath, chain: Chain | None) -> Mapping[str, Any] | None:
    """Return the image that a new job's first run waits for, with its build; None without a repository."""
    ref = chain.steps[0].ref if chain else None
    if not isinstance(ref, RepoRef):
        return None
    repo = ItemPath(repos.KIND, ref.owner or job.user, ref.repo)
    rows = build_rows(request, repo.api)
    log = build_log(request, repo.api, rows[0], MOST_FOLLOWED) if rows else None
    state = str(request.peek(repo.api / "status", "")).strip()
    # A script shows the message only once, then removes it from the address.
    address = f"{job.page}?{request.ask.environ.get('QUERY_STRING', '')}"
    return {"at": repo, "log": log, "state": state, "live": state == "building", "address": address}


def _typed_input(form: SentForm, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the typed input in the shape that the job's `json_schema` declares."""
    typed: dict[str, Any] = {}
    if inputs["stdin"]["wanted"] != "no" and form["stdin"]:
        typed["stdin"] = form["stdin"].replace("\r\n", "\n")
    if inputs["argv"]["wanted"] != "no" and form["argv"].strip():
        typed["argv"] = [line for line in form["argv"].replace("\r\n", "\n").split("\n") if line]
    for name in ("stdin", "argv"):
        if inputs[name]["wanted"] == "yes" and name not in typed:
            raise Invalid(f"this job needs {name}: fill it in, then press Run again")
    return typed


def _inputs(texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the inputs of the job; a caller who may not read them gets a file field."""
    wanted = {name: texts.get(f"config/options/{name}", UNTOLD[name]) for name in INPUTS}
    about = {name: texts.get(f"config/options/{name}_description", "") for name in INPUTS}
    return {name: {"wanted": wanted[name], "about": about[name]} for name in INPUTS}


def _runners(request: PageRequest, job: ItemPath) -> Sequence[str]:
    """Return the accounts that the owner's shares let run the job; only for the owner."""
    shares = [row.name.rpartition("~") for row in request.peek(job.api / "shared", ())]
    return [name for name, _, letters in shares if "x" in letters]


def _warnings(request: PageRequest, job: ItemPath) -> Mapping[str, Sequence[str]]:
    """Return sentences on other accounts with power over the job; only for the owner.

    `readers` can read its secrets by pushing, those `behind` it control what it writes to documents.
    """
    item = item_of(request, job) if request.caller.name == job.user else None
    if item is None:
        return {"readers": (), "behind": ()}
    leaf = request.world.leaves.get(item.id, RESULTS)
    behind = behind_results(request.world, item, leaf.text or "") if leaf is not None else ()
    return {"readers": readers_by_code(request.world, item), "behind": list(behind)}


def _schedule(request: PageRequest, job: ItemPath) -> Mapping[str, Any] | None:
    said: Mapping[str, Any] = request.peek(job.api / ("config", "schedule"), {"explanation": None})
    return said if said["explanation"] else None


ADD, END = "trigger", "untrigger"


def triggers_of(request: PageRequest, job: ItemPath) -> Mapping[str, Any]:
    """Return the triggers of a job that the caller may read, and whether the caller may change them."""
    at = job.api / TRIGGERS.split("/")
    facts = request.peek(at, {"lines": [], "enabled": True})
    return {**facts, "writes": request.may(Verb.WRITE, at)}


def change_triggers(job: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Add or delete a trigger. Raises Mistake at the field."""
    at = job.api / TRIGGERS.split("/")
    with at_field("trigger"), request.world.atomic():
        text = request.texts(job.api).get(TRIGGERS, "")
        if form["do"] == ADD:
            lines = [*text.splitlines(), form["trigger"].strip()]
        else:
            ended = {line.line for line in parse_triggers(text) if str(line) == form["trigger"]}
            lines = [line for number, line in enumerate(text.splitlines(), 1) if number not in ended]
        request.write(at, "\n".join(lines))
    undo = {"do": END if form["do"] == ADD else ADD, "trigger": form["trigger"]}
    return Redirect(str(job.page), done="trigger-made" if form["do"] == ADD else "trigger-ended", undo=undo)
