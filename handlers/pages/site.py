"""The paths of pages: who asks is told as everywhere, the kernel decides, and what comes of it is a page."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import parse_qsl

from handlers.http.conditions import is_not_modified
from handlers.http.headers import ALIKE, NOTHING, policy_of
from handlers.http.listings import allow
from handlers.http.negotiation import accept_media
from handlers.http.problems import BROKEN, ProblemType, internal_error, problem_type_of, refusal
from handlers.http.request_head import RequestHead
from handlers.http.response import Answer
from handlers.http.session_cookie import forget_dead_session, forget_session, session_cookie
from handlers.identity.identify import Identifies
from handlers.pages import forms
from handlers.pages import sign_in as signin
from handlers.pages.assets import FOLDER, static
from handlers.pages.client import Desk
from handlers.pages.result import Answered, Page, Seen
from handlers.pages.routes import Act, Show, views
from handlers.pages.templates import rendered
from handlers.services.hints import Hints
from handlers.services.world import World
from vfs.access import PUBLIC, Caller, Verb
from vfs.call import Call, Reply
from vfs.errors import Denied, Invalid, NotFound, Unauthenticated, Unsupported, VfsError
from vfs.path import Path

log = logging.getLogger("curlew")

# Style and script are those that the page itself names: a file of a user is of this origin, too.
POLICY = (
    "default-src 'none'; style-src 'nonce-{0}'; script-src 'nonce-{0}'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Not "no-referrer": a browser would then send its forms from an origin of "null".
REFERRER = "same-origin"
MOVED = policy_of(NOTHING, REFERRER)
HTML = "text/html; charset=utf-8"
LOGIN, LOGOUT = Path(("login",)), Path(("logout",))
ELSEWHERE = frozenset(
    (name,) for name in ("docs", "openapi.json", "healthz", "readyz", "metrics", ".well-known")
)
READS, FORMS = ("GET", "HEAD"), "POST"
ADVICE = ("Allow", "Retry-After")


def browsing(ask: RequestHead) -> bool:
    """Whether a person looks: HTML is asked for by name."""
    return accept_media(ask.environ.get("HTTP_ACCEPT"), ("text/html",), "") == "text/html"


class Site:
    """Answers the paths outside of the API. Errors are pages to browsers, problems to programs."""

    def __init__(self, serve: Callable[[Call[World]], Reply], world: World, identify: Identifies) -> None:
        self._serve = serve
        self._world = world
        self._identify = identify

    def __call__(self, ask: RequestHead, path: Path) -> Answer | None:
        """The answer to a request for a page; None for paths that are answered elsewhere."""
        if path[:1] in ELSEWHERE or (not path and not browsing(ask)):
            return None
        desk = Desk(self._serve, self._world, PUBLIC, ask)
        with self._world.session():
            try:
                if path and path[0] == FOLDER:
                    return _static(ask, path)
                if ask.method == "OPTIONS":
                    return _options(path)
                desk = Desk(self._serve, self._world, self._caller(ask, path), ask)
                ask.user = desk.caller.name
                return self._sent(desk, self._answered(desk, path))
            except VfsError as error:
                return self._refused(desk, path, error)
            except Exception:
                log.exception("request %s failed: %s %s", ask.id, ask.method, ask.instance)
                return self._failed(desk)

    def astray(self, error: VfsError, ask: RequestHead) -> Answer:
        """The answer to an error outside of any page: below the API always a problem."""
        if ask.raw.lstrip("/").partition("/")[0] == "v1" or not browsing(ask):
            return refusal(error, ask)
        answer = self._told(
            Desk(self._serve, self._world, PUBLIC, ask), problem_type_of(error), _sentence(error)
        )
        answer.headers += _advice(error, ask)
        return answer

    def _caller(self, ask: RequestHead, path: Path) -> Caller:
        """Who asks; at the sign-in page a dead session is none at all."""
        if ask.origin is None:
            raise Invalid("the Host header is malformed")
        verb = Verb.WRITE if ask.method == FORMS and path != LOGIN else Verb.READ
        if ask.method == FORMS:
            _hold_origin(ask)
        try:
            return self._identify.caller(
                ask.environ, verb, path, address=ask.address, source=ask.source, origin=ask.origin
            )
        except Unauthenticated:
            if path in (LOGIN, LOGOUT):
                return PUBLIC
            raise

    def _answered(self, desk: Desk, path: Path) -> Answered:
        show, act = views(path)
        method = desk.ask.method
        if show is not None and method in READS:
            return show(desk, _query(desk.ask))
        if act is None or method != FORMS:
            raise Unsupported(f"{path} is a page and does not take {method}", allow=_verbs(show, act))
        settings = self._world.service.settings
        form = forms.received(desk.ask.environ, max(settings.input_limit, settings.space_file_limit))
        if path != LOGIN:
            forms.hold_token(self._world, desk.caller, form)
        try:
            return act(desk, form)
        except (NotFound, Unauthenticated):
            raise
        except VfsError as error:
            if show is None or "location" in error.members:
                raise
            return _again(show(desk, {}), error)

    def _sent(self, desk: Desk, answered: Answered) -> Answer:
        if isinstance(answered, Seen):
            answer = Answer(HTTPStatus.SEE_OTHER, [("Location", answered.path)], policy=MOVED)
            if answered.began is not None:
                session_cookie(
                    answer,
                    Call(Verb.WRITE, signin.AUTH, desk.caller, self._world, hints=Hints(origin=desk.origin)),
                    answered.began,
                )
            if answered.ended:
                forget_session(answer, desk.origin)
            return answer
        if answered.error is None:
            return self._page(desk, answered, HTTPStatus.OK)
        answer = self._page(desk, answered, problem_type_of(answered.error).status)
        answer.headers += _advice(answered.error, desk.ask)
        return answer

    def _page(self, desk: Desk, page: Page, status: HTTPStatus) -> Answer:
        facts = {
            "caller": desk.caller.name,
            "here": _here(desk.ask),
            "origin": desk.origin,
            "token": forms.token(self._world, desk.caller),
            "nonce": secrets.token_urlsafe(16),
            "trouble": None,
            **page.facts,
        }
        shown = policy_of(POLICY.format(facts["nonce"]), REFERRER)
        return Answer(status, [("Content-Type", HTML)], rendered(page.template, facts), policy=shown)

    def _refused(self, desk: Desk, path: Path, error: VfsError) -> Answer:
        ask = desk.ask
        if not browsing(ask):
            answer = refusal(error, ask)
        elif isinstance(error, Unauthenticated):
            answer = self._sent(desk, Seen(signin.address(str(path) if ask.method in READS else "/")))
        else:
            answer = self._told(desk, problem_type_of(error), _said(error, path))
            answer.headers += _advice(error, ask)
        if isinstance(error, Unauthenticated):
            forget_dead_session(answer, ask)
        return answer

    def _told(self, desk: Desk, kind: ProblemType, detail: str) -> Answer:
        facts = {"status": kind.status.value, "heading": kind.title, "detail": detail}
        return self._page(desk, Page("error.html", facts), kind.status)

    def _failed(self, desk: Desk) -> Answer:
        ask = desk.ask
        if not browsing(ask):
            return internal_error(ask)
        return self._told(desk, BROKEN, f"Something went wrong here; the service's log knows it as {ask.id}.")


def _here(ask: RequestHead) -> str:
    """The address of the page, to come back to; the first page's where it is malformed."""
    try:
        return str(Path.parse(ask.raw))
    except Invalid:
        return "/"


def _verbs(show: Show | None, act: Act | None) -> tuple[Verb, ...]:
    return tuple(verb for verb, there in ((Verb.READ, show), (Verb.WRITE, act)) if there is not None)


def _options(path: Path) -> Answer:
    """What a page takes, whoever asks."""
    return Answer(HTTPStatus.NO_CONTENT, [("Allow", allow(_verbs(*views(path))))])


def _again(answered: Answered, error: VfsError) -> Answered:
    """The page that a refused form stood on, telling why."""
    if isinstance(answered, Seen):
        return answered
    return Page(answered.template, {**answered.facts, "trouble": error.detail}, error)


def _advice(error: VfsError, ask: RequestHead) -> list[tuple[str, str]]:
    """The headers of a refusal that tell what to do instead, or when."""
    return [one for one in refusal(error, ask).headers if one[0] in ADVICE]


def _said(error: VfsError, path: Path) -> str:
    """The sentence for a person; what is absent is named by the page's address."""
    if isinstance(error, NotFound):
        return f"There is nothing at {path}, or it is not visible to you."
    return _sentence(error)


def _sentence(error: VfsError) -> str:
    return f"{error.detail[:1].upper()}{error.detail[1:]}."


def _static(ask: RequestHead, path: Path) -> Answer:
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


def _hold_origin(ask: RequestHead) -> None:
    """Refuse a form that a page of another origin sent, the sign-in form's too."""
    site, origin = ask.environ.get("HTTP_SEC_FETCH_SITE"), ask.environ.get("HTTP_ORIGIN")
    if site not in (None, "same-origin") or (site is None and origin not in (None, ask.origin)):
        raise Denied(
            "this form was sent from a page of another site: open the page here, and send it from there"
        )


def _query(ask: RequestHead) -> dict[str, str]:
    return dict(parse_qsl(ask.environ.get("QUERY_STRING", ""), keep_blank_values=True, errors="replace"))


__all__ = ["Site", "browsing"]
