"""Names, addresses, passwords, registrations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.rules.accounts import (
    FIELDS,
    Registration,
    account_type,
    display_name,
    email,
    password,
    public,
    registration,
    username,
)
from vfs.errors import Invalid
from vfs.people import Account

GOOD = {"username": "ann", "password": "eleven birds", "email": "ann@example.org"}


def test_a_registration_may_be_short_or_whole() -> None:
    assert registration(GOOD) == Registration(
        "ann", "eleven birds", "ann@example.org", "", Account.REGULAR, False
    )
    whole = {**GOOD, "name": " Ann ", "account_type": "organisation", "public": "yes", "more": 1}
    assert registration(whole) == Registration(
        "ann", "eleven birds", "ann@example.org", "Ann", Account.ORGANISATION, True
    )


@pytest.mark.parametrize("field", ["username", "password", "email"])
def test_what_is_missing_is_named(field: str) -> None:
    with pytest.raises(Invalid, match=field) as refused:
        registration({name: word for name, word in GOOD.items() if name != field})
    assert [one["field"] for one in refused.value.members["rejected"]] == [field]


@pytest.mark.parametrize("sent", [None, "ann", ["ann"], 7])
def test_a_registration_is_an_object(sent: Any) -> None:
    with pytest.raises(Invalid, match="JSON object"):
        registration(sent)


@pytest.mark.parametrize("name", ["a", "7", "ann-lee_2", "a" * 64])
def test_names(name: str) -> None:
    assert username(name) == name


@pytest.mark.parametrize("name", ["", "Ann", "_a", "-a", "a" * 65, "a b", "a.b", "a\n", "å", "a/b", None, 7])
def test_no_names(name: Any) -> None:
    with pytest.raises(Invalid):
        username(name)


@pytest.mark.parametrize("address", ["a@b", "ann+x@example.org", "a.b@c-d.example", "o'neil@example.org"])
def test_addresses(address: str) -> None:
    assert email(address) == address


@pytest.mark.parametrize(
    "address",
    [
        *("", "nowhere", "@b", "a@", "a@b@c", "a b@c", "a@-b", "a@b-", "a@b..c", "a@b\r\nBcc: c@d", None, 7),
        f"{'a' * 250}@b.example",
    ],
)
def test_no_addresses(address: Any) -> None:
    with pytest.raises(Invalid):
        email(address)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("12345678", "12345678"),
        ("with blank ", "with blank "),
        ("a line end\n", "a line end"),
        ("windows\r\n ", "windows\r\n "),
    ],
)
def test_passwords(sent: str, kept: str) -> None:
    assert password(sent) == kept


@pytest.mark.parametrize("sent", ["", "seven77", "seven77\r\n", "é" * 513, None, 12345678])
def test_no_passwords(sent: Any) -> None:
    with pytest.raises(Invalid):
        password(sent)


@pytest.mark.parametrize("sent", ["a\nb", "a\0b", "n" * 1_025, 7])
def test_no_display_names(sent: Any) -> None:
    with pytest.raises(Invalid):
        display_name(sent)


@pytest.mark.parametrize(("sent", "kind"), [(None, Account.REGULAR), ("organisation", Account.ORGANISATION)])
def test_kinds(sent: Any, kind: Account) -> None:
    assert account_type(sent) is kind


@pytest.mark.parametrize("sent", ["", "Regular", "admin", 7, ["regular"]])
def test_no_kinds(sent: Any) -> None:
    with pytest.raises(Invalid, match="organisation"):
        account_type(sent)


@pytest.mark.parametrize(
    ("sent", "truth"), [(None, False), (True, True), (False, False), ("on", True), ("0", False)]
)
def test_being_public(sent: Any, truth: bool) -> None:
    assert public(sent) is truth


@pytest.mark.parametrize("sent", [1, "perhaps", []])
def test_no_being_public(sent: Any) -> None:
    with pytest.raises(Invalid):
        public(sent)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(sorted(FIELDS)), JSON))
def test_whatever_is_sent_is_a_registration_or_refused_with_reasons(sent: dict[str, Any]) -> None:
    try:
        registration(sent)
    except Invalid as wrong:
        rejected = wrong.members["rejected"]
    else:
        rejected = []
    assert rejected or GOOD.keys() <= sent.keys()
    assert all(one["field"] in FIELDS and one["reason"] for one in rejected)
