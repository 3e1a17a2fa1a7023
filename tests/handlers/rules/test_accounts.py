"""Names, addresses, passwords, registrations."""

from __future__ import annotations

from contextlib import suppress
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
    opaque_string,
    password,
    registration,
    truth,
    username,
)
from vfs.errors import Invalid
from vfs.ports.people import Account

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
def test_missing_fields_are_named(field: str) -> None:
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
        ("ten letter", "ten letter"),
        ("with blank ", "with blank "),
        ("a line's end\n", "a line's end"),
        ("windows end so\r\n ", "windows end so\r\n "),
    ],
)
def test_passwords(sent: str, kept: str) -> None:
    assert password(sent) == kept


@pytest.mark.parametrize("sent", ["", "nine chrs", "nine chrs\r\n", "é" * 513, None, 1234567890])
def test_no_passwords(sent: Any) -> None:
    with pytest.raises(Invalid):
        password(sent)


@pytest.mark.parametrize(
    "sent",
    [
        *("1234567890", "qwertyuiop", "q1w2e3r4t5", "password123", "123456789a", "1qaz2wsx3edc"),
        *("0987654321", "1111111111", "a" * 1_000, "abcdefghij", "basketball", "welcome123", "letmein123"),
        *("PassWord123", " password123 ", " " * 12, "QWERTYUIOP\n"),
    ],
)
def test_common_passwords_are_refused(sent: str) -> None:
    with pytest.raises(Invalid, match="commonest"):
        password(sent, "ann")


@pytest.mark.parametrize("sent", ["marybrown-7", "MaryBrown-7", "marybrown-7marybrown-7", " marybrown-7\n"])
def test_a_name_is_no_password(sent: str) -> None:
    with pytest.raises(Invalid, match="user name"):
        password(sent, "marybrown-7")
    with pytest.raises(Invalid) as refused:
        registration({**GOOD, "username": "marybrown-7", "password": sent})
    assert [one["field"] for one in refused.value.members["rejected"]] == ["password"]


@given(st.text(min_size=10, max_size=80), st.text(max_size=20))
def test_whatever_is_sent_is_taken_or_refused(sent: str, name: str) -> None:
    with suppress(Invalid):
        assert opaque_string(sent).startswith(password(sent, name))


def test_a_password_is_kept_in_the_form_in_which_it_is_compared() -> None:
    assert password("Zu\u0308rich\u00a0Gro\u0308ße") == "Zürich Größe"
    with pytest.raises(Invalid, match="at least 10"):
        password("u\u0308" * 9)
    assert password("0000000000\n birds") == "0000000000\n birds"


def test_a_name_in_a_longer_text_is_one() -> None:
    assert password("mary brown counts birds", "mary") == "mary brown counts birds"
    assert password("eleven birds", 7) == "eleven birds"


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
    ("sent", "expected"), [(None, False), (True, True), (False, False), ("on", True), ("0", False)]
)
def test_being_public(sent: Any, expected: bool) -> None:
    assert truth(sent) is expected


@pytest.mark.parametrize("sent", [1, "perhaps", []])
def test_no_being_public(sent: Any) -> None:
    with pytest.raises(Invalid):
        truth(sent)


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
