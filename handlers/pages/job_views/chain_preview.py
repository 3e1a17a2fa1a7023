"""Preview of a chain and a schedule that are being written: drawing, mistakes, fixes, times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.chain_drawing import StepBox, draw_chain
from handlers.pages.items.item_path import ItemPath
from handlers.pages.job_parts import words
from handlers.pages.request import PageRequest
from vfs.access import Verb
from vfs.body import TextBody
from vfs.call import Data
from vfs.errors import Denied
from vfs.path import Path

CHECK = {"check": ""}
WHY = {"empty": " · no image yet", "missing": " · image gone"}


def preview(request: PageRequest, job: ItemPath, texts: Mapping[str, str]) -> dict[str, Any]:
    """The facts of the texts as they are now, stored or not. Raises vfs.errors but for mistakes in them."""
    chain = texts.get("config/chains", "")
    told = _report_on(request, job.api / ("config", "chains"), chain) if chain.strip() else None
    drawing = _drawing(told) if told else None
    steps = told["steps"] if told else ()
    return {
        "check": told,
        "wrong_line": told["mistakes"][0]["line"] if told and told["mistakes"] else 0,
        "fix": _fix(chain, told),
        "carets": _carets(chain, told),
        "drawing": drawing,
        "words": words([step["label"] for step in steps], told["edges"]) if told and drawing else "",
        "lacking": [step for step in steps if step["found"] is False or step["image"] in WHY],
        "lines": chain.count("\n") + 1,
        "when": _report_on(request, job.api / ("config", "schedule"), texts.get("config/schedule", "")),
    }


def apply_fix(request: PageRequest, job: ItemPath, text: str) -> str:
    """A chain after the fix of its first mistake; as it is where none is known."""
    fix = _fix(text, _report_on(request, job.api / ("config", "chains"), text))
    return fix["whole"] if fix else text


def _report_on(request: PageRequest, file: Path, text: str) -> Mapping[str, Any]:
    """The report on a text; on the stored one for callers who may not write another."""
    try:
        reply = request.send(Verb.WRITE, file, TextBody(text), query=CHECK)
    except Denied:
        reply = request.send(Verb.READ, file, query=CHECK)
    assert isinstance(reply.value, Data)
    told: Mapping[str, Any] = reply.value.value
    return told


def _drawing(told: Mapping[str, Any]) -> Any:
    nodes = [
        StepBox(
            step["label"],
            step["ref"] + (" · once per file" if step["fan_out"] else "") + _lack(step),
            "failed" if step["found"] is False else "",
            before="planned" if "before" in step["holds"] else "",
            after="planned" if "after" in step["holds"] else "",
        )
        for step in told["steps"]
    ]
    return draw_chain(nodes, told["edges"])


def _lack(step: Mapping[str, Any]) -> str:
    return " · not there for you" if step["found"] is False else WHY.get(step["image"], "")


def _fix(text: str, told: Mapping[str, Any] | None) -> dict[str, str] | None:
    """Text to write instead, and the whole text after it."""
    edit = told["mistakes"][0]["fix"] if told and told["mistakes"] else None
    if not edit:
        return None
    lines = text.split("\n")
    line, at = lines[edit["line"] - 1], edit["column"] - 1
    lines[edit["line"] - 1] = line[:at] + edit["text"] + line[at + edit["length"] :]
    return {"text": edit["text"].strip(), "whole": "\n".join(lines)}


def _carets(text: str, told: Mapping[str, Any] | None) -> str:
    """The wrong line with a sign below each wrong character."""
    if not told or not told["mistakes"] or not told["mistakes"][0]["line"]:
        return ""
    one = told["mistakes"][0]
    line = text.split("\n")[one["line"] - 1].replace("\t", " ")
    begin = max(0, one["column"] - 60)
    length = min(one["length"], 60)
    return f"{line[begin : begin + 120]}\n{' ' * (one['column'] - 1 - begin)}{'^' * length}"
