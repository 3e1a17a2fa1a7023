"""The chain language: every construct, every mistake, any text at all, and its speed."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chains.language.ast import Chain, JobRef, Phase, RepoRef, Step, from_data, reference, to_data
from chains.language.chain import ChainFault, parse
from chains.language.mistake import Mistake
from vfs.errors import Invalid

CORPUS = Path(__file__).parent / "corpus"
GOOD = sorted(CORPUS.glob("*.chain"))
BAD = sorted((CORPUS / "bad").glob("*.chain"))


def text_of(path: Path) -> str:
    return path.read_bytes().decode()


def golden(path: Path):
    return json.loads(path.with_suffix(".json").read_text())


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_chain_reads_as_its_golden_data_says(path):
    assert json.loads(json.dumps(to_data(parse(text_of(path))))) == golden(path)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_plain_data_makes_the_chain_again(path):
    assert from_data(golden(path)) == parse(text_of(path))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_mistake_is_named_and_placed(path):
    with pytest.raises(Mistake) as refused:
        parse(text_of(path))
    mistake = refused.value
    assert {"mistake": mistake.label, "line": mistake.line, "column": mistake.column} == golden(path)
    assert path.stem.startswith(mistake.label)
    assert mistake.detail.startswith(
        f"line {mistake.line}, column {mistake.column}: " if mistake.line else "the "
    )


def test_every_mistake_has_a_bad_chain():
    assert {ChainFault(golden(path)["mistake"]) for path in BAD} == set(ChainFault)


def test_a_mistake_is_an_invalid_value_with_its_line_for_the_error_body():
    with pytest.raises(Invalid) as refused:
        parse("pull -> b\n   pull -> @acme/cut:v2  # here\n")
    reason = (
        'unknown label "@acme/cut:v2": an edge joins labels, so bind it first, as in "cut <- @acme/cut:v2"'
    )
    assert refused.value.detail == f"line 2, column 12: {reason}"
    assert refused.value.members == {
        "rejected": [
            {
                "line": 2,
                "column": 12,
                "mistake": "unknown_label",
                "reason": reason,
                "excerpt": "pull -> @acme/cut:v2  # here",
            }
        ]
    }


def test_the_excerpt_of_a_long_line_shows_the_place():
    with pytest.raises(Mistake) as refused:
        parse(" -> ".join(f"step{number}" for number in range(500)) + " -> Wrong -> last")
    assert "Wrong" in refused.value.excerpt
    assert len(refused.value.excerpt) <= 80


def test_marks_and_references_become_values():
    read = parse("cut <- @acme/splitter:v2\npull -> !.cut!\n")
    cut = Step("cut", RepoRef("acme", "splitter", "v2"), fan_out=True, holds=(Phase.BEFORE, Phase.AFTER))
    assert read == Chain((Step("pull", RepoRef(None, "pull")), cut), (("pull", "cut"),))
    assert all(type(step.label) is str for step in read.steps)


@pytest.mark.parametrize(
    "text,ref,spelling,short",
    [
        ("repo", RepoRef(None, "repo"), "repo", True),
        ("@o/repo", RepoRef("o", "repo"), "@o/repo:latest", False),
        ("@o/repo:v1", RepoRef("o", "repo", "v1"), "@o/repo:v1", False),
    ],
)
def test_a_repo_reference_and_its_spelling(text, ref, spelling, short):
    assert reference(text) == ref
    assert str(ref) == spelling
    assert reference(spelling) == ref
    assert ref.short is short


@pytest.mark.parametrize("text", ["/u/o/j/job", "u/o/j/job"])
def test_a_job_of_somebody(text):
    assert reference(text) == JobRef("o", "job")
    assert str(JobRef("o", "job")) == "/u/o/j/job"


@pytest.mark.parametrize("text", ["/j/job", "j/job"])
def test_a_job_of_the_owner(text):
    assert reference(text) == JobRef(None, "job")
    assert str(JobRef(None, "job")) == "/j/job"


@pytest.mark.parametrize(
    "text", ["", "Repo", "@o", "@o/r:", "@o/r:-x", "o/r", "//j/job", "/u//j/x", "repo\n", "j/a/b"]
)
def test_anything_else_is_no_reference(text):
    assert reference(text) is None


def test_data_that_is_no_chain_is_refused():
    with pytest.raises(ValueError, match="o/r"):
        from_data({"steps": [{"label": "a", "ref": "o/r", "fan_out": False, "holds": []}], "edges": []})


def test_the_limit_counts_bytes_and_can_be_set():
    assert parse("a # é", largest=6) == parse("a")
    with pytest.raises(Mistake, match="larger than 5 bytes"):
        parse("a # é", largest=5)


PIECES = [
    "a",
    "b",
    "cut",
    "@o/r",
    ":v1",
    "/j/x",
    "u/o/j/y",
    "->",
    "<-",
    " ",
    "\n",
    "\r\n",
    "#",
    ".",
    "!",
    ",",
    "|",
    "__",
]
HOSTILE = st.lists(st.sampled_from(PIECES) | st.text(max_size=3)).map("".join) | st.text()


def chain_or_mistake(text: str) -> Chain | Mistake:
    try:
        return parse(text)
    except Mistake as mistake:
        return mistake


@given(HOSTILE)
@example("\ud800 -> b")
@example("a <- \x00")
@example("-> " * 20_000)
@example("a -> " * 13_000 + "a")
@example("\n" * 65_536)
@example("!" * 65_536)
def test_any_text_is_a_chain_or_a_mistake(text):
    read = chain_or_mistake(text)
    if isinstance(read, Mistake):
        assert len(read.detail) < 600
        json.dumps(read.members, ensure_ascii=False).encode()
        assert read.line <= text.count("\n") + 1
        return
    labels = [step.label for step in read.steps]
    assert labels
    assert len(set(labels)) == len(labels)
    assert {label for edge in read.edges for label in edge} <= set(labels)
    assert from_data(json.loads(json.dumps(to_data(read)))) == read


LABELS = [f"s{number}" for number in range(8)]


@st.composite
def chains(draw):
    """A chain without cycles: edges lead from a lower to a higher label; every step has an edge."""
    higher = st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)).filter(
        lambda pair: pair[0] < pair[1]
    )
    edges = tuple(draw(st.lists(higher, min_size=1, max_size=12, unique=True)))
    labels = dict.fromkeys(label for edge in edges for label in edge)
    repos = st.builds(
        RepoRef,
        st.sampled_from(["o", "acme_1"]),
        st.sampled_from(["r", "x-y"]),
        st.sampled_from(["v1", "latest"]),
    )
    holds = st.sampled_from([(), (Phase.BEFORE,), (Phase.AFTER,), (Phase.BEFORE, Phase.AFTER)])
    steps = []
    for label in labels:
        ref = draw(repos | st.just(RepoRef(None, label)) | st.just(JobRef("o", "job")))
        steps.append(Step(label, ref, not isinstance(ref, JobRef) and draw(st.booleans()), draw(holds)))
    return Chain(tuple(steps), edges)


def written(read: Chain, gap: str) -> str:
    """The chain as text: bindings first, then a line an edge, with every mark on every mention."""

    def mention(label: str) -> str:
        step = next(step for step in read.steps if step.label == label)
        signs = [
            "!" * (Phase.BEFORE in step.holds),
            "." * step.fan_out,
            label,
            "!" * (Phase.AFTER in step.holds),
        ]
        return "".join(signs)

    bindings = [f"{step.label}{gap}<-{gap}{step.ref}" for step in read.steps if str(step.ref) != step.label]
    return "\n".join(
        bindings + [f"{mention(before)}{gap}->{gap}{mention(after)}" for before, after in read.edges]
    )


@given(chains(), st.sampled_from(["", " ", "\t  "]))
def test_a_written_chain_reads_back(read, gap):
    assert parse(written(read, gap)) == read


def seconds(lines: int) -> float:
    """The least processor time of several readings of a chain of `lines` lines, half of them bindings."""
    half = lines // 2
    text = "".join(f"s{number}<-@o/r\n" for number in range(half))
    text += "".join(
        f"s{number} -> s{number + 1}\n" for number in range(half - 1)
    ) + f"s0 -> s{half - 1}\n" * (half > 2)
    best = 1.0
    for _ in range(3 if lines > 1000 else 20):
        start = time.process_time()
        parse(text, largest=1 << 20)
        best = min(best, time.process_time() - start)
    return best


def test_reading_is_linear():
    parse("warm -> up")
    short, long = seconds(50), seconds(5000)
    assert long / 5000 < 4 * short / 50
    assert long / 5000 < 250e-6


def test_a_bound_label_stands_alone_with_its_marks() -> None:
    whole = parse("t <- @dana/thumbs\n!.t")
    assert whole == parse("!.t\nt <- @dana/thumbs  # in any order")
    assert [(step.label, step.ref, step.fan_out, step.holds) for step in whole.steps] == [
        ("t", RepoRef("dana", "thumbs"), True, (Phase.BEFORE,))
    ]
    beside = parse("t <- @dana/thumbs\nfetch -> clean\n.t")
    assert [step.label for step in beside.steps] == ["fetch", "clean", "t"]
    marked = parse("t <- @dana/thumbs\nfetch -> t\n.t!")
    assert (marked.edges, marked.steps[1].fan_out, marked.steps[1].holds) == (
        (("fetch", "t"),), True, (Phase.AFTER,)
    )  # fmt: skip


def test_a_mark_on_a_label_that_nothing_binds_says_what_lacks() -> None:
    with pytest.raises(Mistake, match='no line binds "t": write "t <- reference"'):
        parse("u <- @dana/thumbs\n.t\n")
