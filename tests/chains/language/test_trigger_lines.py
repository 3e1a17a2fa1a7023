"""The lines of config/triggers: what is read, refused with its place, renamed, and which paths fit."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.language.mistake import Mistake
from chains.language.named_items import named_in_triggers
from chains.language.trigger_lines import (
    MOST_LINES,
    TriggerKind,
    folder_of,
    matches,
    parse_triggers,
    with_name,
)

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
OWNERS = st.none() | NAMES
PARTS = st.text("ab.*?", min_size=1, max_size=5).filter(lambda part: "**" not in part and part != ".")
PATTERNS = st.lists(PARTS | st.just("**"), min_size=1, max_size=5).map("/".join)
PATHS = st.lists(st.text("ab.", min_size=1, max_size=4), min_size=1, max_size=6).map("/".join)


def push(owner: str | None, name: str, label: str) -> str:
    return f"push {f'@{owner}/' if owner else ''}{name}{label and f':{label}'}"


def changed(owner: str | None, name: str, pattern: str) -> str:
    return f"changed {f'/u/{owner}' if owner else ''}/s/{name}{pattern and f'/{pattern}'}"


def after(owner: str | None, name: str, ends: str) -> str:
    return f"after {f'/u/{owner}' if owner else ''}/j/{name} {ends}"


LINES = (
    st.builds(push, OWNERS, NAMES, st.just("") | NAMES)
    | st.builds(changed, OWNERS, NAMES, st.just("") | st.just("in/*.csv") | st.just("a b/**/#1"))
    | st.builds(after, OWNERS, NAMES, st.sampled_from(["success", "failed", "success|failed"]))
)


@given(
    st.lists(LINES, max_size=MOST_LINES, unique=True), st.sampled_from(["\n", "\n\n", "  # why\n", "\r\n"])
)
def test_lines_are_read_as_they_are_written(lines: list[str], between: str) -> None:
    assert [str(line) for line in parse_triggers(between.join(lines))] == lines


@given(st.lists(LINES, max_size=6, unique=True), st.sampled_from(TriggerKind), NAMES, NAMES)
def test_a_renamed_item_is_renamed_wherever_it_is_named(
    lines: list[str], kind: TriggerKind, was: str, name: str
) -> None:
    text = "\n".join([*lines, f"# {was}", {"push": f"push {was}:x", "changed": f"changed /s/{was}/{was}",
        "after": f"after /j/{was}"}[kind]])  # fmt: skip
    found = {(one.letter, one.owner or "me", one.name) for one in named_in_triggers(text)}
    if not found:
        return  # the last line may say what an earlier one says
    mended = with_name(kind, text, "me", was, name)
    expected = {
        (letter, owner, name if (letter, owner, old) == (kind.letter, "me", was) else old)
        for letter, owner, old in found
    }
    try:
        parse_triggers(mended)
    except Mistake:
        return  # two lines say the same now
    assert {(one.letter, one.owner or "me", one.name) for one in named_in_triggers(mended)} == expected
    assert mended.count("\n") == text.count("\n") and f"# {was}" in mended


def by_regex(pattern: str) -> re.Pattern[str]:
    """Another reading of a pattern: one expression that tries everything."""
    wanted = pattern.split("/")
    if wanted[-1] == "**":
        wanted.append("*")
    said = "".join(
        "(?:[^/]+/)*"
        if part == "**"
        else re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]") + "/"
        for part in wanted
    )
    return re.compile(said)


@given(PATTERNS, PATHS)
def test_a_path_fits_as_by_another_reading_of_the_pattern(pattern: str, path: str) -> None:
    assert matches(pattern, path) == bool(by_regex(pattern).fullmatch(f"{path}/"))
    if matches(pattern, path):
        folder = folder_of(pattern)
        assert f"{path}".startswith(f"{folder}/" if folder else "")


@pytest.mark.parametrize(
    "text, place",
    [
        ("push", (1, 1)),
        ("push words\nwhenever x", (2, 1)),
        ("  push /s/words", (1, 8)),
        ("changed /s/x//a", (1, 9)),
        ("changed /s/x/../a", (1, 9)),
        ("changed /s/x/a**b", (1, 9)),
        ("after /j/x canceled", (1, 7)),
        ("push a\npush  a", (2, 7)),
        ("\n".join(f"push a{n}" for n in range(MOST_LINES + 1)), (MOST_LINES + 1, 6)),
        (f"push {'a' * 500}", (1, 1)),
    ],
)
def test_a_mistake_has_its_place(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(Mistake) as caught:
        parse_triggers(text)
    assert (caught.value.line, caught.value.column) == place


def test_reading_and_matching_take_linear_time() -> None:
    def seconds(size: int) -> float:
        began = time.process_time()
        for pattern, path in (("*a" * size, "a" * 8 * size), ("**/a/" * size + "b", "a/" * 8 * size + "c")):
            assert not matches(pattern + "b", path)
        return time.process_time() - began

    assert seconds(40) < 40 * max(seconds(10), 0.001)
