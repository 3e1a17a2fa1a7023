"""The session cookie: set by a login, removed by a logout or when its session has ended."""

from __future__ import annotations

from handlers.http.request_head import RequestHead
from handlers.http.response import Answer
from handlers.identity.identify import COOKIE, cookie_name

SESSION_SECONDS = 30 * 24 * 3600


def set_session(answer: Answer, token: str, origin: str) -> None:
    """Set the session cookie, or remove it when the token is empty (decisions 17)."""
    secure = "; Secure" if origin.startswith("https:") else ""
    cookie = f"{cookie_name(origin)}={token}; Path=/; Max-Age={SESSION_SECONDS if token else 0}"
    answer.cookies.append(f"{cookie}; HttpOnly; SameSite=Lax{secure}")


def forget_dead_session(answer: Answer, head: RequestHead) -> None:
    """Remove the cookie of a session that has ended, unless another credential was used."""
    if "HTTP_AUTHORIZATION" not in head.environ and COOKIE in head.environ.get("HTTP_COOKIE", ""):
        set_session(answer, "", head.origin or "")
