"""The session cookie: set by a login, removed by a logout or when its session has ended."""

from __future__ import annotations

import re
import secrets

from handlers.http.request_head import RequestHead
from handlers.http.response import Answer
from handlers.identity.identify import COOKIE, cookie_name, cookie_of

SESSION_SECONDS = 30 * 24 * 3600


def set_session(answer: Answer, token: str, origin: str) -> None:
    """Set the session cookie, or remove it when the token is empty (decisions 17)."""
    _set(answer, cookie_name(origin), token, SESSION_SECONDS if token else 0, origin)


def forget_dead_session(answer: Answer, head: RequestHead) -> None:
    """Remove the cookie of a session that has ended, unless another credential was used."""
    if "HTTP_AUTHORIZATION" not in head.environ and COOKIE in head.environ.get("HTTP_COOKIE", ""):
        set_session(answer, "", head.origin or "")


BROWSER, BROWSER_SECONDS = "browser", 900
_BROWSER_VALUE = re.compile(r"[A-Za-z0-9_-]{22}")


def browser_of(head: RequestHead) -> str:
    """Return the secret value to which challenges of this browser are bound: its cookie's, or a new one."""
    sent = cookie_of(head.environ.get("HTTP_COOKIE", ""), _browser_cookie(head.origin or ""))
    return sent if sent and _BROWSER_VALUE.fullmatch(sent) else secrets.token_urlsafe(16)


def set_browser(answer: Answer, value: str, origin: str) -> None:
    """Set the cookie of `browser_of`; it is also sent when the company's provider leads back here."""
    _set(answer, _browser_cookie(origin), value, BROWSER_SECONDS, origin)


def _browser_cookie(origin: str) -> str:
    return f"{cookie_name(origin)}_{BROWSER}"


def _set(answer: Answer, name: str, value: str, seconds: int, origin: str) -> None:
    secure = "; Secure" if origin.startswith("https:") else ""
    answer.cookies.append(f"{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
