"""A chain for another owner, or after a rename, runs what it ran: every reference, and not a byte else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.language.ast import Chain, JobRef, Ref, RepoRef
from chains.language.chain import parse
from chains.language.mistake import Mistake
from chains.language.named_items import with_name, with_owner

LABELS = ("a", "b", "cut_1", "j")
REFS = st.sampled_from(["r", "@o/r", "@o/r:v1", "/j/x", "j/x", "u/o/j/x", "/u/o/j/x"])


def owned(chain: Chain, owner: str) -> Chain:
    """The chain as it is meant, each reference with its owner."""
    return replace(
        chain,
        steps=tuple(
            replace(step, ref=step.ref if step.ref.owner else replace(step.ref, owner=owner))
            for step in chain.steps
        ),
    )


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Chains of edges, some with bound labels, with comments and all line endings."""
    end = draw(st.sampled_from(["\n", "\r\n", "  # /j/x\n", "\n\n"]))
    bound = draw(st.dictionaries(st.sampled_from(LABELS), REFS, max_size=3))
    marks = draw(st.lists(st.sampled_from(["{}", "!{}", "{}!", "!{}!"]), min_size=4, max_size=4))
    edge = " -> ".join(mark.format(label) for mark, label in zip(marks, LABELS, strict=True))
    lines = draw(
        st.permutations(
            [
                *(f"{label} <- {ref}" for label, ref in bound.items()),
                *(f"!{label}" for label in bound if draw(st.booleans())),
                edge,
                "# j/x",
            ]
        )
    )
    return end.join(lines) + draw(st.sampled_from(["", end]))


@given(texts())
def test_a_chain_for_another_owner_runs_what_it_ran(text: str) -> None:
    made = with_owner(text, "ann")
    assert parse(made) == owned(parse(text), "ann")
    assert with_owner(made, "bob") == made
    kept = iter(made)
    assert all(sign in kept for sign in text), "what was there is there, in its order"


@given(
    texts(),
    st.sampled_from(["o", "me"]),
    st.sampled_from([RepoRef(None, "r"), RepoRef(None, "a"), JobRef(None, "x")]),
)
def test_a_chain_follows_a_name(text: str, owner: str, was: Ref) -> None:
    """The owner of the chain, here called `me`."""
    was = replace(was, owner=owner)
    made = with_name(text, "me", was, "new")

    def meant(ref: Ref) -> Ref:
        if isinstance(ref, RepoRef):
            leads = isinstance(was, RepoRef) and (ref.owner or "me", ref.repo) == (owner, was.repo)
            return replace(ref, repo="new") if leads else ref
        leads = isinstance(was, JobRef) and (ref.owner or "me", ref.job) == (owner, was.job)
        return replace(ref, job="new") if leads else ref

    chain = parse(text)
    assert parse(made) == replace(
        chain, steps=tuple(replace(step, ref=meant(step.ref)) for step in chain.steps)
    )
    assert with_name(made, "me", was, "other") == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("!count!  # count", "!total!  # count"),
        ("@me/count:count", "@me/total:count"),
        ("count <- count", "count <- total"),
        ("count -> b\r\n", "count <- total\r\ncount -> b\r\n"),
        ("b <- @bob/count\ncount -> b", "b <- @bob/count\ncount <- total\ncount -> b"),
        ("b <- /j/count", "b <- /j/count"),
    ],
)
def test_how_a_name_is_written(text: str, made: str) -> None:
    assert with_name(text, "me", RepoRef("me", "count"), "total") == made


@pytest.mark.parametrize("text", ["j/j", "/j/j", "u/me/j/j", "/u/me/j/j"])
def test_a_job_is_renamed_where_its_name_stands(text: str) -> None:
    assert with_name(text, "me", JobRef("me", "j"), "k") == f"{text[:-1]}k"


@given(REFS, st.sampled_from(["{}", "!{}", "{}!", " !{}! # r\n", "\n{}\r\n"]))
def test_a_lone_reference_keeps_its_label_and_marks(ref: str, form: str) -> None:
    text = form.format(ref)
    assert parse(with_owner(text, "ann")) == owned(parse(text), "ann")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("count", "@ann/count"),
        (
            "# of the week\ncut -> .count!\n",
            "# of the week\ncut <- @ann/cut\ncount <- @ann/count\ncut -> .count!\n",
        ),
        ("a <- j/sub\r\na -> b", "a <- u/ann/j/sub\r\nb <- @ann/b\r\na -> b"),
        ("x <- @bob/x:v2", "x <- @bob/x:v2"),
    ],
)
def test_how_it_is_written(text: str, made: str) -> None:
    assert with_owner(text, "ann") == made


def test_a_chain_that_grows_too_long_is_refused() -> None:
    text = (
        "\n".join(f"s{at} <- r" for at in range(3_000)) + "\n" + " -> ".join(f"s{at}" for at in range(3_000))
    )
    assert parse(text).steps[0].ref == RepoRef(None, "r")
    with pytest.raises(Mistake, match="larger than"):
        with_owner(text, "a" * 60)
