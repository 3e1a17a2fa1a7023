"""The readers of text that strangers send, with the pieces of their languages and how much of it may come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from chains.builds.repositories import label
from chains.language import chain, layout, mapping, schedule
from chains.language.grid import references, structure
from handlers.http.bodies.body import parse_json
from handlers.http.bodies.multipart import safe_path
from handlers.http.bodies.part_headers import parameters
from handlers.http.conditions import expectation, span
from handlers.http.negotiation import accept_face, accept_media, parse_prefer
from handlers.http.request_head import Front, read_head
from handlers.rules import accounts, mounts, scopes, targets
from handlers.rules.expiry import expiry
from handlers.trees import KINDS
from vfs.errors import Denied, Invalid, Unsatisfiable, VfsError
from vfs.path import Path, require_name

KIB = 1024
HEADER = 16 * KIB
NOW = datetime(2026, 11, 21, 7, 44, tzinfo=UTC)
BLANKS = ("", " ", "  ", "\t", "\n", "\r\n", "\0", "\x7f", "\N{NO-BREAK SPACE}", "\ud800", "\N{BIRD}", "é")
WORDS = (
    "a",
    "b",
    "a-b",
    "a_b",
    "a__b",
    "0",
    "9",
    "-1",
    "1e9",
    "A",
    ".",
    "..",
    "...",
    "%",
    "\\",
    '"',
    "'",
    "/",
    "~",
)


@dataclass(frozen=True, slots=True)
class Reader:
    """`read` takes any text of at most `largest` characters and raises nothing but `refusals`."""

    name: str
    read: Callable[[str], object]
    pieces: Sequence[str]
    largest: int = HEADER
    refusals: tuple[type[VfsError], ...] = (Invalid,)

    @property
    def letters(self) -> tuple[str, ...]:
        """The pieces of its language and those that mean trouble anywhere."""
        return (*self.pieces, *WORDS, *BLANKS)

    def refuses(self, text: str) -> bool:
        """Whether the text is refused; any other error is raised."""
        try:
            self.read(text)
        except self.refusals as refusal:
            said = refusal.detail
        else:
            return False
        assert len(said) < KIB, "a refusal is a sentence"
        return True


def _raw(text: str) -> bytes:
    """Text as the bytes that came for it, lone surrogates for bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogatepass")


def _header(text: str) -> str:
    """Text as a header arrives: bytes in the shape of characters."""
    return _raw(text).decode("latin-1")


def _environ(**headers: str) -> dict[str, str]:
    return {
        "REQUEST_METHOD": "GET",
        "RAW_URI": "/",
        "PATH_INFO": "/",
        "REMOTE_ADDR": "",
        "wsgi.url_scheme": "http",
        **headers,
    }


def _head(text: str) -> None:
    text = _header(text)
    read_head(_environ(HTTP_HOST=text, HTTP_X_REQUEST_ID=text, HTTP_X_FORWARDED_FOR=text), Front())


def _conditions(text: str) -> None:
    text = _header(text)
    expectation({"HTTP_IF_MATCH": text}, lambda reply: ())
    span({"HTTP_RANGE": text, "HTTP_IF_RANGE": text}, text.strip(), 10)


def _preferences(text: str) -> None:
    text = _header(text)
    accept_face(text)
    accept_media(text, ("text/html",), "text/plain")
    parse_prefer(text)


def _account(text: str) -> None:
    text = _raw(text).decode(errors="replace")  # JSON has no lone surrogates here
    for field in ("username", "password", "email", "name", "account_type", "public"):
        sent: dict[str, object] = {
            "username": "bird",
            "password": "long enough to do",
            "email": "a@b.example",
        }
        try:
            accounts.registration({**sent, field: text})
        except Invalid:
            continue


READERS = (
    Reader(
        "chain",
        chain.parse,
        ("<-", "->", "!", "!.", "#", ",", "|", "@a/b", ":1", "j/", "u/a/j/b", "/"),
        70_000,
    ),
    Reader(
        "schedule",
        schedule.parse,
        ("*", "*/", "1-5", ",", "TZ=", "Europe/Oslo", "MON", "JAN", "#", "@daily", "L", "?"),
    ),
    Reader(
        "layout",
        lambda text: structure(layout.parse(text), {}),
        ("+---+\n", "|{A}|\n", "+", "-", "|", "{", "}", "{B:^}", ":v}", "+" * 99, "漢", "\u0301", "|---|\n"),
        70_000,
    ),
    Reader(
        "mapping",
        lambda text: references(None, mapping.parse(text)),
        ("=>", "A => ", "/p/a", "u/a/p/b", "https://", "x1m2b", "?m=d", "&", ",s=2", ",h=t"),
        70_000,
    ),
    Reader("mounts", mounts.parse, ("=>", "/u/a/s/b", "u/", "/s/", ",rw", ",ro", "#")),
    Reader(
        "target", targets.parse, ("@", "+", "~", "public", "rwdx", "x~", "@a~b~r"), 255, (Invalid, Denied)
    ),
    Reader(
        "path",
        lambda text: Path.parse(_header(text)),
        ("/v1", "//", "%2F", "%00", "%ff", "%C3%A9", "%2e", "%25"),
    ),
    Reader("name", require_name, ("a" * 63,), KIB),
    Reader("claim", scopes.KnownClaims(KINDS).actions, ("global", "repo_ro"), KIB),
    Reader("label", label, ("refs/heads/", "-"), KIB),
    Reader(
        "expires in",
        lambda text: expiry(NOW, text, None),
        ("7", "days", "seconds", "99999999999", "inf", "nan"),
    ),
    Reader(
        "expires on",
        lambda text: expiry(NOW, None, text),
        ("2030", "-01", "-31", "T", "12:00", "Z", "+25:00", "-W1"),
    ),
    Reader("file name", lambda text: safe_path(_raw(text)), ("a/b", "C:", "x" * 250), 4 * KIB),
    Reader(
        "parameters",
        lambda text: parameters(_header(text)),
        (";", "=", "; a=", '"b"', '\\"', "filename*=", "utf-8''"),
    ),
    Reader(
        "JSON",
        lambda text: parse_json(_raw(text)),
        ("[", "]", "{", "}", '"', '\\"', "\\u", "d800", ":", ",", "1e999", "NaN", "true"),
        1 << 20,
    ),
    Reader(
        "preferences",
        _preferences,
        (",", ";", "q=", "*/*", "text/plain", "application/json", "=", "wait=1"),
        HEADER,
    ),
    Reader(
        "conditions",
        _conditions,
        ('W/"', '"a"', ",", "*", "bytes=", "-", "99999999999999999999"),
        HEADER,
        (Unsatisfiable,),
    ),
    Reader("head", _head, ("[", "]", ":", "::1"), HEADER),
    Reader("account", _account, ("@", "a@b.c", "regular", "true"), KIB),
)
