"""The look that a person chose for a browser: light or dark; its cookie is read and written here alone.

Without the cookie pages are as the system is, which style sheets and pictures find out by themselves.
"""

from __future__ import annotations

from handlers.http.request_head import RequestHead

COOKIE = "curlew_look"
SYSTEM, LIGHT, DARK = "", "light", "dark"
LOOKS = {SYSTEM: "As the system", LIGHT: "Light", DARK: "Dark"}
"""The words for each look, by what the cookie says."""
YEAR = 365 * 24 * 3600


def look_of(ask: RequestHead) -> str:
    """The look that the browser keeps; that of the system where it keeps none."""
    for crumb in ask.environ.get("HTTP_COOKIE", "").split(";"):
        name, _, said = crumb.strip(" \t").partition("=")
        if name == COOKIE and said in LOOKS:
            return str(said)
    return SYSTEM


def look_cookie(look: str, origin: str) -> str:
    """The cookie by which a browser keeps a look for a year, or forgets the one it has."""
    secure = "; Secure" if origin.startswith("https:") else ""
    return f"{COOKIE}={look}; Path=/; Max-Age={YEAR if look else 0}; HttpOnly; SameSite=Lax{secure}"
