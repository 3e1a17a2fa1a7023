"""Bodies: the content of a call, including calls that are not made over a network."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from difflib import get_close_matches
from pathlib import Path as Folder
from typing import Any, Protocol

from vfs.errors import Invalid, TooLarge, WrongMedia

UTF_8 = {"utf-8", "utf8", "us-ascii", "ascii"}
_CHARSET = re.compile(r';\s*charset\s*=\s*"?([^\s";]*)', re.IGNORECASE)
Waiting = Callable[[], AbstractContextManager[object]]

MOST_NAMED = 10
LONGEST_SHOWN = 80


class Body(Protocol):
    """The content of a call, read only after the permission check.

    Every reader refuses a truncated body.
    """

    @property
    def media(self) -> str | None:
        """The media type without parameters, lowercase; None when none was sent."""

    @property
    def content_type(self) -> str | None:
        """The media type as it was sent, with its parameters; None when none was sent."""

    def arrive(self, largest: int, waiting: Waiting) -> None:
        """Wait until the body has arrived, or more than `largest` bytes of it, so that readers need not wait.

        Any waiting is done inside `waiting()`. Raises Invalid when the body was truncated.
        """

    def empty(self) -> bool:
        """Return whether the body is complete and has no bytes. Raises Invalid when it was truncated."""

    def text(self, largest: int) -> str:
        """Return UTF-8 text of at most `largest` bytes.

        Raises WrongMedia, TooLarge, Invalid (not UTF-8, NUL, truncated).
        """

    def data(self, largest: int) -> Any:
        """Return the value of a JSON document.

        Raises WrongMedia, TooLarge, Invalid (not JSON, deeper than 64, NaN, lone surrogates).
        """

    def document(self, largest: int) -> bytes:
        """Return the bytes of a JSON document, after checking that it is one. Raises as `data` does."""

    def chunks(self, largest: int) -> Iterator[bytes]:
        """Yield the bytes as they arrive. Raises TooLarge and Invalid (truncated) while iterated."""

    def files(self, folder: Folder, largest: int, most: int) -> list[str]:
        """Store the files of a form below `folder`, and return the relative paths stored.

        Raises Invalid (odd, absolute, repeated names; malformed; truncated), TooLarge, WrongMedia.
        """

    def form_texts(self, largest: int, most: int) -> Mapping[str, str]:
        """Return the texts of a form's parts (fields and files), by the names of the parts.

        Raises Invalid (not UTF-8, NUL, repeated names; malformed; truncated), TooLarge, WrongMedia.
        """


class NoBody:
    """The body of a call without content."""

    media: str | None = None

    @property
    def content_type(self) -> str | None:
        return self.media

    def arrive(self, largest: int, waiting: Waiting) -> None:
        pass

    def empty(self) -> bool:
        return True

    def text(self, largest: int) -> str:
        return ""

    def data(self, largest: int) -> Any:
        return None

    def document(self, largest: int) -> bytes:
        return b""

    def chunks(self, largest: int) -> Iterator[bytes]:
        return iter(())

    def files(self, folder: Folder, largest: int, most: int) -> list[str]:
        return []

    def form_texts(self, largest: int, most: int) -> Mapping[str, str]:
        return {}


class TextBody(NoBody):
    """A body of plain text, for calls inside the process and for tests."""

    media = "text/plain"

    def __init__(self, content: str) -> None:
        self._content = content

    def empty(self) -> bool:
        return not self._content

    def text(self, largest: int) -> str:
        if len(self._content.encode()) > largest:
            raise TooLarge(f"the text has more than {largest:,} bytes")
        return self._content

    def chunks(self, largest: int) -> Iterator[bytes]:
        return iter((self._content.encode(),))


def known_fields(sent: object, known: Collection[str]) -> Mapping[str, Any]:
    """Return the fields of a JSON object.

    Raises Invalid for a key that is not `known`, and if the value is not an object.
    """
    if not isinstance(sent, Mapping):
        raise Invalid(f"send JSON as an object: {_name_known(known)}")
    if unknown := [key for key in sent if key not in known]:
        rejected = [
            {"field": key[:LONGEST_SHOWN], "reason": _reason(key, known)} for key in unknown[:MOST_NAMED]
        ]
        raise Invalid(f"not understood: {_quote(unknown)}; {_name_known(known)}", rejected=rejected)
    return sent


def refuse_in_address(query: Collection[str], known: Collection[str]) -> None:
    """Raise Invalid if the query has a field that belongs in the body: it would be ignored there."""
    if misplaced := [name for name in query if name.lower() in known]:
        raise Invalid(
            f"{_quote(misplaced)} is not read in the address: send it in the JSON object of the body"
        )


def _reason(key: str, known: Collection[str]) -> str:
    near = get_close_matches(key[:LONGEST_SHOWN].strip().lower(), [name.lower() for name in known], 1, 0.9)
    meant = next((name for name in known if name.lower() in near), None)
    return f"it is spelled {meant}" if meant else "not understood"


def _name_known(known: Collection[str]) -> str:
    quoted = ", ".join(f'"{name}"' for name in known)
    message = f"the keys here are {quoted}" if known else "no key is understood here"
    return f"{message}; nothing was changed"


def _quote(names: Collection[str]) -> str:
    shown = ", ".join(f'"{name[:LONGEST_SHOWN]}"' for name in list(names)[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def hold_charset(content_type: str | None, known: Collection[str] = UTF_8) -> None:
    """Raise WrongMedia unless a body is in UTF-8 or in a `known` charset."""
    found = _CHARSET.search(content_type or "")
    if found and found[1].lower() not in known:
        raise WrongMedia(f'the charset "{found[1][:40]}" is not supported: send UTF-8')
