"""Kept documents, mails and grids that show little keep nobody waiting; what is more of a look says so."""

from __future__ import annotations

import pytest

from handlers.server.application import WouldWait
from handlers.services.documents.found_parts import FEW_PARTS
from handlers.services.documents.parsed_content import SHORT_LIST
from handlers.services.grid_cells import FEW_PLOTS, SHORT_TEXTS
from tests.handlers.household import TREE, Household
from tests.handlers.hurried import hurry
from tests.handlers.services.documents.stage import DOC, Reader
from vfs.access import Verb
from vfs.path import Path
from vfs.quickness import is_quick

BOARD = "/v1/vis/grids/board"
PDF, SVG = f"{DOC}/files/doc.pdf", f"{BOARD}/files/grid.svg"
SHOWS = "{{ vis ref: /g/board }}\n"


def read(household: Household, path: str) -> str:
    """The tag of a file that may be made now."""
    tag: str = household.read("alice", path).tag
    return tag


def test_a_kept_document_that_shows_little_keeps_nobody_waiting(
    household: Household, renderer: Reader
) -> None:
    assert is_quick(TREE, Verb.READ, Path.parse(PDF))
    with pytest.raises(WouldWait):
        hurry(household, PDF)
    tag = read(household, PDF)
    renderer.orders.clear()
    assert hurry(household, PDF).tag == tag
    household.write("bob", "/v1/vis/plots/three/data", "other")
    household.write("alice", f"{DOC}/content", "# Other")
    with pytest.raises(WouldWait):
        hurry(household, PDF)
    assert renderer.orders == []


@pytest.mark.parametrize(("parts", "waits"), [(FEW_PARTS, False), (FEW_PARTS + 1, True)])
def test_a_document_of_many_parts_is_no_short_look(
    household: Household, renderer: Reader, parts: int, waits: bool
) -> None:
    household.write(
        "alice", f"{DOC}/content", "".join(f"{{/u/alice/p/one/v/v{at}}}\n" for at in range(parts))
    )
    tag = read(household, PDF)
    if waits:
        with pytest.raises(WouldWait):
            hurry(household, PDF)
    else:
        assert hurry(household, PDF).tag == tag


def test_a_document_of_two_grids_is_no_short_look(household: Household, renderer: Reader) -> None:
    household.write("alice", f"{DOC}/content", SHOWS)
    assert hurry_after_read(household, PDF)
    household.call("alice", Verb.CREATE, "/v1/vis/grids/other")
    household.write("alice", f"{DOC}/content", SHOWS + "{{ vis ref: /g/other }}\n")
    assert not hurry_after_read(household, PDF)


def test_a_long_list_of_what_is_referred_to_is_no_short_look(household: Household, renderer: Reader) -> None:
    name = "n" * 100
    household.write(
        "alice",
        f"{DOC}/content",
        "".join(f"{{{{ img ref: {name}{at}.png }}}}\n" for at in range(SHORT_LIST // len(name))),
    )
    assert not hurry_after_read(household, PDF)


@pytest.mark.parametrize(("plots", "waits"), [(FEW_PLOTS, False), (FEW_PLOTS + 1, True)])
def test_a_grid_of_many_plots_is_no_short_look(
    household: Household, renderer: Reader, plots: int, waits: bool
) -> None:
    labels = [f"B{at:02}" for at in range(plots)]
    rows = "".join(f"|{{{label}}}|\n+-----+\n" for label in labels)
    household.write("alice", f"{BOARD}/layout", f"+-----+\n{rows}")
    household.write("alice", f"{BOARD}/mapping", "".join(f"{label} => /p/one\n" for label in labels))
    assert hurry_after_read(household, SVG) is not waits


def test_a_long_text_of_a_grid_is_no_short_look(household: Household, renderer: Reader) -> None:
    assert hurry_after_read(household, SVG)
    household.write("alice", f"{BOARD}/mapping", "A => /p/one\n" + "# words\n" * (SHORT_TEXTS // 8))
    assert not hurry_after_read(household, SVG)


def hurry_after_read(household: Household, path: str) -> bool:
    """Whether a file, once it is kept, keeps nobody waiting."""
    tag = read(household, path)
    try:
        return hurry(household, path).tag == tag
    except WouldWait:
        return False
