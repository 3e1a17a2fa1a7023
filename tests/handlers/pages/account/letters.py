"""Letters in the outbox of the server."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage

from tests.kit.server import Server


def letters_to(server: Server, address: str) -> list[tuple[str, str]]:
    """Subject and text of each letter to an address, oldest first."""
    found = []
    for file in sorted((server.folder / "outbox").glob("*.eml")):
        letter = message_from_bytes(file.read_bytes(), policy=policy.default)
        assert isinstance(letter, EmailMessage)
        if letter["To"] == address:
            text = letter.get_body(("plain",))
            assert text is not None
            found.append((str(letter["Subject"]), str(text.get_content())))
    return found


def link_in(text: str, server: Server) -> str:
    """The path and query of the page of this service that a letter names."""
    (line,) = [line.strip() for line in text.splitlines() if line.strip().startswith(server.origin)]
    return line.removeprefix(server.origin)
