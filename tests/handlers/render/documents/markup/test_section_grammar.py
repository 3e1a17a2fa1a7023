"""The inside of a section's braces: one line or several, lists, quotation marks, and mistakes with places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.documents.markup.section_grammar import BadTag, read_matter, read_tag


def values(inside: str) -> dict[str, tuple[str, ...]]:
    return {name: value.texts for name, value in read_tag(inside).values}


def test_parameters_are_on_one_line_or_on_several() -> None:
    wanted = {"ref": ("/u/ann/p/sales",), "width": ("60%",), "include title": ("true",)}
    assert values(" vis ref: /u/ann/p/sales, width: 60%, include title: true ") == wanted
    lines = "\nvis\n  ref: /u/ann/p/sales # which\n  # a comment\n\n  width: 60%\n  Include  Title: true\n"
    assert values(lines) == wanted


def test_texts_hold_commas_and_colons() -> None:
    assert values("callout title: Mind, the gap, type: info") == {
        "title": ("Mind, the gap",),
        "type": ("info",),
    }
    assert values("img alt: \"a, b: c\", caption: 'it''s'") == {"alt": ("a, b: c",), "caption": ("it's",)}


def test_lists_in_brackets_and_in_lines() -> None:
    assert values("para b: [l3 blue-500, b1 gray-300], fg: #fff") == {
        "b": ("l3 blue-500", "b1 gray-300"),
        "fg": ("#fff",),
    }
    assert values("para\nb:\n  - l3 blue-500\n  - b1 gray-300\nfg: red\n") == {
        "b": ("l3 blue-500", "b1 gray-300"),
        "fg": ("red",),
    }


@pytest.mark.parametrize(
    "inside,closing,closed", [(" /para ", True, False), ("page /", False, True), ("page/", False, True)]
)
def test_marks_close(inside: str, closing: bool, closed: bool) -> None:
    tag = read_tag(inside)
    assert (tag.closing, tag.closed) == (closing, closed)


def test_a_word_follows_the_name() -> None:
    assert read_tag("callout warning, title: x").word == "warning"


@pytest.mark.parametrize(
    "inside,offset,reason",
    [
        ("", 0, "missing"),
        ('vis ref: "abc', 9, "not closed"),
        ("vis ref: a\n}", 11, "not understood"),
        ("!", 0, "not understood"),
        ("vis " + "x" * 9000, 0, "at most"),
    ],
)
def test_mistakes_are_reported_with_their_places(inside: str, offset: int, reason: str) -> None:
    with pytest.raises(BadTag, match=reason) as bad:
        read_tag(inside)
    assert bad.value.offset == offset


def test_a_front_matter_is_keys_and_values() -> None:
    pairs = read_matter("title: Report: 2026, north\n# c\ntags:\n  - a\n  - b\nx: [c, d]\nempty:\n")
    assert [(key, value.texts) for key, value in pairs] == [
        ("title", ("Report: 2026, north",)), ("tags", ("a", "b")), ("x", ("c", "d")), ("empty", ()),
    ]  # fmt: skip


@given(st.text(alphabet="vis ref:,\n#-[]\"'/\\%}{é", max_size=60))
def test_any_text_is_a_tag_or_a_bad_one(inside: str) -> None:
    assert 0 <= place_of_mistake(inside) <= len(inside)


def place_of_mistake(inside: str) -> int:
    try:
        read_tag(inside)
    except BadTag as bad:
        return bad.offset
    return 0
