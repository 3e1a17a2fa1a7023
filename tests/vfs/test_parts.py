"""Short words for leaves: what they admit and how they answer."""

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path as Folder

import pytest

from vfs.access import PUBLIC
from vfs.body import NoBody, TextBody
from vfs.call import Call
from vfs.context import Context
from vfs.errors import Invalid
from vfs.parts import FALSE, TRUE, boolean, number, one_of, parsed_by
from vfs.path import Path
from vfs.ports.blobs import chunks
from vfs.ports.clock import stamp


@pytest.mark.parametrize("word", sorted(TRUE))
def test_words_for_yes(word: str) -> None:
    assert boolean(f" {word.upper()}\n")


@pytest.mark.parametrize("word", sorted(FALSE))
def test_words_for_no(word: str) -> None:
    assert not boolean(word)


@pytest.mark.parametrize("word", ["", "maybe", "2", "tru"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(Invalid, match="neither yes nor no"):
        boolean(word)


def test_one_of_a_set() -> None:
    assert one_of(("a", "b"))(" a\n") == "a"
    with pytest.raises(Invalid, match="is not one of a, b"):
        one_of(("a", "b"))("c")


def test_numbers_of_a_range() -> None:
    assert number(1, 30)("07 ") == "7"
    for word in ("0", "31", "-1", "1.5", "x", "", "²"):
        with pytest.raises(Invalid, match="whole number from 1 to 30"):
            number(1, 30)(word)


def test_stamps_are_utc_with_milliseconds() -> None:
    assert stamp(datetime(2026, 11, 21, 7, 44, 16, 123456, tzinfo=UTC)) == "2026-11-21T07:44:16.123Z"


def test_streams_come_in_pieces() -> None:
    assert list(chunks(BytesIO(b"abcde"), 2)) == [b"ab", b"cd", b"e"]


def test_a_call_may_bring_nothing() -> None:
    body = NoBody()
    assert body.empty() and body.media is None
    assert (body.text(1), body.data(1), body.document(1), list(body.chunks(1))) == ("", None, b"", [])
    assert body.files(Folder("/nowhere"), 1, 1) == []
    assert body.form_texts(1, 1) == {}
    assert not TextBody("x").empty()


def test_a_place_outside_items_says_so() -> None:
    context = Context(Call(None, Path(("a",)), PUBLIC, None), Path(("a",)))
    assert context.me == "" and not context.owned
    with pytest.raises(LookupError):
        _ = context.here


def test_a_text_that_parses_is_kept_as_it_was_sent() -> None:
    check = parsed_by(int)
    assert check(" 7 ") == " 7 "
    with pytest.raises(ValueError, match="seven"):
        check("seven")
