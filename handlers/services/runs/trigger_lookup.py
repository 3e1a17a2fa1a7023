"""Triggers of jobs: what their lines name, looked up with the rights of the people behind the job."""

from __future__ import annotations

from chains.language.trigger_lines import TriggerKind, TriggerLine
from handlers.services.references import References, Refusal
from handlers.services.rights import absence_of, place_of, refusal_of
from vfs.access import people_in_turn
from vfs.ports.items import Item

TRIGGERS = "config/triggers"
KINDS = {TriggerKind.PUSH: "repo", TriggerKind.CHANGED: "space", TriggerKind.AFTER: "job"}
NEEDS = "r"
"""To be told what happens to an item is to read it."""


def subject_of(references: References, job: Item, author: str | None, line: TriggerLine) -> Item:
    """Return the item that a line names.

    Raises Refusal unless the job's owner and the last writer of the line may read it. What is absent and what
    is invisible have the same words.
    """
    kind, owner, subject = KINDS[line.kind], line.owner or job.owner, job
    for person in people_in_turn(job.owner, author):
        found = references.find(kind, owner, line.name, person)
        if found is None and owner == job.owner:
            raise Refusal(absence_of(kind, owner, line.name))
        if found is None or not references.allows(person, found, NEEDS):
            raise Refusal(refusal_of(person, place_of(kind, owner, line.name), NEEDS))
        subject = found.item
    return subject
