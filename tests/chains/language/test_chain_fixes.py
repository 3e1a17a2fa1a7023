"""Fixes of chains: what is offered makes the mistake right, whatever else the text says."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from chains.language.chain import parse
from chains.language.chain_fixes import LONGEST_LINE, fix_for, wrong_length
from chains.language.mistake import Mistake
from tests.kit.clocks import processor_seconds


def mistake_of(text: str) -> Mistake:
    with pytest.raises(Mistake) as refused:
        parse(text)
    return refused.value


@pytest.mark.parametrize(
    "text, fixed",
    [
        ("split -> .total -> hold(report)", "split -> .total -> !report"),
        ("split -> Fan_Out( resize )", "split -> .resize"),
        ("a => b", "a -> b"),
        ("a→b", "a -> b"),
        ("a > b", "a -> b"),
        ("a | b", "a -> b"),
        ("a -->b", "a -> b"),
        ("a b", "a -> b"),
        ("a = @x/y\na -> b", "a <- @x/y\na -> b"),
        ("a <-- @x/y\na -> b", "a <- @x/y\na -> b"),
        ("a ->  # the end", "a  # the end"),
        ("-> a", "a"),
        ("a -> -> b", "a -> b"),
        (".!a -> b", "!.a -> b"),
        ("a!. -> b", ".a! -> b"),
        ("a. -> b", ".a -> b"),
        ("Split -> b", "split -> b"),
        ("my__step -> b", "my_step -> b"),
        ("A <- @X/y\nA -> b", "a <- @X/y\nA -> b"),
        ("a <- @X/y\na -> b", "a <- @x/y\na -> b"),
        ("a -> x!y", "a -> x_y"),
        ("@alice/split -> b", "split <- @alice/split\nsplit -> b"),
        ("a -> !/j/daily", "daily <- /j/daily\na -> !daily"),
        ("x <- @alice/split\na -> b", "\na -> b"),
        ("a -> b\na -> b  # again", "a -> b\n"),
        ("a, b -> c", "a -> c\nb -> c"),
        ("a \x07-> b", "a -> b"),
    ],
)
def test_a_fix_says_what_was_meant(text: str, fixed: str) -> None:
    fix = fix_for(text, mistake_of(text))
    assert fix is not None
    assert fix.apply(text) == fixed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a -> b\nb -> a",
        "a -> b -> c\na -> c\na -> b -> d",
        "a -> b <- c",
        "a -> .j\nj <- /j/x\nj -> b",
        "->",
        "a -> ()",
        "a <- @x/y\na <- @x/z\na -> b",
        "a b " + "x" * LONGEST_LINE,
    ],
)
def test_nothing_is_offered_where_nothing_is_known(text: str) -> None:
    assert fix_for(text, mistake_of(text)) is None


def test_a_mistake_has_the_length_of_its_word() -> None:
    assert wrong_length("a -> hold(b)", mistake_of("a -> hold(b)")) == 7
    assert wrong_length("", mistake_of("")) == 0
    trailing = Mistake.at(mistake_of("a b").label, "nothing is here", "a ", 1, 2)
    assert wrong_length("a ", trailing) == 1


def place_of(text: str) -> tuple[int, int]:
    """Where the mistake of a text is; after everything where it has none."""
    try:
        parse(text)
    except Mistake as mistake:
        return mistake.line, mistake.column
    return len(text) + 1, 1


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(st.text(alphabet='ab @/:.!-><=,|#_()"A\n', max_size=60))
def test_a_fix_leaves_no_mistake_at_its_place(text: str) -> None:
    line, column = place_of(text)
    assume(0 < line <= len(text))
    fix = fix_for(text, mistake_of(text))
    assume(fix is not None)
    assert fix is not None
    left = place_of(fix.apply(text))
    assert left[0] != line or left[1] > column


@pytest.mark.parametrize("lines", [0, 400, 4_000])
def test_the_search_for_a_fix_reads_a_long_chain_a_few_times(lines: int) -> None:
    text = "".join(f"a{number} -> b{number}\n" for number in range(lines)) + "=>" * (LONGEST_LINE // 2)
    mistake = mistake_of(text)
    once = processor_seconds(lambda: mistake_of(text))
    assert processor_seconds(lambda: fix_for(text, mistake)) < 10 * once + 1
