"""Reader: the person a page is rendered for, with their look and input; templates use it anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime

from handlers.http.request_head import RequestHead
from handlers.pages.framing.page_words import page_words

COOKIE = "curlew_look"
SYSTEM, LIGHT, DARK = "", "light", "dark"
LOOKS = {SYSTEM: "As the system", LIGHT: "Light", DARK: "Dark"}
"""Labels of the looks, by the cookie's values. Without it, style sheets and pictures follow the system."""
YEAR = 365 * 24 * 3600


def look_of(ask: RequestHead) -> str:
    """Return the look in the browser's cookie; the system's without one."""
    for crumb in ask.environ.get("HTTP_COOKIE", "").split(";"):
        name, _, said = crumb.strip(" \t").partition("=")
        if name == COOKIE and said in LOOKS:
            return str(said)
    return SYSTEM


def look_cookie(look: str, origin: str) -> str:
    """Return the cookie that stores a look for a year, or deletes the stored one."""
    secure = "; Secure" if origin.startswith("https:") else ""
    return f"{COOKIE}={look}; Path=/; Max-Age={YEAR if look else 0}; HttpOnly; SameSite=Lax{secure}"


def now() -> datetime:
    """Return the present time."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Reader:
    """The person for whom a page is rendered.

    `zone` is their time zone, `look` their choice of light or dark. `typed` are the fields of a refused form
    by name, and `wrong` the sentences about the invalid ones: names of fields are unique in a page.
    """

    zone: str = "UTC"
    look: str = ""
    now: datetime = field(default_factory=now)
    typed: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)


_present: ContextVar[Reader | None] = ContextVar("reader", default=None)


@contextmanager
def reading(reader: Reader) -> Iterator[None]:
    """Render pages for this reader until the end of the block."""
    token = _present.set(reader)
    try:
        yield
    finally:
        _present.reset(token)


def present() -> Reader:
    """Return the reader of the page that is being rendered; by default an anonymous one in UTC."""
    return _present.get() or Reader()


def text_of(name: str, otherwise: object = "", do: str = "") -> object:
    """Return the previous input of a field of a refused form; `otherwise` is the page's own value.

    With `do`, only the input of the form with that button: two forms of a page may share a field name.
    """
    return present().typed.get(name, otherwise) if _is_of(do) else otherwise


def is_ticked(name: str, kept: str, do: str) -> bool:
    """Return whether a checkbox is ticked: in the refused form with that button, else as `kept`."""
    typed = present().typed
    return (typed.get(name, "no") if typed.get("do") == do else kept) == "yes"


def wrong(name: str, do: str = "") -> str:
    """Return the sentence about an invalid field, of the form with that button; "" if it is valid."""
    return page_words(present().wrong.get(name, "")) if _is_of(do) else ""


def _is_of(do: str) -> bool:
    return do in ("", present().typed.get("do"))
