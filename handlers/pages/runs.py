"""The page of a run: where it stands, what it said, what it left, and the forms that stop or answer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handlers.pages import hold_files
from handlers.pages.chain_drawing import StepBox, draw_chain, shorten
from handlers.pages.forms import SentForm
from handlers.pages.job_parts import SIGNED, Command, Folded, JobPath, fold, words
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.run_failures import failure_of
from vfs.access import Verb
from vfs.body import TextBody
from vfs.call import Data, Outcome
from vfs.errors import Denied, Invalid, VfsError
from vfs.path import Path

LIVE = ("processing", "canceling")
LAST_LINES = 500
LOG_SIZE = 200_000
LONGEST_LINE = 2_000
NO_STEPS: Mapping[str, Any] = {"steps": (), "edges": ()}
NO_FILES: Mapping[str, Any] = {"input": None, "output": None}
DONE_BY = {
    "cancel": "canceled", "continue": "continued", "decline": "declined",
    "save": "saved", "upload": "uploaded", "remove": "removed",
}  # fmt: skip
WORDS = {"cancel": ("status", "canceled"), "continue": ("hold", "continue"), "decline": ("hold", "decline")}


@dataclass(frozen=True, slots=True)
class RunPath:
    """A run, as the address of its page names it."""

    user: str
    name: str
    run: str

    @property
    def job(self) -> JobPath:
        """The job that the address names it under."""
        return JobPath(self.user, self.name)

    @property
    def api(self) -> Path:
        """Its folder in the tree."""
        return self.job.api / ("runs", self.run)

    @property
    def page(self) -> Path:
        """Its page."""
        return self.job.page / self.run


def show(of: RunPath, request: PageRequest) -> Page:
    """The page, with `?log=no` all but the lines of its log.

    Raises NotFound or Unauthenticated if the caller sees no such run, Denied if the caller may neither read
    it nor answer for it.
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
            **_standing(request, of, stats, logged=request.query.get("log") != "no"),
            "commands": _commands(request, of, stats),
        },
    )


def _own_result(request: PageRequest, of: RunPath) -> Mapping[str, Any] | None:
    """The end of a run, or where it stands, for whoever triggered it and may not read it; None for others."""
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
    told = reply.value.value
    return {"status": told["status"], "said": "", "file": None, "hold": told.get("hold")}


def act(of: RunPath, request: PageRequest, form: SentForm) -> Redirect:
    """Take a form of the page, then show the run again."""
    do = form["do"]
    if do == "rerun":
        reply = request.call(Verb.WRITE, of.api / "rerun", client="webpage", prefer={"respond-async": ""})
        return Redirect(str(of.job.page / Path.parse(reply.location or "")[-1]), done="started")
    if do in WORDS:
        name, word = WORDS[do]
        request.call(Verb.WRITE, of.api / name, TextBody(word))
    elif do in hold_files.DEEDS:
        hold = _open_hold(request.read(of.api / "steps"))
        if hold is None or hold["folder"] is None:
            raise Invalid("the run does not wait any more, so its files cannot be changed")
        hold_files.DEEDS[do](request, hold["folder"], form)
    else:
        raise Invalid("this page cannot do what the form asks for: open the page again")
    return Redirect(str(of.page), done=DONE_BY[do])


def _standing(request: PageRequest, of: RunPath, stats: Mapping[str, Any], *, logged: bool) -> dict[str, Any]:
    """The facts of a run: its state, steps, holds, files and log."""
    told = request.peek(of.api / "steps", NO_STEPS)
    steps = fold(told["steps"])
    hold = _open_hold(told) if stats["status"] == "waiting" else None
    wrong = stats["status"] in ("failed", "rejected")
    lines = request.peek(of.api / "log") if logged or wrong else ()
    drawing = _drawing(steps, told, stats)
    shown = _last_lines(lines or ())
    return {
        "stats": stats,
        "live": stats["status"] in LIVE,
        "steps": steps,
        "holds": [one for one in told.get("holds", ()) if one["waiting_since"]],
        "hold": hold,
        "parked": hold_files.contents(request, hold["folder"]) if hold and hold["folder"] else None,
        "drawing": drawing,
        "words": words([step.name for step in steps], told["edges"]) if drawing else "",
        "about": request.peek(of.api / "description", {"html": ""})["html"],
        "files": request.peek(of.api / "files", NO_FILES),
        "readable": {side: _readable(request, of, side, stats) for side in NO_FILES},
        "log": None if lines is None else shown,
        "left_out": len(lines or ()) - len(shown),
        "failure": failure_of([(one["severity"], one["message"]) for one in lines or ()]) if wrong else None,
        "by_hand": (request.peek(of.api / "by_hand", "") or "").splitlines() if wrong else (),
    }


def _readable(request: PageRequest, of: RunPath, side: str, stats: Mapping[str, Any]) -> bool:
    """Whether files of a run that does nothing now can be read one by one."""
    return stats["status"] not in LIVE and request.peek(of.api / f"{side}s") is not None


def _last_lines(lines: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The last lines of a log: so many, and together not too much for a page; endless ones are cut."""
    shown: list[Mapping[str, Any]] = []
    room = LOG_SIZE
    for line in reversed(lines[-LAST_LINES:]):
        said = shorten(line["message"], LONGEST_LINE)
        room -= len(said)
        if room < 0:
            break
        shown.append({**line, "message": said})
    return shown[::-1]


def _drawing(steps: list[Folded], told: Mapping[str, Any], stats: Mapping[str, Any]) -> Any:
    """The drawing of the plan with the state of each step and each hold."""
    at = {(hold["step"], hold["phase"]): _stand(hold, stats) for hold in told.get("holds", ())}
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
    return draw_chain(nodes, told["edges"])


def _stand(hold: Mapping[str, Any], stats: Mapping[str, Any]) -> str:
    if hold["settled_at"]:
        return str(hold["outcome"])
    return "waiting" if hold["waiting_since"] and stats["status"] == "waiting" else "planned"


def _open_hold(told: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The hold at which the run waits."""
    open_ones = (one for one in told.get("holds", ()) if one["waiting_since"] and not one["settled_at"])
    return next(open_ones, None)


def _commands(request: PageRequest, of: RunPath, stats: Mapping[str, Any]) -> list[Command]:
    at, text = f"{request.origin}{of.api}", "-H 'Content-Type: text/plain'"
    shown = [
        Command(
            "The log, as it is written" if stats["status"] in LIVE else "The log",
            f"{SIGNED} -N '{at}/log?follow=1'" if stats["status"] in LIVE else f"{SIGNED} {at}/log",
        ),
        Command("Where it stands", f"{SIGNED} {at}/status"),
        Command("Its steps", f"{SIGNED} {at}/steps"),
    ]
    if stats["has_output"]:
        shown.insert(0, Command("The result", f"{SIGNED} -OJ {at}/output"))
    if stats["status"] == "waiting":
        shown.append(Command("Continue", f"{SIGNED} {text} -d continue {at}/hold"))
        shown.append(Command("Decline", f"{SIGNED} {text} -d decline {at}/hold"))
    if stats["completed_on"]:
        shown.append(Command("Run again with the same input", f"{SIGNED} -X POST {at}/rerun"))
    if stats["status"] == "processing":
        shown.append(Command("Stop it", f"{SIGNED} {text} -d canceled {at}/status"))
    return shown
