"""Writes that are only tried: answered in their place, and nothing is stored."""

from __future__ import annotations

from typing import Any

import pytest

from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Denied, NotFound

TIGHT = "/me/boxes/toolbox/tight"
CHECK = {"check": ""}


@pytest.mark.parametrize("verb", [Verb.WRITE, Verb.CREATE])
def test_a_trial_answers_and_stores_nothing(kernel: Any, verb: Verb) -> None:
    kernel.ask("ann", Verb.WRITE, TIGHT, "hammer")
    tried = kernel.ask("ann", verb, TIGHT, TextBody("screwdriver"), query=CHECK)
    assert tried.value == "screwdriver"
    assert kernel.read("ann", TIGHT) == "hammer"


def test_without_the_query_it_is_written_and_what_is_removed_is_not_tried(kernel: Any) -> None:
    kernel.ask("ann", Verb.WRITE, TIGHT, "hammer")
    assert kernel.read("ann", TIGHT) == "hammer"
    kernel.ask("ann", Verb.REMOVE, TIGHT, query=CHECK)
    assert kernel.read("ann", TIGHT) == ""


def test_it_needs_the_right_to_write(kernel: Any) -> None:
    there = "/users/ann/boxes/toolbox/tight"
    with pytest.raises(NotFound):
        kernel.ask("bob", Verb.WRITE, there, TextBody("x"), query=CHECK)
    kernel.share("@bob", "r")
    with pytest.raises(Denied):
        kernel.ask("bob", Verb.WRITE, there, TextBody("x"), query=CHECK)
