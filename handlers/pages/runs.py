"""The page of a run: its state, log and results, and the forms that stop or answer it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handlers.pages.chain_drawing import StepBox, draw_chain, shorten
from handlers.pages.files import file_page
from handlers.pages.files.file_tree import FileTree
from handlers.pages.files.folder_page import folder_facts
from handlers.pages.files.stored_files import StoredFiles
from handlers.pages.forms import Json, SentForm, unknown_form
from handlers.pages.framing.moments import lasting
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import NOTHING, PageRequest
from handlers.pages.result import Answered, Page, Redirect
from handlers.rules.run_failures import failure_of
from handlers.trees.code.jobs import KIND
from handlers.trees.code.spaces import KIND as SPACE
from vfs.access import Verb
from vfs.call import Data, Outcome
from vfs.errors import Denied, Invalid, NotFound, VfsError
from vfs.path import Path

LIVE = ("processing", "canceling")
LAST_LINES = 500
LOG_SIZE = 200_000
LONGEST_LINE = 2_000
NO_STEPS: Mapping[str, Any] = {"steps": (), "edges": ()}
NO_FILES: Mapping[str, Any] = {"input": None, "output": None}
DONE_BY = {"cancel": "canceled", "continue": "continued", "decline": "declined"}
HOLD = "hold"
SIDES = {"inputs": "Input", "outputs": "Output"}
"""The read-only files of a run, with their titles."""
WORDS = {"cancel": ("status", "canceled"), "continue": ("hold", "continue"), "decline": ("hold", "decline")}


@dataclass(frozen=True, slots=True)
class RunPath:
    """A run as in the address of its page."""

    user: str
    name: str
    run: str

    @property
    def job(self) -> ItemPath:
        """The job in the address."""
        return ItemPath(KIND, self.user, self.name)

    @property
    def api(self) -> Path:
        """Its folder in the tree."""
        return self.job.api / ("runs", self.run)

    @property
    def page(self) -> Path:
        """Its page."""
        return self.job.page / self.run


def show(of: RunPath, request: PageRequest) -> Page:
    """Return the page; with `?log=no` without the lines of its log.

    Raises NotFound or Unauthenticated if the caller sees no such run, Denied if the caller may neither read
    nor answer it.
    """
    may_stop = request.may(Verb.WRITE, of.api / "status")
    facts = {
        "job": of.job,
        "run": of,
        "title": request.peek(of.job.api / "name", "") or of.name,
        "may_stop": may_stop,
        "may_answer": request.may(Verb.WRITE, of.api / "hold"),
        "may_repeat": request.may(Verb.WRITE, of.api / "rerun"),
    }
    try:
        stats = request.read(of.api / "stats")
    except Denied:
        result = _own_result(request, of)
        if result is None and not may_stop:
            raise
        return Page("unread.html", {**facts, "result": result})
    return Page(
        "run.html",
        {
            **facts,
            **_state_facts(request, of, stats, logged=request.query.get("log") != "no"),
        },
    )


def _own_result(request: PageRequest, of: RunPath) -> Mapping[str, Any] | None:
    """Return the result or state for a caller who started the run but may not read it; else None."""
    try:
        reply = request.call(Verb.READ, of.api / "result")
    except VfsError as error:
        status = error.members.get("run_status")
        return (
            None if status is None else {"status": status, "said": error.detail, "file": None, "hold": None}
        )
    if reply.outcome is not Outcome.ACCEPTED:
        return {"status": "success", "said": "", "file": reply.filename, "hold": None}
    assert isinstance(reply.value, Data)
    data = reply.value.value
    return {"status": data["status"], "said": "", "file": None, "hold": data.get("hold")}


def act(of: RunPath, request: PageRequest, form: SentForm) -> Redirect:
    """Handle a form of the page, then show the run again."""
    do = form["do"]
    if do in ("rerun", "resume"):
        body = Json(_resumption(form)) if do == "resume" else NOTHING
        reply = request.call(
            Verb.WRITE, of.api / "rerun", body, client="webpage", prefer={"respond-async": ""}
        )
        page = str(of.job.page / Path.parse(reply.location or "")[-1])
        if do == "resume":
            return Redirect(page, done="from-step", values={"step": form["from"]})
        return Redirect(page, done="started")
    if do in WORDS:
        name, word = WORDS[do]
        request.write(of.api / name, word)
    else:
        raise unknown_form()
    return Redirect(str(of.page), done=DONE_BY[do])


def _resumption(form: SentForm) -> Mapping[str, str]:
    """Return the fields of a rerun that begins at the chosen step."""
    return {"from": form["from"], "images": "latest" if form["latest"] else "same"}


def _state_facts(
    request: PageRequest, of: RunPath, stats: Mapping[str, Any], *, logged: bool
) -> dict[str, Any]:
    """Return the template values of a run: its state, steps, holds, files and log."""
    data = request.peek(of.api / "steps", NO_STEPS)
    steps = fold(data["steps"])
    hold = _open_hold(data) if stats["status"] == "waiting" else None
    wrong = stats["status"] in ("failed", "rejected")
    lines = request.peek(of.api / "log") if logged or wrong else ()
    shown = _last_lines(lines or ())
    return {
        "stats": stats,
        "live": stats["status"] in LIVE,
        "why": str(request.peek(of.api / "why", "")) if stats["status"] == LIVE[0] else "",
        "steps": steps,
        "ways": (ways := data.get("rerun_from", ())),
        "stopped": next((step.name for step in steps if step.name in ways and step.status != "success"), ""),
        "holds": [one for one in data.get("holds", ()) if one["waiting_since"]],
        "hold": hold,
        "parked": _hold_folder(request, of, hold) if hold and hold["folder"] else None,
        "drawing": _drawing(steps, data, stats),
        "about": request.peek(of.api / "description", {"html": ""})["html"],
        "files": request.peek(of.api / "files", NO_FILES),
        "readable": {side: _readable(request, of, f"{side}s", stats) for side in NO_FILES},
        "log": None if lines is None else shown,
        "left_out": len(lines or ()) - len(shown),
        "failure": failure_of([(one["severity"], one["message"]) for one in lines or ()]) if wrong else None,
        "by_hand": (request.peek(of.api / "by_hand", "") or "").splitlines() if wrong else (),
    }


def _readable(request: PageRequest, of: RunPath, side: str, stats: Mapping[str, Any]) -> tuple[Path, ...]:
    """Return the page and API path of a finished run's files; empty for what the caller may not read."""
    there = stats["status"] not in LIVE and request.peek(of.api / side) is not None
    return (of.page / side, of.api / side) if there else ()


def _hold_folder(request: PageRequest, of: RunPath, hold: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the files of the hold at which a run waits; None for callers who may not read them."""
    try:
        tree = _hold_files(request, of, hold)
        return folder_facts(tree, (), request, request.call(Verb.READ, tree.content))
    except (Denied, NotFound):
        return None


def files_of(of: RunPath, side: str, request: PageRequest) -> FileTree:
    """Return a run's files at one of SIDES or its hold. Raises NotFound, Invalid if it no longer waits."""
    if side == HOLD:
        hold = _open_hold(request.read(of.api / "steps"))
        if hold is None or hold["folder"] is None:
            raise Invalid("the run is no longer waiting, so its files cannot be changed")
        return _hold_files(request, of, hold)
    pages = of.page / side
    return FileTree(
        at=ItemPath(KIND, of.user, of.name),
        title=of.run,
        words=SIDES[side],
        content=of.api / side,
        front=pages,
        pages=pages,
        above=_above(request, of),
    )


def show_files(of: RunPath, side: str, names: Sequence[str], request: PageRequest) -> Page:
    """Return the page of a folder or file of a run. Raises NotFound, Gone, Denied or Unauthenticated."""
    return file_page.show(files_of(of, side, request), names, request)


def act_on_files(
    of: RunPath, side: str, names: Sequence[str], request: PageRequest, form: SentForm
) -> Answered:
    """Handle a form of that page."""
    return file_page.act(files_of(of, side, request), names, request, form)


def _hold_files(request: PageRequest, of: RunPath, hold: Mapping[str, Any]) -> StoredFiles:
    """Return the files of a hold, which names their space as `/u/<owner>/s/<space>`."""
    _, owner, _, space = Path.parse(hold["folder"])
    at = ItemPath(SPACE, owner, space)
    content = at.api / "content"
    return StoredFiles(
        at=at,
        title=of.run,
        words="Files of the hold",
        content=content,
        front=of.page,
        pages=of.page / HOLD,
        above=_above(request, of),
        writes=request.may(Verb.CREATE, content / "-"),
        warning="They are not passed to the next step.",
    )


def _above(request: PageRequest, of: RunPath) -> Sequence[tuple[str, str]]:
    title = str(request.peek(of.job.api / "name", "")) or of.name
    user = f"/u/{of.user}"
    return ((user, f"@{of.user}"), ("/jobs", "Jobs"), (str(of.job.page), title), (str(of.page), "Run"))


def _last_lines(lines: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the last lines of a log, limited in number and total size; very long ones are cut."""
    shown: list[Mapping[str, Any]] = []
    room = LOG_SIZE
    for line in reversed(lines[-LAST_LINES:]):
        said = shorten(line["message"], LONGEST_LINE)
        room -= len(said)
        if room < 0:
            break
        shown.append({**line, "message": said})
    return shown[::-1]


def _drawing(steps: list[Folded], data: Mapping[str, Any], stats: Mapping[str, Any]) -> Any:
    """Return the drawing of the plan with the state of each step and each hold."""
    at = {(hold["step"], hold["phase"]): _hold_status(hold, stats) for hold in data.get("holds", ())}
    nodes = [
        StepBox(
            step.name,
            step.note,
            step.status,
            before=at.get((step.name, "before"), ""),
            after=at.get((step.name, "after"), ""),
        )
        for step in steps
    ]
    return draw_chain(nodes, data["edges"])


def _hold_status(hold: Mapping[str, Any], stats: Mapping[str, Any]) -> str:
    if hold["settled_at"]:
        return str(hold["outcome"])
    return "waiting" if hold["waiting_since"] and stats["status"] == "waiting" else "planned"


def _open_hold(data: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the hold at which the run waits."""
    open_ones = (one for one in data.get("holds", ()) if one["waiting_since"] and not one["settled_at"])
    return next(open_ones, None)


MOST_SHOWN = 60
FIRST = ("failed", "running", "canceled", "pending", "success")


@dataclass(frozen=True, slots=True)
class Folded:
    """A step with the rows of its replicas: the number in each state, and those that are shown."""

    row: Mapping[str, Any]
    counts: Mapping[str, int]
    shown: tuple[Mapping[str, Any], ...]

    @property
    def name(self) -> str:
        """Its label."""
        return str(self.row["name"])

    @property
    def status(self) -> str:
        """Its state."""
        return str(self.row["status"])

    @property
    def replicas(self) -> int:
        """The number of its replicas."""
        return sum(self.counts.values())

    @property
    def note(self) -> str:
        """A note for a box: the duration, or the progress of the replicas."""
        if self.replicas and self.status in ("running", "failed"):
            return f"{self.counts.get('success', 0)} of {self.replicas} files done"
        if "output_of" in self.row:
            return "not repeated"
        seconds = self.row["duration"]
        took = lasting(seconds) if seconds is not None else self.status
        if self.row.get("attempt", 1) > 1:
            took = f"{took} · attempt {self.row['attempt']}"
        return f"{took} · {self.replicas} files" if self.replicas else took


def fold(rows: Iterable[Mapping[str, Any]]) -> list[Folded]:
    """Return the steps in their order."""
    own: dict[str, Mapping[str, Any]] = {}
    replicas: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["replica_index"] is None:
            own[row["name"]] = row
        else:
            replicas.setdefault(row["name"], []).append(row)
    return [_fold_step(row, replicas.get(name, [])) for name, row in own.items()]


def _fold_step(row: Mapping[str, Any], replicas: list[Mapping[str, Any]]) -> Folded:
    counts = Counter(one["status"] for one in replicas)
    shown = sorted(replicas, key=lambda one: (FIRST.index(one["status"]), one["replica_index"]))
    return Folded(
        row, {word: counts[word] for word in reversed(FIRST) if counts[word]}, tuple(shown[:MOST_SHOWN])
    )
