"""Items that texts name, by what of each language counts as a name."""

from __future__ import annotations

import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.language.ast import to_data
from chains.language.chain import parse
from chains.language.named_items import (
    MOST_NAMED,
    named_in_mapping,
    named_in_mounts,
    named_in_plan,
    named_in_prose,
    named_in_triggers,
    short_name,
)
from vfs.ports.items import ItemName

NAMES = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,12}", fullmatch=True)
LETTERS = st.sampled_from("pgdmrjs")


@given(st.lists(st.tuples(LETTERS, st.one_of(st.just(""), NAMES), NAMES)))
def test_prose_names_what_stands_in_it(names: list[tuple[str, str, str]]) -> None:
    text = " and ".join(
        f"/u/{owner}/{letter}/{name}" if owner else f"/{letter}/{name}" for letter, owner, name in names
    )
    assert named_in_prose(text) == tuple(dict.fromkeys(ItemName(*one) for one in names))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{{ vis ref: /p/sales }}", [("p", "", "sales")]),
        ("{{ vis ref: Ab3dE }}", [("", "", "Ab3dE")]),
        ("a value of /d/report/v/total.", [("d", "", "report")]),
        ("(https://host.example/u/ann/p/sales)", [("p", "ann", "sales")]),
        ("https://host.example/p/Ab3dE?m=d", [("p", "", "Ab3dE"), ("", "", "Ab3dE")]),
        ("p/sales", [("p", "", "sales")]),
        ("/u/ann and /xx/p/sales, ~/p/sales, up/sales, prefer: x", []),
    ],
)
def test_forms_of_prose(text: str, found: list[tuple[str, str, str]]) -> None:
    assert list(named_in_prose(text)) == [ItemName(*one) for one in found]


def test_a_mapping_names_the_plots_of_its_labels() -> None:
    text = "A => /p/one\nB => /u/ann/p/two, m=d\nC => Ab3dE\nA => /p/three\n"
    assert set(named_in_mapping(text)) == {
        ItemName("p", "", "three"),
        ItemName("p", "ann", "two"),
        short_name("Ab3dE"),
    }
    assert named_in_mapping("A => /x/sales") == ()


def test_mounts_name_spaces_but_not_in_remarks() -> None:
    text = "data => /u/ann/s/field,rw  # not /u/ann/s/other\n# /u/ann/s/third\n"
    assert named_in_mounts(text) == (ItemName("s", "ann", "field"),)


def test_a_plan_names_repos_and_jobs() -> None:
    plan = json.dumps(to_data(parse("a <- @ann/step\nb <- /j/inner\na -> b -> own\n")))
    assert set(named_in_plan(plan)) == {
        ItemName("r", "ann", "step"),
        ItemName("j", "", "inner"),
        ItemName("r", "", "own"),
    }
    for broken in ("", "{", "[]", "{}", '{"steps": [{}], "edges": []}'):
        assert named_in_plan(broken) == ()


def test_of_many_names_the_first_are_found_and_no_text_takes_long() -> None:
    assert len(tuple(named_in_prose(" ".join(f"/p/n{n}" for n in range(MOST_NAMED + 1))))) == MOST_NAMED
    for text in ("http://", "/u/a", "ref: ", "p/", "https://h/u/", "ref:    ", "/p/x", "a" * 9, "-/"):
        start = process_time()
        named_in_prose(text * (300_000 // len(text)))
        assert process_time() - start < 3


def test_triggers_name_what_happens_to_them_and_a_text_with_a_mistake_names_nothing() -> None:
    text = "push words\nchanged /u/bob/s/orders/*.csv\nafter /j/fetch failed\nafter /j/fetch\n"
    found = [(one.letter, one.owner, one.name) for one in named_in_triggers(text)]
    assert found == [("r", "", "words"), ("s", "bob", "orders"), ("j", "", "fetch")]
    assert list(named_in_triggers(f"{text}whenever")) == []
