"""Response headers for browsers and caches: content policy, caching, resource policy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from handlers.http.request_head import Front, RequestHead

Headers = list[tuple[str, str]]
Policy = tuple[tuple[str, str], ...]


def policy_of(content: str, referrer: str) -> Policy:
    """Return the headers that restrict a browser: content policy (CSP level 3), framing, referrer."""
    return (
        ("Content-Security-Policy", content),
        ("Referrer-Policy", referrer),
        ("X-Content-Type-Options", "nosniff"),
    )


# For bytes of any origin: no script, no form, no origin, no framing by other pages.
NOTHING = "default-src 'none'; sandbox; frame-ancestors 'none'"
SANDBOX = policy_of(NOTHING, "no-referrer")
# A render contains its styles, pictures and fonts; it may use only these.
DRAWN = policy_of(
    f"{NOTHING}; style-src 'unsafe-inline'; img-src data:; font-src data:",
    "no-referrer",
)
# A fragment may contain a plot with a script, which has no origin, no network and no navigation.
FRAMED = policy_of(
    "default-src 'none'; sandbox allow-scripts; frame-ancestors 'self'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; font-src data:",
    "no-referrer",
)
# A mail or a preview is shown inside a page here, and runs no script.
WITHIN = policy_of(
    "default-src 'none'; sandbox; frame-ancestors 'self'; style-src 'unsafe-inline'; img-src data:; "
    "font-src data:",
    "no-referrer",
)
# For files that depend on the program alone; clients may cache them if they revalidate.
ALIKE = "no-cache"

_PERSONAL = ("Cache-Control", "private, no-store")
_PUBLIC = ("Cache-Control", "no-cache")
_VARY = ("Vary", "Accept, Authorization, Cookie")
_VARY_BY_ORIGIN = ("Vary", "Accept, Authorization, Cookie, Origin")
_VARY_BY_FACE = ("Vary", "Accept")
_HERE = ("Cross-Origin-Resource-Policy", "same-origin")
_ANYWHERE = ("Cross-Origin-Resource-Policy", "cross-origin")
_TLS = ("Strict-Transport-Security", "max-age=31536000")


def common_headers(
    head: RequestHead, front: Front, shown: Policy = SANDBOX, cache: str | None = None
) -> Headers:
    """Return the headers that depend on the request alone.

    `cache` is the Cache-Control of a response that is the same for all callers.
    """
    alike = _alike_headers(shown, cache, head.personal, bool(front.origins), head.secure)
    return [*alike, ("X-Request-ID", head.id)]


def plain_headers() -> Sequence[tuple[str, str]]:
    """Return the headers of a response that is the same for all callers."""
    return _alike_headers(SANDBOX, None, False, False, False)


@lru_cache(256)
def _alike_headers(
    shown: Policy, cache: str | None, personal: bool, crossed: bool, secure: bool
) -> tuple[tuple[str, str], ...]:
    """Return the headers common to a class of responses; other sites may read those `crossed`."""
    found = [*shown]
    if cache is not None:
        found += (("Cache-Control", cache), _VARY_BY_ORIGIN if crossed else _VARY_BY_FACE)
    else:
        found += (_PERSONAL if personal else _PUBLIC, _VARY_BY_ORIGIN if crossed else _VARY)
    # A public render may be embedded in pages of other sites.
    alone = shown in (DRAWN, FRAMED, WITHIN) and not personal
    found.append(_ANYWHERE if crossed or alone else _HERE)
    if secure:
        found.append(_TLS)
    return tuple(found)
