"""The fields of JSON objects: every key that is not understood is refused, with those that are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vfs.access import PUBLIC, Verb
from vfs.body import NoBody, TextBody, known_fields
from vfs.call import Call
from vfs.errors import Conflict, Invalid
from vfs.path import Path

KNOWN = ("name", "copy", "expires_in")
WORDS = st.sampled_from(KNOWN) | st.text(max_size=200)
SPELLED = st.builds(
    lambda word, turn: turn(word),
    st.sampled_from(KNOWN),
    st.sampled_from([str.upper, str.title, " {}".format]),
)


class Json(NoBody):
    """A JSON document."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def empty(self) -> bool:
        return False

    def data(self, largest: int) -> Any:
        return self._value


def requested(value: Any = None, *query: str) -> Call[Any]:
    body = NoBody() if value is None else Json(value)
    return Call(Verb.WRITE, Path(("x",)), PUBLIC, object(), body, query=dict.fromkeys(query, "60"))  # type: ignore[type-var]


@given(st.dictionaries(WORDS | SPELLED, st.none() | st.booleans() | st.text(), max_size=30))
def test_an_object_is_taken_when_all_its_keys_are_known(sent: dict[str, Any]) -> None:
    unknown = sent.keys() - set(KNOWN)
    if not unknown:
        assert requested(sent).fields(9, KNOWN) == sent
        return
    with pytest.raises(Invalid, match='"name", "copy", "expires_in"; nothing was changed') as refused:
        requested(sent).fields(9, KNOWN)
    rejected = refused.value.members["rejected"]
    assert len(rejected) == min(len(unknown), 10)
    assert {one["field"] for one in rejected} <= {key[:80] for key in unknown}
    assert len(refused.value.detail) < 2_000


@given(SPELLED)
def test_a_nearly_known_key_gets_its_correct_spelling(key: str) -> None:
    with pytest.raises(Invalid) as refused:
        known_fields({key: 1}, KNOWN)
    (rejected,) = refused.value.members["rejected"]
    assert rejected == {"field": key, "reason": f"it is spelled {key.strip().lower()}"}


@pytest.mark.parametrize("sent", [[], ["name"], "name", 7, False])
def test_what_is_no_object_is_refused(sent: Any) -> None:
    with pytest.raises(Invalid, match="send JSON as an object"):
        requested(sent).fields(9, KNOWN)


def test_an_empty_body_has_no_fields_where_it_is_optional() -> None:
    assert requested().fields(9, KNOWN, optional=True) == {}
    assert requested({"name": "x"}).fields(9, KNOWN, optional=True) == {"name": "x"}
    with pytest.raises(Invalid):
        requested().fields(9, KNOWN)


@given(st.sampled_from(KNOWN), st.sampled_from([str.lower, str.upper, str.title]))
def test_a_field_in_the_address_is_no_field(name: str, spelled: Any) -> None:
    with pytest.raises(Invalid, match="is not read in the address"):
        requested({"name": "x"}, spelled(name)).fields(9, KNOWN)
    with pytest.raises(Invalid, match="is not read in the address"):
        requested(None, name).line(9, KNOWN)


@given(st.text(max_size=20))
def test_other_words_in_the_address_are_ignored(name: str) -> None:
    assume(name.lower() not in KNOWN)
    assert requested({"name": "x"}, name).fields(9, KNOWN) == {"name": "x"}
    sent = Call(Verb.WRITE, Path(("x",)), PUBLIC, object(), TextBody("y"), query={name: "60"})  # type: ignore[type-var]
    assert sent.line(9, KNOWN) == "y"


def test_an_item_that_is_there_is_a_conflict_before_its_fields_are_read(kernel: Any) -> None:
    with pytest.raises(Conflict):
        kernel.ask("ann", Verb.CREATE, "/me/boxes/toolbox", Json({"public": True}))
