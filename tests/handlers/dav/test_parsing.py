"""What clients of a drive send: the If header, and XML within bounds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.dav.request import MOST, Condition, condition_lists
from handlers.dav.xml_bodies import (
    MOST_ASKED,
    MOST_TAGS,
    AskedProperties,
    asked_properties,
    lock_order,
    property_changes,
    read_xml,
    xml_of,
)
from vfs.body import NoBody, TextBody
from vfs.errors import Invalid, TooLarge

WORD = st.text("abc:/-.%é", min_size=1, max_size=12)
TAG = WORD.map('"{}"'.format)
CONDITION = st.builds(Condition, st.none(), st.booleans(), WORD, st.none()) | st.builds(
    Condition, st.none(), st.booleans(), st.none(), TAG
)
LIST = st.lists(CONDITION, min_size=1, max_size=3)
HOSTILE = ("<", "(<a>", "(Not ", "[", '["', "(<a> ", "<a> ", " ", "(Not<a>", "(")


def written(one: Condition) -> str:
    """A condition as clients write it."""
    return f"{'Not ' * one.negated}{f'<{one.token}>' if one.token is not None else f'[{one.tag}]'}"


@given(st.lists(LIST, min_size=1, max_size=4), st.none() | WORD, st.sampled_from(["", " ", "\t"]))
def test_lists_of_an_if_header_are_read_as_they_were_written(
    lists: list[list[Condition]], address: str | None, blank: str
) -> None:
    header = blank.join(f"({blank.join(map(written, each))})" for each in lists)
    read = condition_lists(header if address is None else f"<{address}>{blank}{header}")
    assert read == [[one._replace(address=address) for one in each] for each in lists]


@pytest.mark.parametrize("header", ["", "()", "(<a>", "<a>", "(a)", "(<a>) x", "(Not)", "(<a> (<b>))", "[a]"])
def test_other_if_headers_are_refused(header: str) -> None:
    with pytest.raises(Invalid):
        condition_lists(header)
    assert condition_lists(None) == []


@pytest.mark.parametrize("part", HOSTILE)
def test_long_if_headers_take_linear_time(part: str) -> None:
    began = time.process_time()
    with pytest.raises(Invalid):
        condition_lists(part * (400_000 // len(part)))
    assert time.process_time() - began < 2


class BytesOf(NoBody):
    """A body of bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def chunks(self, largest: int) -> Iterator[bytes]:
        return iter([self._content])


def xml(content: str) -> Element | None:
    return read_xml(TextBody(content))


@pytest.mark.parametrize(
    "content",
    [
        '<!DOCTYPE a [<!ENTITY e "eeeeeeee">]><a>&e;</a>',
        '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
        "<a><b></a>",
        '<a xmlns:b=""/>',
        "<a/><b/>",
        "<b:a/>",
        '<?xml version="1.0" encoding="none-such"?><a/>',
        "\0",
    ],
)
def test_entities_and_what_is_no_xml_are_refused(content: str) -> None:
    with pytest.raises(Invalid):
        xml(content)


@pytest.mark.parametrize(
    "content",
    [
        "<a>" * 50_000,
        f"<a>{'<b/>' * MOST_TAGS}</a>",
        f'<a xmlns="{"n" * 256}"/>',
        f'<a xmlns:b="{"n" * 256}" b:c=""/>',
        f"<{'n' * 256}/>",
    ],
)
def test_deep_and_wide_xml_and_long_names_are_refused(content: str) -> None:
    with pytest.raises(TooLarge):
        xml(content)
    with pytest.raises(TooLarge):
        read_xml(BytesOf(content.encode("utf-16")))


def test_the_deepest_xml_is_written_again() -> None:
    deepest = xml("<a>" * (MOST_TAGS // 2) + "</a>" * (MOST_TAGS // 2))
    assert deepest is not None
    assert xml_of(deepest).count("<a") == MOST_TAGS // 2


def test_requested_properties_are_read() -> None:
    body = xml('<propfind xmlns="DAV:" xmlns:o="urn:o"><prop><o:x/><getetag/><o:x/></prop></propfind>')
    assert asked_properties(body) == AskedProperties(("{urn:o}x", "{DAV:}getetag"))
    assert asked_properties(None) == asked_properties(xml('<propfind xmlns="DAV:"><allprop/></propfind>'))
    assert asked_properties(xml('<propfind xmlns="DAV:"><propname/></propfind>')).names_only
    with pytest.raises(Invalid):
        asked_properties(xml("<propfind/>"))


def test_property_changes_keep_their_order_and_namespaces() -> None:
    changes = property_changes(
        xml(
            '<D:propertyupdate xmlns:D="DAV:" xmlns="urn:o">'
            '<D:set><D:prop><x><y z="1">é</y></x></D:prop></D:set>'
            "<D:remove><D:prop><x/></D:prop></D:remove></D:propertyupdate>"
        )
    )
    assert [name for name, _ in changes] == ["{urn:o}x", "{urn:o}x"]
    kept = xml(changes[0][1] or "")
    assert kept is not None
    assert kept[0].tag == "{urn:o}y"
    assert kept[0].text == "é"
    assert changes[1][1] is None


def test_what_would_be_repeated_for_each_file_is_short() -> None:
    many = "".join(f"<n{number}/>" for number in range(MOST_ASKED + 1))
    with pytest.raises(TooLarge):
        asked_properties(xml(f'<propfind xmlns="DAV:"><prop>{many}</prop></propfind>'))
    with pytest.raises(Invalid):
        condition_lists("(<a>)" * (MOST + 1))
    assert len(condition_lists("(<a>)" * MOST)) == MOST


def test_only_write_locks_are_requested() -> None:
    order = (
        '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:{}/></D:lockscope><D:locktype><D:write/></D:locktype>'
        "<D:owner>ann</D:owner></D:lockinfo>"
    )
    shared = xml(order.format("shared"))
    assert shared is not None
    assert lock_order(shared)[0] is False
    assert "ann" in lock_order(shared)[1]
    long = xml(order.format("exclusive").replace(">ann<", f">{'a' * 2_000}<"))
    assert long is not None
    with pytest.raises(TooLarge):
        lock_order(long)
    other = xml(order.format("other"))
    assert other is not None
    with pytest.raises(Invalid):
        lock_order(other)
