"""The addresses of links, `/l/<key>`: people who have one read one item, without an account.

A link is a grant to a caller without a name, and the kernel checks it as every other grant. This module adds
what shares do not have: an end, a number of uses, and a password. No response, log or metric contains a
key; unknown, ended and used-up links have the same response.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus

import orjson

from handlers.http.kernel import InnerCalls, ReadAs
from handlers.http.negotiation import accept_media
from handlers.http.problems import internal_error, refusal
from handlers.http.request_head import RequestHead
from handlers.http.response import JSON, Answer
from handlers.identity.credentials import digest
from handlers.identity.identify import basic_pair
from handlers.links import linked_page
from handlers.links.linked_page import Visit
from handlers.pages import forms
from handlers.pages.request import PageRequest
from handlers.pages.responses import HTML, READS, is_browser, response
from handlers.pages.result import Page
from handlers.pages.visuals.visual_page import VisualPage, VisualPages
from handlers.rendering.render_kinds import MEDIA_TYPES
from handlers.rules.addresses import API
from handlers.services.snapshots import FORMS
from handlers.services.snapshots import TEXT as SOURCE
from handlers.services.world import World
from handlers.trees.facets.links import LETTERS
from vfs.access import PUBLIC, Caller, EffectiveGrant, LinkGrant, Verb, Via
from vfs.call import Call, Reply
from vfs.errors import Denied, Invalid, NotFound, Unauthenticated, Unsupported, VfsError
from vfs.path import Path
from vfs.ports.clock import stamp

log = logging.getLogger("curlew")

UNKNOWN = "there is no such link, or it has ended: ask for another"
NEEDED = "this link has a password: send it with  curl -u link:PASSWORD"
WRONG = "the password is wrong"
TEXT = "text/plain"
PINNED = {**{form: MEDIA_TYPES[form] for form in FORMS}, SOURCE: TEXT}
"""Media types of the forms of a snapshot."""
PLAIN = ("txt", "md", SOURCE)
"""Forms of plain text, the preferred one first; every kind has one of them."""


class PasswordNeeded(Unauthenticated):
    """A link was opened without its password, or with a wrong one."""


class FormMissing(NotFound):
    """A form was requested by a valid link whose item does not have it."""


class LinkDoor:
    """Answers all requests below `/l/`."""

    def __init__(self, serve: Callable[[Call[World]], Reply], world: World, visuals: VisualPages) -> None:
        self._serve = serve
        self._world = world
        self._pages = {page.kind.name: page for page in visuals.values()}

    def __call__(self, head: RequestHead, calls: InnerCalls) -> Answer:
        """Return the response."""
        try:
            with self._world.session():
                return _private(self._answer(head, calls.read_as))
        except VfsError as error:
            return _private(self._refuse(head, error))
        except Exception:
            log.exception("request %s failed: %s %s", head.id, head.method, head.instance)
            return _private(internal_error(head))

    def _answer(self, head: RequestHead, serve_as: ReadAs) -> Answer:
        if head.method == "OPTIONS":
            return Answer(HTTPStatus.NO_CONTENT, [("Allow", "GET, HEAD, POST, OPTIONS")])
        if head.method not in (*READS, "POST"):
            raise Unsupported("a link is only read", allow=(Verb.READ, Verb.WRITE))
        key, form = _names_of(head.raw)
        visit = self._visit(head, key)
        if head.method == "POST":
            return _take_password(visit)
        if not visit.is_admitted:
            _require_password(visit, _sent_password(head))
        ticket = visit.ticket()
        answer = self._show(visit, form, ticket, serve_as)
        if head.method == "GET" and not visit.is_counted:
            _count(visit, answer)
            visit.set_visit(answer, ticket)
        return answer

    def _visit(self, head: RequestHead, key: str) -> Visit:
        """Return the visit by a link. Raises the same NotFound for all links that open nothing."""
        now = stamp(self._world.service.deadlines.now())
        found = self._world.social.links.find(digest(key)) if self._world.service.settings.links else None
        if found is None or found[0].kind not in self._pages or found[1].is_over(now):
            raise NotFound(UNKNOWN)
        item, link = found
        grant = LinkGrant(item.id, EffectiveGrant(link.name, LETTERS))
        request = PageRequest(self._serve, self._world, Caller(via=Via.LINK, opened=grant), head)
        visit = Visit(request, key, item, link)
        if link.is_used_up() and not visit.is_counted:
            raise NotFound(UNKNOWN)
        request.entry(API / ("i", item.shortname))
        return visit

    def _show(self, visit: Visit, form: str, ticket: str, serve_as: ReadAs) -> Answer:
        """Return the item as a page, as JSON, or in a form that is named or asked for by media type."""
        page, head = self._pages[visit.item.kind], visit.request.ask
        pinned = visit.link.pinned
        known = _forms_of(page) if pinned is None else PINNED
        if not form:
            plain = next(form for form in PLAIN if form in known)
            offered = {HTML: HTML, JSON: JSON, **{media: name for name, media in known.items()}}
            offered |= {HTML: HTML, TEXT: plain}
            form = offered[accept_media(head.environ.get("HTTP_ACCEPT"), tuple(offered), TEXT)]
            if form == HTML:
                return response(visit.request, linked_page.show(page, visit, ticket))
            if form == JSON:
                body = orjson.dumps(linked_page.about(visit, known), None, orjson.OPT_APPEND_NEWLINE)
                return Answer(HTTPStatus.OK, [("Content-Type", JSON)], body)
        form = form.removeprefix(f"{page.kind.name}.")
        if form not in known:
            others = f"this link has no {form}: it has {', '.join(known)}"
            raise FormMissing(others) if form in MEDIA_TYPES else NotFound(UNKNOWN)
        at = linked_page.path_of(visit)
        path = at.file_path(form) if pinned is None else linked_page.pinned_file(at, pinned, form)
        return serve_as(path, lambda: self._visit(head, visit.key).request.caller)

    def _refuse(self, head: RequestHead, error: VfsError) -> Answer:
        """Return the response to an error: a page that leads nowhere, or a problem."""
        posted = head.method == "POST"
        head.by_password = isinstance(error, PasswordNeeded)
        hidden = isinstance(error, NotFound | Unauthenticated) or (isinstance(error, Denied) and not posted)
        if hidden and not head.by_password and not isinstance(error, FormMissing):
            error = NotFound(UNKNOWN)
        if not is_browser(head):
            return refusal(error, head)
        with self._world.session():
            request = PageRequest(self._serve, self._world, PUBLIC, head)
            asks = head.by_password or (posted and not isinstance(error, NotFound))
            facts = {"asks": asks, "said": "" if error.detail == NEEDED else error.detail}
            facts["opens"] = isinstance(error, FormMissing)
            return response(request, Page("linked_door.html", facts, error))


def _names_of(raw: str) -> tuple[str, str]:
    """Return the key and the form in a path: `/l/<key>`, `/l/<key>/<form>` or `/l/<key>.<form>`.

    Raises NotFound for all others, also for malformed ones: their error would quote the key.
    """
    try:
        path = Path.parse(raw)
    except Invalid:
        raise NotFound(UNKNOWN) from None
    key, dot, form = path[1].partition(".") if len(path) > 1 else ("", "", "")
    if not key or len(path) > 3 or (dot and len(path) > 2):
        raise NotFound(UNKNOWN)
    return key, path[2] if len(path) > 2 else form


def _forms_of(page: VisualPage) -> Mapping[str, str]:
    """Return the media types of the forms that readers of a kind of visual get."""
    return {offer.form: MEDIA_TYPES[offer.form] for offer in page.downloads}


def _take_password(visit: Visit) -> Answer:
    """Check the password in the form, and redirect to the page. The only effect is a cookie."""
    ask, link = visit.request.ask, visit.link
    if link.password is None:
        raise Unsupported("this link has no password", allow=(Verb.READ,))
    # As the page sends no referrer, browsers send the origin "null"; most of them send Sec-Fetch-Site, too.
    if ask.environ.get("HTTP_ORIGIN") != "null" or "HTTP_SEC_FETCH_SITE" in ask.environ:
        forms.require_origin(ask)
    _require_password(visit, forms.receive(ask.environ, forms.LARGEST)["password"])
    answer = Answer(HTTPStatus.SEE_OTHER, [("Location", visit.path)])
    visit.set_password(answer)
    return answer


def _require_password(visit: Visit, sent: str | None) -> None:
    """Raise PasswordNeeded for a wrong password, and TooMany after too many for this link or address."""
    if sent is None:
        raise PasswordNeeded(NEEDED)
    link, passwords = visit.link, visit.request.world.people.passwords
    if not passwords.opens(f"link {link.digest}", link.password or "", sent, visit.request.ask.source):
        raise PasswordNeeded(WRONG)


def _sent_password(head: RequestHead) -> str | None:
    """Return the password of basic credentials, with any name; None without them."""
    scheme, _, rest = head.environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    try:
        return basic_pair(rest)[1] if scheme.lower() == "basic" else None
    except Unauthenticated as error:
        raise PasswordNeeded(error.detail) from None


def _count(visit: Visit, answer: Answer) -> None:
    """Count a use. Raises NotFound if the link has none left, or has ended meanwhile."""
    now = stamp(visit.request.world.service.deadlines.now())
    if not visit.request.world.social.links.use(visit.link.digest, now):
        for opened in (answer.file, answer.pieces):
            if opened is not None and hasattr(opened, "close"):
                opened.close()
        raise NotFound(UNKNOWN)


def _private(answer: Answer) -> Answer:
    """Make a response private: not cached, not indexed, without links and referrers."""
    answer.cache = "no-store"
    answer.headers = [one for one in answer.headers if one[0] != "Link"]
    answer.add("X-Robots-Tag", "noindex")
    answer.policy = tuple(
        (name, "no-referrer" if name == "Referrer-Policy" else value) for name, value in answer.policy
    )
    return answer
