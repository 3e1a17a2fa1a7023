"""The page of what was done to an item, newest first."""

from __future__ import annotations

from handlers.pages.items.item_path import ItemPath
from handlers.pages.owning.item_form import head_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from vfs.access import Verb
from vfs.call import Data

WORDS = {
    "made": "made it",
    "renamed": "gave it another address",
    "wrote": "wrote",
    "cleared": "cleared",
    "shared": "shared it with",
    "unshared": "took the share back from",
    "made public": "shared it with everybody",
    "made private": "took the share with everybody back",
    "commented": "commented",
    "ran": "had it run",
    "ran, failed": "had it run, which failed:",
    "ran, canceled": "had it run, which was canceled:",
    "ran, rejected": "had it run, which was rejected:",
    "wrote results": "had its results written by",
    "wrote no results": "had it run, whose results could not be written:",
    "pushed": "pushed to",
    "built": "had it built:",
    "built, failed": "had it built, which failed:",
}


def show(at: ItemPath, request: PageRequest) -> Page:
    """The page. Raises NotFound, Denied or Unauthenticated if the caller does not read the item."""
    after = request.query.get("after", "")
    head = head_of(at, request)
    told = request.call(Verb.READ, at.api / "activity", query={"after": after} if after else {}).value
    assert isinstance(told, Data)
    facts = {
        "head": head,
        "title": head.title,
        "rows": told.value["activity"],
        "after": told.value["after"],
        "later": after,
        "words": WORDS,
    }
    return Page("activity.html", facts)
