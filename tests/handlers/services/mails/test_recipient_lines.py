"""Recipients of mails, line by line."""

from __future__ import annotations

import pytest

from handlers.services.mails.recipients import MailRecipient, read_recipients
from vfs.errors import Invalid


def test_every_form_of_recipient_is_read_once() -> None:
    text = (
        "a@Good.test b@good.test\n@Bob; me\nself\n@ann\n+org~desk\n@bob~friends\r\nAnn Berg <a@good.test>\n\n"
    )
    assert read_recipients(text, "ann") == (
        MailRecipient("address", "a@good.test"),
        MailRecipient("address", "b@good.test"),
        MailRecipient("user", "bob"),
        MailRecipient("user", "ann"),
        MailRecipient("group of an organisation", "org", "desk"),
        MailRecipient("group of a user", "bob", "friends"),
    )
    assert read_recipients("", "ann") == ()


@pytest.mark.parametrize("line", ["nobody", "a@b", "a..b@good.test", "@", "+org", "a@good.test,b@good.test",
                                  "x <y>", ".a@good.test", "a@good.test\0", "+org~"])  # fmt: skip
def test_all_invalid_lines_are_named(line: str) -> None:
    with pytest.raises(Invalid) as raised:
        read_recipients(f"a@good.test\n{line}\nwrong", "ann")
    assert raised.value.members["rejected"][-1]["line"] == "wrong"
    assert len(raised.value.members["rejected"]) == 1 + len(line.split() if "<" not in line else [line])


@pytest.mark.parametrize("line, reason", [
    ("a@good.test,", "without commas"), ("+org", "its groups do"), ("@", "no name of a user"),
    ("a@b", "no mail address"), ("bob", "@user"),
])  # fmt: skip
def test_a_rejected_line_has_a_reason(line: str, reason: str) -> None:
    with pytest.raises(Invalid) as raised:
        read_recipients(line, "ann")
    assert raised.value.members["rejected"][0]["line"] == line
    assert reason in raised.value.members["rejected"][0]["reason"]


def test_lists_and_their_faults_are_bounded() -> None:
    with pytest.raises(Invalid, match="and 30 more"):
        read_recipients("\n".join(f"x{number}" for number in range(50)), "ann")
    with pytest.raises(Invalid, match="at most 10,000"):
        read_recipients("a@good.test\n" * 10_001, "ann")
