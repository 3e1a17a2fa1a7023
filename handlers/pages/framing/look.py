"""The look that a person chose in a browser: light or dark; only this module reads and writes its cookie.

Without the cookie, style sheets and pictures follow the system.
"""

from __future__ import annotations

from handlers.http.request_head import RequestHead

COOKIE = "curlew_look"
SYSTEM, LIGHT, DARK = "", "light", "dark"
LOOKS = {SYSTEM: "As the system", LIGHT: "Light", DARK: "Dark"}
"""Labels of the looks, by the cookie's values."""
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
