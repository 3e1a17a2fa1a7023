"""Responses of the pages: the HTML of a view with its policy, redirects with their cookies, errors."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from http import HTTPStatus

from handlers.http.conditions import is_not_modified
from handlers.http.headers import ALIKE, NOTHING, policy_of
from handlers.http.listings import allow
from handlers.http.negotiation import accept_media
from handlers.http.problems import BROKEN, ProblemType, internal_error, problem_type_of, reason, refusal
from handlers.http.request_head import RequestHead
from handlers.http.response import Answer
from handlers.http.session_cookie import forget_dead_session, set_browser, set_session
from handlers.pages import forms
from handlers.pages.account import sign_in
from handlers.pages.acting import status
from handlers.pages.assets import static
from handlers.pages.framing.frame import PageFrame, bare_frame, frame
from handlers.pages.framing.reader import SYSTEM, Reader, look_cookie, look_of, reading
from handlers.pages.items.item_path import ItemPath, item_at
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece, Redirect, View
from handlers.pages.templates import render
from handlers.pages.trash import entry_of
from vfs.access import Verb
from vfs.errors import Denied, Invalid, NotFound, Unauthenticated, Unsupported, VfsError
from vfs.path import Path

# Only the page's own style and script: a user's file has the same origin.
POLICY = (
    "default-src 'none'; style-src 'nonce-{0}'; script-src 'nonce-{0}'; connect-src 'self'; "
    "form-action 'self'{1}; base-uri 'none'; frame-ancestors 'none'; img-src 'self'"
)
DOCUMENT = " data:; font-src 'self'"
FRAMES = "; frame-src 'self'"
FRAMED_BY_NOBODY, FRAMED_BY_ALL = "frame-ancestors 'none'", "frame-ancestors *"
# Not "no-referrer": a browser would then send forms with the origin "null".
REFERRER = "same-origin"
MOVED = policy_of(NOTHING, REFERRER)
HTML, MARKDOWN = "text/html", "text/markdown"
READS = ("GET", "HEAD")
ADVICE = ("Allow", "Retry-After")
USERS, OF_ITEM, LONGEST = ("u",), 4, 64
"""First name of addresses of items, their number of names, and maximum characters of a searched name."""


def is_browser(ask: RequestHead) -> bool:
    """Return whether the client is a browser: it asks for HTML by name."""
    return accept_media(ask.environ.get("HTTP_ACCEPT"), (HTML, MARKDOWN), "") == HTML


def response(request: PageRequest, answered: Answered) -> Answer:
    """Return the response for a view's result."""
    answer = _answer(request, answered)
    session = None if isinstance(answered, Piece) else answered.session
    if session is not None:
        set_session(answer, session, request.origin)
    if answered.browser:
        set_browser(answer, answered.browser, request.origin)
    if request.lapsed and not answer.cookies:
        forget_dead_session(answer, request.ask)
    return answer


def asset_response(ask: RequestHead, path: Path) -> Answer:
    """Return the response with a file of the pages. Raises NotFound, or Unsupported for writing verbs."""
    found = static(path[1]) if len(path) == 2 else None
    if found is None:
        raise NotFound(f"there is no {path}")
    if ask.method not in READS:
        raise Unsupported(f"{path} can only be read", allow=(Verb.READ,))
    kept = f"v={found.version}" in ask.environ.get("QUERY_STRING", "")
    answer = Answer(HTTPStatus.OK, [("ETag", found.tag), ("Content-Type", found.media)])
    answer.cache = "public, max-age=31536000, immutable" if kept else ALIKE
    if is_not_modified(ask.environ, found.tag):
        answer.status = HTTPStatus.NOT_MODIFIED
    else:
        answer.body = found.body
    return answer


def options_response(view: View) -> Answer:
    """Return the verbs of a page, which are the same for all callers."""
    return Answer(HTTPStatus.NO_CONTENT, [("Allow", allow(view.verbs))])


def error_response(request: PageRequest, path: Path, error: VfsError) -> Answer:
    """Return the response for an error: a page, a redirect to the sign-in page, or a problem."""
    ask = request.ask
    if not is_browser(ask):
        answer = refusal(error, ask)
    elif isinstance(error, Unauthenticated):
        answer = _redirect(
            request, Redirect(sign_in.address(f"{path}{_query(ask)}" if ask.method in READS else "/"))
        )
    else:
        answer = error_page(request, error, path)
    if request.lapsed or isinstance(error, Unauthenticated):
        forget_dead_session(answer, ask)
    return answer


def error_page(request: PageRequest, error: VfsError, path: Path | None = None) -> Answer:
    """Return the page of an error; `path` is the address of the page that was requested."""
    if isinstance(error, NotFound) and path is not None:
        detail = f"There is nothing at {path}, or it is not visible to you."
    else:
        detail = f"{error.detail[:1].upper()}{error.detail[1:]}."
    answer = _problem(request, problem_type_of(error), detail, _ways_on(request, error, path or Path()))
    answer.headers += advice(error, request.ask)
    return answer


def _ways_on(request: PageRequest, error: VfsError, path: Path) -> dict[str, object]:
    """Return links from an error page: to the item, or to a search for its name."""
    of_item = path[:1] == USERS and len(path) >= OF_ITEM
    if isinstance(error, NotFound) and path:
        found = item_at(path, request.world.service.kinds)
        trashed = entry_of(found[0].api, request) if found is not None else ""
        return {"sought": path[OF_ITEM - 1 if of_item else -1][:LONGEST], "trashed": trashed}
    if request.caller.name is not None and of_item and isinstance(error, Denied) and len(path) > OF_ITEM:
        return {"back": str(Path(path[:OF_ITEM])), "asks": _question(request, path)}
    return {}


def _question(request: PageRequest, path: Path) -> ItemPath | None:
    """Return the item on which a comment can ask for access; None if the reader may not comment."""
    found = item_at(path, request.world.service.kinds)
    if found is None or request.ask.method not in READS:
        return None
    return found[0] if request.may(Verb.CREATE, found[0].api / ("threads", "x")) else None


def failure_response(request: PageRequest) -> Answer:
    """Return the response for an internal error of the service."""
    ask = request.ask
    if not is_browser(ask):
        return internal_error(ask)
    said = f"Something went wrong. The server's log has the details under {ask.id}."
    return _problem(request, BROKEN, said, {}, bare_frame(request, _place(ask)))


def advice(error: VfsError, ask: RequestHead) -> list[tuple[str, str]]:
    """Return the headers of an error that say what to do instead, or when to retry."""
    return [one for one in refusal(error, ask).headers if one[0] in ADVICE]


def _answer(request: PageRequest, answered: Answered) -> Answer:
    if isinstance(answered, Redirect):
        return _redirect(request, answered)
    if isinstance(answered, Piece):
        sent = [("Content-Type", answered.media)]
        return Answer(HTTPStatus.OK, sent, answered.body, policy=answered.policy)
    if answered.error is None:
        return _page(request, answered, HTTPStatus.OK)
    kind = problem_type_of(answered.error)
    answer = _page(request, answered, kind.status)
    answer.headers += advice(answered.error, request.ask)
    answer.why = reason(kind, answered.error.detail)
    return answer


def _problem(
    request: PageRequest,
    kind: ProblemType,
    detail: str,
    ways: Mapping[str, object],
    around: PageFrame | None = None,
) -> Answer:
    facts = {"status": kind.status.value, "heading": kind.title, "detail": detail}
    no_ways = {"back": "", "sought": "", "asks": None, "trashed": ""}
    answer = _page(request, Page("error.html", {**facts, **no_ways, **ways}), kind.status, around)
    answer.why = reason(kind, detail)
    return answer


def _redirect(request: PageRequest, to: Redirect) -> Answer:
    location = status.address(request, to)
    moved = HTTPStatus.PERMANENT_REDIRECT if to.moved else HTTPStatus.SEE_OTHER
    answer = Answer(moved, [("Location", location)], policy=MOVED)
    if to.look is not None:
        answer.cookies.append(look_cookie(to.look, request.origin))
    return answer


def _page(request: PageRequest, page: Page, code: HTTPStatus, around: PageFrame | None = None) -> Answer:
    around = frame(request, _place(request.ask)) if around is None else around
    look = SYSTEM if page.embedded else look_of(request.ask)
    facts = {
        "caller": request.caller.name,
        "here": str(_place(request.ask)),
        "back": f"{_place(request.ask)}{_query(request.ask)}",
        "origin": request.origin,
        "token": forms.token(request.world, request.caller),
        "look": look,
        "nonce": secrets.token_urlsafe(16),
        "trouble": None,
        "done": status.status(request, status.every_sentence(sends_mail=around.sends_mail)),
        "frame": around,
        **page.facts,
    }
    if "title" not in facts and "head" in facts:
        facts["title"] = facts["head"].title
    content = POLICY.format(facts["nonce"], page.form_target and f" {page.form_target}")
    content += DOCUMENT * page.document + FRAMES * page.frames
    if page.embedded:
        content = content.replace(FRAMED_BY_NOBODY, FRAMED_BY_ALL)
    with reading(Reader(around.zone, look, typed=page.typed, wrong=page.wrong)):
        body = render(page.template, facts)
    sent = [("Content-Type", f"{HTML}; charset=utf-8")]
    return Answer(code, sent, body, policy=policy_of(content, REFERRER))


def _query(ask: RequestHead) -> str:
    """Return the query of the shown page, to return to it; "" for a form."""
    sent = str(ask.environ.get("QUERY_STRING", ""))
    return f"?{sent}" if sent and ask.method in READS else ""


def _place(ask: RequestHead) -> Path:
    """Return the path of the page, to return to it; the first page's if it is malformed."""
    try:
        return Path.parse(ask.raw)
    except Invalid:
        return Path(())
