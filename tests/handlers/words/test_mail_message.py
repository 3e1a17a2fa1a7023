"""Messages: MIME that any program reads, headers that cannot be forged by words, identities that stay."""

from __future__ import annotations

import email
import gc
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage

from handlers.render.mails.mail_html import mail_html, mail_text, read_mail
from handlers.render.mails.mail_medium import MailLook
from handlers.words.document_parts import DocumentParts
from handlers.words.mail_message import (
    UNSUBSCRIBE,
    MailMessage,
    MailSender,
    MessageRecipient,
    dump_page,
    load_page,
    message_id,
)
from tests.handlers.render.mails.mail_samples import sample_content, sample_look, sample_parts

SENDER = MailSender("Ann Bérg\r\nBcc: eve@example.org", "curlew@example.org", "ann@example.org")
DATE = datetime(2026, 11, 23, tzinfo=UTC)


def read(body: bytes) -> EmailMessage:
    found = email.message_from_bytes(body, policy=policy.default)
    assert isinstance(found, EmailMessage)
    assert not [part.defects for part in found.walk() if part.defects]
    return found


def sample_message(unsubscribe: str = UNSUBSCRIBE) -> MailMessage:
    look = MailLook("small", "novem", "Freight", unsubscribe=unsubscribe)
    page = mail_html(sample_content(), sample_parts(), look)
    text = mail_text(sample_content(), sample_parts(), look)
    return MailMessage(SENDER, "Täst\r\nBcc: a@b", page.html, text, page.pictures, DATE, automatic=True)


def test_a_message_has_text_and_html_with_its_pictures() -> None:
    found = read(
        sample_message().for_recipient(
            MessageRecipient("bob@example.com", "<1@example.org>", "https://x.test/u")
        )
    )
    kinds = [part.get_content_type() for part in found.walk()]
    assert kinds[:4] == ["multipart/alternative", "text/plain", "multipart/related", "text/html"]
    assert set(kinds[4:]) == {"image/png"}
    html = found.get_body(("html",)).get_content()  # type: ignore[union-attr]
    names = {part["Content-ID"].strip("<>") for part in found.walk() if part["Content-ID"]}
    assert names and all(f"cid:{name}" in html for name in names)
    assert "https://x.test/u" in html and "unsubscribe.invalid" not in html


def test_headers_stay_one_line_each_for_any_text() -> None:
    found = read(sample_message().for_recipient(MessageRecipient("bob@example.com", "<1@example.org>")))
    assert found["Bcc"] is None and found["To"] == "bob@example.com"
    assert found["Subject"] == "Täst Bcc: a@b"
    assert found["From"].addresses[0].addr_spec == "curlew@example.org"
    assert found["Reply-To"] == "ann@example.org" and found["Auto-Submitted"] == "auto-generated"
    assert found["List-Unsubscribe"] is None


def test_one_click_ends_such_mails_however_long_the_address() -> None:
    address = "https://curlew.example/unsubscribe/" + "t" * 300
    body = sample_message().for_recipient(MessageRecipient("bob@example.com", "<1@example.org>", address))
    assert f"List-Unsubscribe: <{address}>\r\n".encode() in body
    assert read(body)["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert max(map(len, body.split(b"\r\n"))) < 998


def test_a_message_made_twice_is_the_same() -> None:
    delivery = MessageRecipient("bob@example.com", message_id("m", "7", "Bob@example.com", "example.org"))
    assert sample_message().for_recipient(delivery) == sample_message().for_recipient(delivery)
    assert message_id("m", "7", "bob@example.com", "example.org") == delivery.message_id
    assert message_id("m", "8", "bob@example.com", "example.org") != delivery.message_id


def test_a_mail_without_pictures_and_subject_is_one() -> None:
    message = MailMessage(MailSender("", "curlew@example.org"), "", "<p>a</p>", "a\n")
    found = read(message.for_recipient(MessageRecipient("b@example.org", "<1@example.org>")))
    assert found["Subject"] == "No subject" and found["Date"] is None
    assert [part.get_content_type() for part in found.walk()][1:] == ["text/plain", "text/html"]


def test_the_text_says_who_sent_it_and_how_to_get_no_more() -> None:
    text = mail_text(sample_content(), sample_parts(), sample_look())
    assert "Bergen ██" in text and max(map(len, text.split("\n\n-- ")[0].split("\n"))) <= 72
    assert text.endswith(
        "-- \nSent by Ann Berg\nRead it in a browser: https://curlew.example/ann/m/news\n"
        "Unsubscribe: https://curlew.example/unsubscribe/token\n"
    )
    assert "\x1b[" in mail_text(sample_content(), sample_parts(), sample_look(), 60, colored=True)


def test_code_of_a_message_is_copied_as_it_was_written() -> None:
    command = "curl -s https://curlew.example/v1/whoami -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz'"
    content = read_mail(f"```\n{command}\n```\n")
    assert f"    {command}\n" in mail_text(content, DocumentParts(), sample_look(), whole_code=True)
    assert command not in mail_text(content, DocumentParts(), sample_look())


def test_mails_travel_as_json() -> None:
    page = mail_html(sample_content(), sample_parts(), sample_look())
    assert load_page(dump_page(page, "words")) == (page, "words")


def test_a_message_leaves_nothing_for_the_collector_of_garbage() -> None:
    message = sample_message()
    message.for_recipient(MessageRecipient("bob@example.com", "<0@example.org>"))
    gc.collect()
    gc.disable()
    try:
        for number in range(20):
            message.for_recipient(MessageRecipient("bob@example.com", f"<{number}@example.org>"))
        assert gc.collect() < 20
    finally:
        gc.enable()
