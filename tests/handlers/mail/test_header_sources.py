"""Every header of every message, each with its source: a new one is looked at before it is added here."""

from __future__ import annotations

import ast
import email
from datetime import UTC, datetime
from email.policy import compat32

from handlers.services.mails.service_message import MessageAttachment, ServiceMessage, message_bytes
from handlers.words.mail_message import MailMessage, MailPicture, MailSender, MessageRecipient
from tests.kit.sources import sources

SOURCES = {
    "From": "the service's address; the name of an account or a group, as a phrase",
    "To": "the address of a recipient",
    "Subject": "people: encoded as a whole",
    "Date": "the clock",
    "Message-ID": "the service",
    "Reply-To": "the verified address of an owner",
    "In-Reply-To": "a stranger: an identity, or left out",
    "References": "a stranger: identities, each or left out",
    "Auto-Submitted": "the service",
    "Content-Language": "the service",
    "MIME-Version": "the service",
    "List-Unsubscribe": "the service",
    "List-Unsubscribe-Post": "the service",
    "Content-Type": "the service; of a file a stored media type, if it is one",
    "Content-Transfer-Encoding": "the service",
    "Content-ID": "a digest of a picture",
    "Content-Disposition": "people: a file's name in percent signs; of a picture its digest",
}
EVIL = "x\r\nBcc: eve@side.example\r\n\r\n=?utf-8?q?x=0D=0ABcc:_eve=40side.example?="
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def names(raw: bytes) -> set[str]:
    """The names of all headers of a message and of its parts."""
    return {name for part in email.message_from_bytes(raw, policy=compat32).walk() for name in part.keys()}  # noqa: SIM118


def test_messages_have_these_headers_alone() -> None:
    service = message_bytes(
        ServiceMessage(
            "ann@birds.example", EVIL, EVIL, sender_name=EVIL,
            in_reply_to="<1@x>", references=[EVIL, "<2@x>"],
            attachments=[MessageAttachment(EVIL, EVIL, b"body")],
        ),
        "post@mail.example", "<3@x>", NOW,
    )  # fmt: skip
    mail = MailMessage(
        MailSender(EVIL, "post@mail.example", "bob@birds.example"), EVIL, f"<p>{EVIL}</p>", EVIL,
        (MailPicture("a" * 40 + "@curlew", b"png", "image/png", 1, 1),), NOW, automatic=True,
    ).for_recipient(MessageRecipient("ann@birds.example", "<4@x>", "https://curlew.example/u"))  # fmt: skip
    assert names(service) | names(mail) == set(SOURCES)
    for raw in (service, mail):
        assert email.message_from_bytes(raw, policy=compat32).keys().count("Bcc") == 0
        assert [b"Bcc:" in line[:4] for line in raw.split(b"\r\n\r\n", 1)[0].split(b"\r\n")].count(True) == 0


def test_nothing_else_writes_messages() -> None:
    """Python's own writer decodes encoded words in its input."""
    writers = {
        source.name
        for source in sources("handlers", "storage", "chains", "vfs")
        for node in ast.walk(ast.parse(source.text))
        if isinstance(node, ast.ImportFrom)
        and node.module
        in ("email.message", "email.mime.text", "email.mime.multipart", "email.headerregistry")
        and {one.name for one in node.names} & {"EmailMessage", "MIMEText", "MIMEMultipart", "Address"}
    }
    assert writers == set()
