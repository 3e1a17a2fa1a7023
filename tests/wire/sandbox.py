"""What every answer says that does not act in this origin, and the few that may."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tests.wire.player import Answer

# What comes from users lies below these alone.
OF_USERS = ("/v1", "/git")


def sandboxed(headers: Mapping[str, str]) -> bool:
    """Whether a browser that shows an answer, and whatever is in it, lets it do nothing at all."""
    rules = [rule.strip() for rule in headers.get("content-security-policy", "").split(";")]
    return {"default-src 'none'", "sandbox", "frame-ancestors 'none'"} == {*rules} and lax(headers) == ""


def lax(headers: Mapping[str, str]) -> str:
    """Which of the other headers is missing or lax; empty when all are as they must be."""
    wanted = {
        "x-content-type-options": r"nosniff",
        "referrer-policy": r"no-referrer|same-origin",
        "cross-origin-resource-policy": r"same-origin",
        "cache-control": r"private, no-store|no-cache|public, max-age=31536000, immutable",
        "vary": r"Accept(, Authorization, Cookie)?",
        "x-request-id": r"[A-Za-z0-9._-]+",
    }
    return ", ".join(name for name, value in wanted.items() if not re.fullmatch(value, headers.get(name, "")))


def is_page(path: str, answer: Answer) -> bool:
    """Whether this is a page of the service's own, which has a strict policy and no sandbox."""
    policy = answer.headers["content-security-policy"]
    return (
        not path.startswith(OF_USERS)
        and answer.headers["content-type"] == "text/html; charset=utf-8"
        and policy.startswith("default-src 'none'; ")
        and "frame-ancestors 'none'" in policy
        and not re.search(r"unsafe|\*|https?:|data:|script-src 'self'|style-src 'self'", policy)
        and lax(answer.headers) == ""
    )
