"""The language of config/results: what it takes, where it finds mistakes, and what a rename changes in it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chains.language.mistake import Mistake
from chains.language.result_lines import MOST_LINES, ResultFault, ResultTarget, parse_results, with_name

NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,12}", fullmatch=True)
OWNERS = st.none() | st.from_regex(r"[a-z0-9][a-z0-9_-]{0,8}", fullmatch=True)
PARTS = st.text(
    st.characters(exclude_characters='"#/', exclude_categories=("Z", "C")), min_size=1, max_size=8
)
# A comma before a blank or at the end of a line ends a path, as ", send" may follow.
PATHS = st.lists(PARTS, max_size=3).map(tuple).filter(lambda parts: not "".join(parts).endswith(","))
TARGETS = st.builds(ResultTarget, OWNERS, st.sampled_from("pdgmjsr"), NAMES, PATHS)
OUTPUTS = st.text(st.characters(exclude_characters='"', exclude_categories=("C",)), min_size=1, max_size=12)


def test_lines_name_outputs_and_targets_with_their_places() -> None:
    text = '\ufeffchart.csv => /p/sales\r\n\n#\n"a b.csv"=>/u/ann/s/box/2026/a.csv/ # kept\n t => /d/w/v/x'
    assert [(str(line), line.line, line.column) for line in parse_results(text)] == [
        ("chart.csv => /p/sales", 1, 15),
        ("a b.csv => /u/ann/s/box/2026/a.csv", 4, 12),
        ("t => /d/w/v/x", 5, 7),
    ]
    assert parse_results("") == parse_results("# nothing\n\n") == ()


@pytest.mark.parametrize(
    ("text", "fault", "place"),
    [
        ("a => p/x", ResultFault.BAD_TARGET, (1, 6)),
        ("a =>", ResultFault.BAD_TARGET, (1, 5)),
        ("a => /u/x", ResultFault.BAD_TARGET, (1, 6)),
        ("a => \nb => /p/x", ResultFault.BAD_TARGET, (1, 6)),
        ("a", ResultFault.BAD_LINE, (1, 2)),
        ("\n a b => /p/x", ResultFault.BAD_LINE, (2, 4)),
        ("=> /p/x", ResultFault.BAD_LINE, (1, 1)),
        ("a => /p/x, b", ResultFault.BAD_LINE, (1, 10)),
        ("a => /s/x//y", ResultFault.BAD_LINE, (1, 11)),
        ("a => /p/x b => /p/y", ResultFault.BAD_LINE, (1, 11)),
        ('"a => /p/x', ResultFault.BAD_LINE, (1, 1)),
    ],
)
def test_a_mistake_is_named_and_placed(text: str, fault: ResultFault, place: tuple[int, int]) -> None:
    with pytest.raises(Mistake) as refused:
        parse_results(text)
    assert (refused.value.label, (refused.value.line, refused.value.column)) == (fault, place)


@pytest.mark.parametrize("text", ["a => /m/x, sends", "a => /m/x, send me", "a => /m/x send", "a => /p/x, b"])
def test_an_unknown_suffix_is_refused_with_the_allowed_ones(text: str) -> None:
    with pytest.raises(
        Mistake,
        match='a mail or a document may have ", send" behind it, a document or a grid ", snapshot <name>"',
    ):
        parse_results(text)


@pytest.mark.parametrize(
    ("text", "sends", "snapshot"),
    [
        ("a => /d/x", False, None),
        ("a => /d/x, snapshot", False, ""),
        ("a => /d/x ,snapshot 2026-q1 # kept", False, "2026-q1"),
        ("a => /d/x,\tsnapshot\t2026-q1, send", True, "2026-q1"),
        ("a => /d/x, send, snapshot", True, ""),
    ],
)
def test_a_line_says_what_is_done_with_the_item_afterwards(
    text: str, sends: bool, snapshot: str | None
) -> None:
    (line,) = parse_results(text)
    assert (line.sends, line.snapshot, str(line.target)) == (sends, snapshot, "/d/x")
    assert with_name(text, "ann", "d", "x", "report") == text.replace("/d/x", "/d/report")


def test_a_comma_before_a_blank_ends_a_path() -> None:
    variable, file = parse_results("a => /d/x/v/total, snapshot may\nb => /s/x/a,b,.csv")
    assert (variable.target.rest, variable.snapshot) == (("v", "total"), "may")
    assert (file.target.rest, file.snapshot) == (("a,b,.csv",), None)


@pytest.mark.parametrize(
    "text",
    [
        "a => /d/x, snapshot, snapshot",
        "a => /d/x, snapshot A",
        "a => /d/x, snapshots",
        "a => /d/x, snapshot -a",
    ],
)
def test_a_snapshot_has_one_plain_name(text: str) -> None:
    with pytest.raises(Mistake):
        parse_results(text)


def test_the_number_of_lines_is_limited() -> None:
    text = "".join(f"a => /p/x{number}\n" for number in range(MOST_LINES + 1))
    assert len(parse_results(text.rpartition("a")[0])) == MOST_LINES
    with pytest.raises(Mistake) as refused:
        parse_results(text)
    assert (refused.value.label, refused.value.line) == (ResultFault.TOO_MANY, MOST_LINES + 1)


@given(st.lists(st.tuples(OUTPUTS, TARGETS), max_size=6))
def test_what_is_written_is_read_back(lines: list[tuple[str, ResultTarget]]) -> None:
    text = "\n".join(f'"{output}" => {target}' for output, target in lines)
    assert [(one.output, one.target) for one in parse_results(text)] == lines


@given(st.text(st.sampled_from('ab/pu#"=> \n\r\t,é\0') | st.characters()))
@example("a => /p/x\x0b")
def test_any_text_is_read_or_refused_at_a_place_in_it(text: str) -> None:
    refused = None
    try:
        parse_results(text)
    except Mistake as mistake:
        refused = mistake
    rows = text.split("\n")
    assert refused is None or 1 <= refused.line <= len(rows)
    assert refused is None or 1 <= refused.column <= len(rows[refused.line - 1]) + 1


@given(st.lists(TARGETS, max_size=6), NAMES, NAMES)
def test_a_rename_changes_what_named_the_item_and_nothing_else(
    targets: list[ResultTarget], was: str, name: str
) -> None:
    targets = [
        *targets,
        ResultTarget(None, "p", was),
        ResultTarget("ann", "p", was),
        ResultTarget("bob", "p", was),
    ]
    text = "".join(f"a => {target} # /p/{was}\n" for target in targets)
    meant = [
        one._replace(name=name) if (one.owner or "ann", one.letter, one.name) == ("ann", "p", was) else one
        for one in targets
    ]
    assert with_name(text, "ann", "p", was, name) == "".join(f"a => {one} # /p/{was}\n" for one in meant)
