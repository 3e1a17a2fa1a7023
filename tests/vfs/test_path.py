"""Paths: what a request line may spell."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vfs.errors import Invalid
from vfs.path import Path, is_segment, require_name


@pytest.mark.parametrize(
    ("raw", "segments"),
    [
        ("/", ()),
        ("/v1//admin///tokens/", ("v1", "admin", "tokens")),
        ("/a%20b/%C3%B8+x", ("a b", "ø+x")),
        ("/@ann~grp/+org~g/=cat", ("@ann~grp", "+org~g", "=cat")),
        ("/50%25", ("50%",)),
        ("/\xc3\xb8", ("ø",)),
    ],
)
def test_segments_are_decoded_once_and_slashes_collapse(raw: str, segments: tuple[str, ...]) -> None:
    assert Path.parse(raw) == segments


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "a/b",
        "/a/../b",
        "/a/./b",
        "/%2e%2e",
        "/a%2Fb",
        "/a%5Cb",
        "/a%00",
        "/a%0a",
        "/a%7f",
        "/%",
        "/%zz",
        "/%ff",
        "/\xff",
        "/\u20ac",
        "/a\\b",
    ],
)
def test_what_could_mean_another_place_is_refused(raw: str) -> None:
    with pytest.raises(Invalid):
        Path.parse(raw)


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="/\\", min_codepoint=32), min_size=1),
        max_size=5,
    )
)
def test_what_a_path_spells_parses_back(segments: list[str]) -> None:
    if any(s in (".", "..") or "\x7f" in s for s in segments):
        return
    assert Path.parse(str(Path(segments))) == tuple(segments)


@given(st.text(st.characters(exclude_categories=()), min_size=1))
@example("..")
@example("caf\udce9")
@example("a\\b")
@example("a\x85b\u2028")
def test_a_name_can_be_requested_if_it_parses_back(name: str) -> None:
    try:
        requested = Path.parse(str(Path((name,)))) == (name,)
    except (Invalid, UnicodeError):
        requested = False
    assert is_segment(name) is requested


def test_paths_join() -> None:
    assert Path(("a",)) / "b" / ("c", "d") == ("a", "b", "c", "d")


@pytest.mark.parametrize("name", ["a", "0-x_y", "a" * 64])
def test_names_follow_the_rule(name: str) -> None:
    assert require_name(name) == name


@pytest.mark.parametrize("name", ["", "A", "-a", "_a", "a b", "a" * 65, "ä", "a\n"])
def test_other_names_are_refused_with_the_rule(name: str) -> None:
    with pytest.raises(Invalid, match="a name is a lowercase letter or digit"):
        require_name(name)
