"""Patterns of events, against a simple model of what they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.events.hub import PatternIndex
from handlers.rules.event_patterns import ANY, MOST_NAMES, EventPattern, parse
from tests.handlers.events.quiet import listener
from vfs.errors import Invalid

NAMES = st.sampled_from(["alice", "bob", "p", "j", "one", "two"])
WORDS = st.sampled_from(["update", "data", "run", "mention", "comment", "reply"])
TYPES = st.lists(WORDS, min_size=1, max_size=2).map("_".join)
ADDRESSES = st.lists(NAMES, min_size=3, max_size=5).map(lambda names: ("u", *names))
MINE = st.sampled_from([f"{kind}:me" for kind in ("mention", "comment_reply", "comment", "reply", ANY)])
PATTERNS = st.tuples(
    st.lists(NAMES | st.just(ANY), min_size=1, max_size=5), st.none() | TYPES | st.just(ANY) | MINE
).map(lambda parts: "/".join(["/u", *parts[0]]) + (f"/e/{parts[1]}" if parts[1] else ""))


def means(pattern: str, address: tuple[str, ...], event_type: str) -> bool:
    """The model: a name or any, one after the other, as far as the pattern goes."""
    path, _, kind = pattern.partition("/e/")
    if kind.endswith(":me") and event_type not in ("mention", "comment_reply"):
        return False
    kind = kind.removesuffix(":me")
    names = path.strip("/").split("/")
    while names and names[-1] == ANY:
        names = names[:-1]
    fits = len(names) <= len(address) and all(
        one in (ANY, address[number]) for number, one in enumerate(names)
    )
    return fits and (kind in ("", ANY, event_type) or kind in event_type.split("_"))


@given(PATTERNS, ADDRESSES, TYPES)
def test_a_pattern_means_what_the_model_says(pattern: str, address: tuple[str, ...], event_type: str) -> None:
    assert parse(pattern).fits(address, event_type) is means(pattern, address, event_type)


@given(st.lists(PATTERNS, max_size=6), ADDRESSES, TYPES)
def test_an_index_finds_all_listeners_of_an_event(
    patterns: list[str], address: tuple[str, ...], event_type: str
) -> None:
    index, listeners = PatternIndex(), [listener() for _ in patterns]
    for one, text in zip(listeners, patterns, strict=True):
        index.add(parse(text), one)
    wanted = {one for one, text in zip(listeners, patterns, strict=True) if means(text, address, event_type)}
    assert set(index.find(address, event_type)) == wanted
    for one, text in zip(listeners, patterns, strict=True):
        index.remove(parse(text), one)
    assert index.find(address, event_type) == {}


@pytest.mark.parametrize(
    ("text", "names", "kind"),
    [
        ("/u/alice/p/*/e/mention", ("u", "alice", "p"), "mention"),
        ("/u/@alice/p/markets/e/update", ("u", "alice", "p", "markets"), "update"),
        ("/u/*/grp/*/e/mention", ("u", "*", "grp"), "mention"),
        ("/o/*/g/*/e/mention", ("o", "*", "g"), "mention"),
        ("/o/+acme/g/sales", ("o", "acme", "g", "sales"), ANY),
        ("/u/x/p/markets/*", ("u", "x", "p", "markets"), ANY),
        ("u/x/", ("u", "x"), ANY),
        ("/*", (), ANY),
        # A resource may be called so: only what stands before the last name says a kind.
        ("/u/x/e/p", ("u", "x"), "p"),
    ],
)
def test_spellings_of_the_clients(text: str, names: tuple[str, ...], kind: str) -> None:
    assert parse(text) == EventPattern(names, kind)


@pytest.mark.parametrize("kind", ["mention", "comment_reply"])
def test_patterns_of_the_clients_examples(kind: str) -> None:
    pattern = parse(f"/u/*/p/*/e/{kind}:me")
    assert pattern == EventPattern(("u", ANY, "p"), kind, only_me=True)


@pytest.mark.parametrize(
    "text",
    ["", None, 7, ["/u/x"], "/v1/users/x", "/u/a b", "/u//p", "/u/x/p/y/e/UPDATE", "/u/ö",
     "/u/*/p/*/e/run_failed:me", "/u/*/e/:me", "/u/*/e/mention:bob", "/u/x/e/mention:me:me",
     "/u/x/p/*x", "/u/" + "x" * 300, "/u/" + "/".join("x" * MOST_NAMES)],
)  # fmt: skip
def test_an_invalid_pattern_is_refused(text: object) -> None:
    with pytest.raises(Invalid):
        parse(text)


@given(st.text(alphabet="/*ue_a.~ö @+", max_size=300))
def test_any_text_is_a_pattern_or_refused(text: str) -> None:
    try:
        pattern = parse(text)
    except Invalid:
        return
    assert len(pattern.names) <= MOST_NAMES
