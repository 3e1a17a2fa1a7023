"""Notes of plots: each line is read back, and mistakes are refused with their line and column."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.look.annotations import MOST, Annotation, known_annotations, read_annotations
from handlers.render.plots.look.data_settings import BadSetting
from handlers.trees.visuals.plots import CHECKS
from vfs.errors import Invalid

WORDS = st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters='"“„«'), max_size=12)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('2008-09-15 "Lehman"', Annotation(1, "2008-09-15", text="Lehman")),
        ('  y 100 "target"', Annotation(1, "100", text="target", upward=True)),
        ('2008-01..2009-06 band "recession"', Annotation(1, "2008-01", "2009-06", "recession")),
        ('2008-01..2009-06 "recession"', Annotation(1, "2008-01", "2009-06", "recession")),
        ("y 10 .. 20", Annotation(1, "10", "20", upward=True)),
        ('x 5 "five"', Annotation(1, "5", text="five")),
        ("South Korea „neu“", Annotation(1, "South Korea", text="neu")),
        ("York", Annotation(1, "York")),
        ('2026-03.. dashed "plan"', Annotation(1, "2026-03", text="plan", dashed=True)),
        ("2026-03..dashed", Annotation(1, "2026-03", dashed=True)),
        ("Jaw dashed", Annotation(1, "Jaw dashed")),
        ("..2026-03 dashed", None),
        ("2026-03..2026-04 dashed", None),
        ("y 5.. dashed", None),
        ("y", None),
        ('"Lehman"', None),
    ],
)
def test_lines(line: str, wanted: Annotation | None) -> None:
    if wanted is None:
        with pytest.raises(BadSetting):
            read_annotations(line)
    else:
        assert read_annotations(line) == (wanted,)


@given(WORDS, st.integers(-999, 999))
def test_words_are_kept(words: str, value: int) -> None:
    (note,) = read_annotations(f'y {value} "{words}"')
    assert (note.text, note.values) == (words, (float(value),))


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ('2008 "a"\n  "b"', 2, 3, "a note begins with its place"),
        ('2008 "a', 1, 6, 'the words are not closed: write " after them'),
        ('2008 "a" 2009', 1, 9, "a note ends with its words"),
        ("y high", 1, 3, '"high" is no number'),
        ("y 5..2", 1, 3, "write y 2..5"),
        ("2008..", 1, 1, "a band has two ends"),
        ('2008 band "b"', 1, 1, "a band has two ends"),
        ("1\n" * (MOST + 1), MOST + 1, 1, f"up to {MOST} notes"),
        (f'1 "{"a" * 200}"', 1, 4, "up to 120 characters"),
        ("a" * 200, 1, 1, "up to 120 characters"),
    ],
)
def test_mistakes_are_refused_with_their_places(text: str, line: int, column: int, said: str) -> None:
    with pytest.raises(Invalid, match=f"^line {line}, column {column}: ") as refusal:
        CHECKS["notes"](text)
    assert said in refusal.value.detail
    assert refusal.value.members["rejected"][0]["line"] == line
    kept, notes = known_annotations(text)
    assert len(kept) == min(line - 1, MOST) and notes[0].startswith("config/notes: line ")
