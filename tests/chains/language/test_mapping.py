"""The mapping language: every form, every option, any text at all, and its speed."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chains.language.mapping import (
    Binding,
    MappingFault,
    PlotOptions,
    PlotRef,
    parse,
    query_options,
    with_name,
    with_owner,
)
from chains.language.mistake import Mistake

CORPUS = Path(__file__).parent / "corpus"
GOOD = sorted(CORPUS.glob("*.mapping"))
BAD = sorted((CORPUS / "bad").glob("*.mapping"))
KIB = 1024


def text_of(path: Path) -> str:
    return path.read_bytes().decode()


def golden(path: Path):
    return json.loads(path.with_suffix(f"{path.suffix}.json").read_text())


def data(bound: dict[str, Binding]) -> dict[str, object]:
    """Bindings as plain data, without what is at its default."""
    return {
        label: {
            key: value
            for key, value in {**binding.ref._asdict(), **binding.options._asdict()}.items()
            if value not in (None, "", False) or (key, value) == ("transparent_background", False)
        }
        for label, binding in bound.items()
    }


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_mapping_reads_as_its_golden_data_says(path):
    assert data(parse(text_of(path))) == golden(path)


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_mistake_is_named_and_placed(path):
    with pytest.raises(Mistake) as refused:
        parse(text_of(path))
    mistake = refused.value
    assert {"mistake": mistake.label, "line": mistake.line, "column": mistake.column} == golden(path)
    assert path.stem.startswith(mistake.label)
    assert len(mistake.detail) < 400


def test_every_mistake_has_a_bad_mapping():
    assert {MappingFault(golden(path)["mistake"]) for path in BAD} == set(MappingFault)


def test_a_binding_that_says_no_more_has_the_defaults():
    assert parse("A => /p/a") == {"A": Binding(PlotRef(None, "a"), PlotOptions())}
    assert PlotOptions() == (False, False, None, None, None)


FORMS = {
    "x1m2b": PlotRef(None, "x1m2b", True),
    "/p/a-1": PlotRef(None, "a-1"),
    "p/a_1": PlotRef(None, "a_1"),
    "/u/ann/p/a": PlotRef("ann", "a"),
    "u/ann/p/a": PlotRef("ann", "a"),
    "https://h.example/u/ann/p/a": PlotRef("ann", "a", False, "https://h.example"),
    "http://h:80/below/u/u/p/p": PlotRef("u", "p", False, "http://h:80/below"),
}
NAMES = {
    "include_header": ("h", {"t": True, "true": True, "f": False, "false": False}),
    "include_caption": ("c", {"t": True, "true": True, "f": False, "false": False}),
    "mode": ("m", {"l": "light", "light": "light", "d": "dark", "dark": "dark"}),
    "scale": ("s", {"1": 1, "2": 2, "3": 3}),
    "transparent_background": ("tbg", {"t": True, "true": True, "f": False, "false": False}),
}
DEFAULTS = dict.fromkeys(NAMES) | {"include_header": False, "include_caption": False}


@st.composite
def lines(draw):
    """A line, its label, and what it is to be read as."""
    label = draw(st.sampled_from(["A", "B", "Sales", "Ø"]))
    spelled = draw(st.sampled_from(sorted(FORMS)))
    wanted = dict(DEFAULTS)
    sent = []
    for form in ("query", "comma"):
        options = []
        for name in draw(st.lists(st.sampled_from(sorted(NAMES)), max_size=3)):
            alias, values = NAMES[name]
            word = draw(st.sampled_from([name, alias]))
            value = draw(st.sampled_from([*values, "x", "", "TRUE", "0"]))
            options.append(f"{word}={value}")
            if (form, word) != ("query", "s"):
                wanted[name] = values.get(value, DEFAULTS[name])
        sent.append(options)
    query, comma = "&".join(sent[0]), ",".join(sent[1])
    line = f"{label}=>{spelled}{'?' * bool(query)}{query}{',' * bool(comma)}{comma}"
    gaps = draw(st.lists(st.integers(0, len(line)), max_size=4))
    for gap in sorted(gaps, reverse=True):
        line = line[:gap] + draw(st.sampled_from([" ", "\t", "　", "\u2028"])) + line[gap:]
    return line, label, Binding(FORMS[spelled], PlotOptions(**wanted))


SKIPPED = st.sampled_from(["", "A", "A -> x1m2b", "# B => !", "A-B => x1m2b", "=>", " \t"])


@given(st.lists(lines() | SKIPPED, max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_was_written_is_read(written, end):
    wanted = {line[1]: line[2] for line in written if not isinstance(line, str)}
    assert parse(end.join(line if isinstance(line, str) else line[0] for line in written)) == wanted


@given(st.text() | st.text("AB=> /up?,&mhs\r\n\t\x00", max_size=100))
@example("\ud800 => \ud800")
@example("A\x00 => x\x00")
def test_any_text_is_bindings_or_a_mistake(text):
    read = bindings_or_mistake(text)
    if isinstance(read, Mistake):
        assert len(read.detail) < 500
        assert read.excerpt
        return
    assert all(label.isalnum() for label in read)


def bindings_or_mistake(text: str) -> dict[str, Binding] | Mistake:
    try:
        return parse(text)
    except Mistake as mistake:
        return mistake


HOSTILE = [
    "A" * 64 * KIB,
    "A=>" + "/p/a" * 16 * KIB,
    "A=>http://" + "/u/a/p/" * 9 * KIB,
    "A=>http://" + "/p/" * 21 * KIB,
    "A=>x?" + "m=d&" * 16 * KIB,
    "A=>x" + ",m=d" * 16 * KIB,
    "=>" * 32 * KIB,
    "A=>x\n" * 13 * KIB,
    " " * 64 * KIB,
    "A" + " " * 60 * KIB + "= > !",
    "= " * 32 * KIB + "\n" + "A = > !",
    "A" + "=" * 32 * KIB + ">!",
    "".join(f"A{number}=>a{number},h={number}\n" for number in range(4000)),
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_nothing_of_the_largest_size_takes_long(text):
    start = time.process_time()
    bindings_or_mistake(text)
    assert time.process_time() - start < 1


def seconds(bindings: int) -> float:
    """The least processor time of several readings, a binding."""
    text = "".join(f"L{number} => /u/ann/p/plot-{number}?m=d, h=t\n" for number in range(bindings))
    best = 1.0
    for _ in range(5):
        start = time.process_time()
        parse(text)
        best = min(best, time.process_time() - start)
    return best / bindings


def test_reading_is_linear():
    parse("A => x1m2b")
    assert seconds(10_000) < 3 * seconds(100)
    assert seconds(10_000) < 50e-6


MAPPED = st.lists(
    st.tuples(
        st.sampled_from(["A", "B", "é1", "C_"]),
        st.sampled_from([" => ", "=>", " = > ", "\t=>", " -> "]),
        st.sampled_from(
            [
                "/p/x",
                "p/x",
                "/p/u",
                " p / x ",
                "/u/o/p/x",
                "u/o/p/x/",
                "https://h/p/x",
                "https://h/u/o/p/x",
                "x1",
                "?",
            ]
        ),
        st.sampled_from(["", "?m=d", ", m=d", "/", "?scale=2&p/x, h=t"]),
        st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    ).map("".join),
    max_size=6,
).map("".join)


@given(st.sampled_from(["", "\ufeff"]), MAPPED | st.text())
def test_a_mapping_for_another_owner_binds_the_same_plots(mark, text):
    text = mark + text
    try:
        bound = parse(text)
    except Mistake:
        bound = None
    made = with_owner(text, "ann")
    kept = iter(made)
    assert all(sign in kept for sign in text)
    assert with_owner(made, "bob") == made
    if bound is not None:
        assert parse(made) == {
            label: one if one.ref.short or one.ref.owner else one._replace(ref=one.ref._replace(owner="ann"))
            for label, one in bound.items()
        }


@given(st.sampled_from(["", "\ufeff"]), MAPPED | st.text())
def test_a_mapping_follows_the_name_of_a_plot(mark, text):
    text = mark + text
    try:
        bound = parse(text)
    except Mistake:
        bound = None
    for owner in ("o", "ann"):
        made = with_name(text, owner, "x", "zz_9")
        assert made.replace("zz_9", "x") == text
        if bound is not None:
            assert parse(made) == {
                label: one._replace(ref=one.ref._replace(name="zz_9"))
                if (one.ref.owner or owner, one.ref.name, one.ref.short) == (owner, "x", False)
                else one
                for label, one in bound.items()
            }


def test_how_a_name_is_written_in_a_mapping():
    assert with_name("A = > / p / n o\r\nB =>p/no2 \n# p/no", "ann", "no", "yes") == (
        "A = > / p / yes\r\nB =>p/no2 \n# p/no"
    )


def test_a_query_sets_the_options_that_it_spells_rightly() -> None:
    assert query_options({"mode": "dark", "no": "such", "m": "?"}).items() >= {"mode": "dark"}.items()
    assert query_options({"no": "such"}) == {}
