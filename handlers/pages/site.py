"""The paths outside of the API, for people: each request is passed to its view, as its caller."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from handlers.http.health import CheckResult
from handlers.http.problems import refusal
from handlers.http.request_head import RequestHead, caller_of
from handlers.http.response import Answer
from handlers.identity.identify import Identifies
from handlers.pages import forms
from handlers.pages.acting import kept_form
from handlers.pages.acting.fields import refused_fields, shown_again
from handlers.pages.assets import FOLDER
from handlers.pages.forms import SentForm
from handlers.pages.manual import Chapters
from handlers.pages.request import PageRequest
from handlers.pages.responses import (
    READS,
    asset_response,
    error_page,
    error_response,
    failure_response,
    is_browser,
    options_response,
    response,
)
from handlers.pages.result import Answered, Page, View
from handlers.pages.routes import view_of
from handlers.pages.visuals.leave_page import LEAVE
from handlers.pages.visuals.visual_page import VisualPages
from handlers.rules.addresses import API
from handlers.services.world import World
from vfs.access import PUBLIC, Caller, Verb
from vfs.call import Call, Reply
from vfs.errors import Denied, Invalid, NotFound, Unauthenticated, Unsupported, VfsError
from vfs.path import Path

log = logging.getLogger("curlew")

LOGIN, LOGOUT = Path(("login",)), Path(("logout",))
# Forms with an ended session are handled there as anonymous ones.
ANYBODY = frozenset(
    Path((name,))
    for name in ("login", "logout", "forgotten", "invited", "register", "reset", "setup", "verify")
)
ELSEWHERE = frozenset(
    (name,) for name in ("openapi.json", "llms.txt", "healthz", "readyz", "metrics", ".well-known")
)
STATIC = (FOLDER,)
# These pages are for browsers; other clients get a text.
WELCOME, MANUAL = (), ("docs",)
FORMS = "POST"
NO_PAGES: Mapping[Path, View] = MappingProxyType({})


class Site:
    """The handler of paths outside the API. Errors are pages for browsers, problems for programs."""

    def __init__(
        self,
        serve: Callable[[Call[World]], Reply],
        world: World,
        identify: Identifies,
        chapters: Chapters,
        visuals: VisualPages,
        checks: Callable[[], Mapping[str, CheckResult]] = dict,
        provider: Mapping[Path, View] = NO_PAGES,
    ) -> None:
        """Make the site; `provider` are the pages of signing in by a provider."""
        self._serve = serve
        self._world = world
        self._identify = identify
        self._chapters = chapters
        self._visuals = visuals
        self._checks = checks
        self._provider = provider

    def __call__(self, ask: RequestHead, path: Path) -> Answer | None:
        """Return the response to a request for a page; None for paths of other handlers."""
        head = path[:1]
        is_text = not is_browser(ask) or (path[-1:] != () and path[-1].endswith(".md"))
        if head in ELSEWHERE or (head in (WELCOME, MANUAL) and is_text):
            return None
        request = self._request(PUBLIC, ask)
        with self._world.session():
            try:
                if head == STATIC:
                    return asset_response(ask, path)
                try:
                    view = self._provider.get(path) or self._view_of(path)
                except NotFound:
                    request = self._known(ask, path)
                    raise
                if ask.method == "OPTIONS":
                    return options_response(view)
                if not view.anonymous:
                    request = self._signed_in(ask, path)
                ask.user = request.caller.name
                return response(request, self._view(request, view, path))
            except VfsError as error:
                return error_response(request, path, error)
            except Exception:
                log.exception("request %s failed: %s %s", ask.id, ask.method, ask.instance)
                return failure_response(request)

    def astray(self, error: VfsError, ask: RequestHead) -> Answer:
        """Return the response to an error outside of any page; below the API always a problem."""
        if ask.raw.lstrip("/").partition("/")[0] == API[0] or not is_browser(ask):
            return refusal(error, ask)
        with self._world.session():
            return error_page(self._known(ask, Path()), error)

    def _view_of(self, path: Path) -> View:
        return view_of(path, self._world.service.kinds, self._chapters, self._visuals)

    def _request(self, caller: Caller, ask: RequestHead, *, lapsed: bool = False) -> PageRequest:
        return PageRequest(self._serve, self._world, caller, ask, lapsed, self._checks)

    def _known(self, ask: RequestHead, path: Path) -> PageRequest:
        """Return the request for the page of an error: with its caller if there is one."""
        try:
            return self._signed_in(ask, path)
        except VfsError:
            return self._request(PUBLIC, ask)

    def _signed_in(self, ask: RequestHead, path: Path) -> PageRequest:
        """Return the request with its caller; with an ended session it is anonymous, its form kept."""
        try:
            return self._request(self._caller(ask, path), ask)
        except Unauthenticated:
            if ask.method in READS or path in ANYBODY or (ask.method == FORMS and is_browser(ask)):
                return self._request(PUBLIC, ask, lapsed=True)
            raise

    def _caller(self, ask: RequestHead, path: Path) -> Caller:
        if ask.origin is None:
            raise Invalid("the Host header is malformed")
        verb = Verb.WRITE if ask.method == FORMS and path != LOGIN else Verb.READ
        if path[:1] == LEAVE:
            return PUBLIC
        if ask.method == FORMS:
            forms.require_origin(ask)
        return caller_of(self._identify, ask, verb, path)

    def _view(self, request: PageRequest, view: View, path: Path) -> Answered:
        method = request.ask.method
        if view.show is not None and method in READS:
            return view.show(request)
        if view.act is None or method != FORMS:
            raise Unsupported(f"{path} is a page and does not take {method}", allow=view.verbs)
        settings = self._world.service.settings
        largest = max(settings.input_limit, settings.space_file_limit)
        form = forms.receive(request.ask.environ, largest, view.texts)
        if path != LOGIN and path[:1] != LEAVE:
            try:
                forms.require_token(self._world, request.caller, form)
            except Denied as error:
                if path in ANYBODY or not is_browser(request.ask):
                    raise
                return kept_form.page(request, kept_form.keep(path, form), error)
        return _act(request, view, form)


def _act(request: PageRequest, view: View, form: SentForm) -> Answered:
    """Handle a form; if it is refused, its page shows the error with all input."""
    assert view.act is not None
    try:
        return view.act(request, form)
    except VfsError as error:
        absent = isinstance(error, (NotFound, Unauthenticated)) and not refused_fields(error)
        if view.show is None or absent or "location" in error.members:
            raise
        try:
            again = view.show(request)
        except NotFound:
            raise error from None  # the page was removed with the form's subject
        if not isinstance(again, Page):
            return again
        facts = {**again.facts, "trouble": error.detail}
        return replace(
            again, facts=facts, error=error, typed=shown_again(form.fields), wrong=refused_fields(error)
        )
