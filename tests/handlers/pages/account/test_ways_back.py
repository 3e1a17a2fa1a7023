"""Redirects after signing in: they lead to a page of this site for any requested path."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from handlers.pages.account.sign_in import address, safe

ORIGIN = "https://curlew.example"
PIECES = (
    "/", "//", "\\", "..", ".", "%2f", "%5c", "%00", "%0d%0a", "\t", "\n", "\r", "@", ":", "?", "#", "&",
    "https:", "javascript:", "evil.example", "u", "a", "\u202e", "\ud800", "ä", " ",
)  # fmt: skip
paths = st.text() | st.lists(st.sampled_from(PIECES), max_size=8).map("".join)


@given(paths)
def test_it_stays_on_this_site(path: str) -> None:
    found = safe(path)
    parts = urlsplit(found)
    assert (parts.scheme, parts.netloc) == ("", "")
    assert found.startswith("/") and not found.startswith("//")
    assert found.isascii() and found.isprintable() and "\\" not in found
    assert urljoin(f"{ORIGIN}/login", found).startswith(f"{ORIGIN}/")


@given(paths)
def test_a_safe_path_stays_the_same(path: str) -> None:
    found = safe(path)
    assert safe(found) == found
    assert address(found) == "/login" or address(found).startswith("/login?next=/")
