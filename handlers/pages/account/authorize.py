"""The page on which a person approves or denies an application's access (RFC 6749, 4.1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from handlers.pages.account import sign_in
from handlers.pages.forms import Json, SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from handlers.rules.redirects import OUT_OF_BAND, form_target, with_answer
from handlers.rules.scopes import SCOPES
from handlers.services.applications.connections import connection_end
from handlers.services.applications.requests import (
    FIELDS,
    UNSTORED,
    ApprovalRequest,
    RefusedRequest,
    read_request,
)
from vfs.access import Verb
from vfs.errors import Invalid
from vfs.path import Path
from vfs.ports.clock import stamp

AUTHORIZE = Path(("oauth", "authorize"))
APPROVE = API / ("admin", "authorize")


def show(request: PageRequest) -> Page | Redirect:
    """Return the page; send callers who are not signed in to the sign-in page first."""
    sent = _fields(request)
    if request.caller.name is None:
        return Redirect(sign_in.address(f"{AUTHORIZE}?{urlencode(sent)}"))
    try:
        return _question(request, read_request(request.world, sent, request.origin), sent)
    except RefusedRequest as refused:
        return _tell_flaw(request, refused)


def answer(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Send the person back to the application with a code, or with an error after a refusal."""
    sent = _fields(request)
    try:
        asked = read_request(request.world, sent, request.origin)
    except RefusedRequest as refused:
        return _tell_flaw(request, refused)
    if form["answer"] != "approve":
        return _refusal(request, asked.redirect, "access_denied", "the person refused", asked.state)
    code = str(request.answer(Verb.WRITE, APPROVE, Json(sent))["code"])
    if asked.redirect == OUT_OF_BAND:
        name = asked.application.name or asked.application.client
        return Page("authorized.html", {"name": name, "code": code, "refused": ""})
    return _back(request, asked.redirect, {"code": code}, asked.state)


def _question(request: PageRequest, asked: ApprovalRequest, sent: Mapping[str, str]) -> Page:
    application, token = asked.application, request.caller.token
    end = connection_end(request.world, token) if token is not None else None
    facts: dict[str, Any] = {
        "application": application,
        "is_unknown": application.id == UNSTORED,
        "rights": [SCOPES[word] for word in asked.scopes],
        "until": stamp(end) if end is not None else None,
        "address": "" if asked.redirect == OUT_OF_BAND else asked.redirect,
        "query": urlencode(sent),
    }
    return Page("authorize.html", facts, form_target=form_target(asked.redirect))


def _fields(request: PageRequest) -> dict[str, str]:
    """Return the fields of the application's request. Raises Invalid for a field that was sent twice."""
    query = request.ask.environ.get("QUERY_STRING", "")
    pairs = [pair for pair in parse_qsl(query, errors="replace") if pair[0] in FIELDS]
    if len({name for name, _ in pairs}) < len(pairs):
        raise Invalid("the application sent a field of its request twice")
    return dict(pairs)


def _tell_flaw(request: PageRequest, refused: RefusedRequest) -> Page | Redirect:
    if not refused.sent_on:
        return _nothing(refused.detail)
    return _refusal(request, refused.redirect, refused.error, refused.detail, refused.state)


def _nothing(reason: str) -> Page:
    return Page("authorized.html", {"name": "", "code": "", "refused": reason})


def _refusal(request: PageRequest, redirect: str, error: str, detail: str, state: str) -> Page | Redirect:
    if redirect == OUT_OF_BAND:
        return _nothing(detail)
    return _back(request, redirect, {"error": error, "error_description": detail}, state)


def _back(request: PageRequest, redirect: str, fields: dict[str, str], state: str) -> Redirect:
    """Return the redirect to the application, with the issuer in `iss` (RFC 9207)."""
    more = {"state": state} if state else {}
    return Redirect(with_answer(redirect, {**fields, **more, "iss": request.origin}))
