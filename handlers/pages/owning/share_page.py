"""The page of an item's shares: its audience; adding, changing and removing shares and links."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from handlers.pages.acting.fields import FIELD, address_name, at_field
from handlers.pages.forms import SentForm, find_action
from handlers.pages.items.item_path import ItemPath, group_of
from handlers.pages.owning.settings_page import Action, head_of, text_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.visuals.shown_parts import closed_parts
from handlers.rules.addresses import API
from handlers.rules.expiry import PREFIX, link_password
from handlers.rules.kinds import VISUALS, ResourceKind, in_words, offered_rights
from handlers.rules.targets import LETTERS
from vfs.access import Verb
from vfs.errors import Conflict, Denied, Invalid, NotFound, VfsError
from vfs.path import NAME, Path

EVERYBODY = "public"
ASKED = "asked"
"""The field of an error beside which the page offers a button to ask the user to connect."""
REQUESTED = "I-"
MOST_SUGGESTED = 50
TARGET = re.compile(rf"@{NAME.pattern}(~{NAME.pattern})?|\+{NAME.pattern}~{NAME.pattern}")
"""Targets of a share as they are typed; the kernel decides whether they exist."""
CONNECTIONS, GROUPS = API / ("admin", "social", "connections"), API / "groups"


@dataclass(frozen=True, slots=True)
class ShareRow:
    """A share for display: its target, its permission letters `may`, and how many people it reaches."""

    who: str
    may: str
    words: str
    page: str
    since: str
    people: int

    @property
    def is_group(self) -> bool:
        """Whether the target is a group."""
        return "~" in self.who


def show(at: ItemPath, request: PageRequest, made: Mapping[str, Any] | None = None) -> Page:
    """Return the page; `made` is a new link. Raises NotFound, and Denied unless the caller is the owner."""
    head = head_of(at, request)
    if not head.own:
        raise Denied(f"only its owner shares it: ask @{at.user}")
    rows = share_rows(at, request)
    groups = own_groups(request)
    address = text_of(at, request, "url")
    facts = {
        "head": head,
        "rows": [row for row in rows if row.who != EVERYBODY],
        "public": next((row for row in rows if row.who == EVERYBODY), None),
        "offers": list(offered_rights(at.kind)),
        "public_offers": public_offers(at.kind),
        "waiting": [_waiting_row(at.kind, row) for row in request.peek(at.api / "pending", ())],
        "groups": groups,
        "known": [*groups.items(), *((who, who) for who in connected_people(request))],
        "address": address,
        "embedded": f"{request.origin}{at.page}/embed" if at.kind.pictured else "",
        "rights": [(words, letters) for letters, words in offered_rights(at.kind)],
        "closed": closed_parts(at, request),
        **link_facts(at, request, made),
    }
    return Page("item_share.html", facts)


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Page | Redirect:
    """Handle a form of the page; the address of a new link is shown at once, so there is no redirect."""
    if form["do"] == "make link":
        return show(at, request, make_link(at, request, form))
    return find_action(ACTIONS, form)(at, request, form)


def share(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Add a share, or change the letters of one; Undo restores the previous state."""
    who, letters = _target(form), form["may"]
    old = {row.who: row.may for row in share_rows(at, request)}.get(who)
    with at_field("to"):
        try:
            request.create(at.api / ("shared", f"{who}~{letters}"))
        except NotFound as refused:
            if "~" in who:
                raise
            raise NotFound(
                f"You cannot share with {who} yet: people have to be connected with you, in a group with "
                "you, or public.",
                **{FIELD: ASKED},
            ) from refused
    undo = {"do": "unshare", "who": who} if old is None else {"do": "share", "to": who, "may": old}
    return _redirect(at, "shared", who, undo, letters)


def ask(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Ask a user to connect, and share when the request is accepted; at once with a visible user."""
    who, letters = _target(form), form["may"]
    with at_field("to"):
        request.create(at.api / ("pending", f"{who}~{letters}"))
    if request.peek(at.api / ("pending", who)) is None:
        return _redirect(at, "shared", who, {"do": "unshare", "who": who}, letters)
    return _redirect(at, "asked to share", who, {"do": "unask", "who": who})


def unask(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Withdraw a pending share; Undo asks again."""
    who = form["who"]
    try:
        letters = request.read(at.api / ("pending", who))
    except NotFound:
        raise Invalid(f"there is no longer a pending share with {who[:80]}: see the list below") from None
    request.remove(at.api / ("pending", who))
    return _redirect(at, "unasked share", who, {"do": "ask", "to": who, "may": letters})


def unshare(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Remove a share; Undo adds it again."""
    who = form["who"]
    old = {row.who: row.may for row in share_rows(at, request)}.get(who)
    if old is None:
        raise Invalid(f'there is no longer a share with "{who[:80]}": see the list below')
    request.remove(at.api / ("shared", f"{who}~{old}"))
    return _redirect(at, "unshared", who, {"do": "share", "to": who, "may": old})


def _target(form: SentForm) -> str:
    """Return the typed target, or else the chosen one. Raises Invalid."""
    who = form["to"].strip().lower() or form["known"]
    if who != EVERYBODY and who[:1] not in ("@", "+"):
        who = f"@{who}"
    if who != EVERYBODY and TARGET.fullmatch(who) is None:
        with at_field("to"):
            raise Invalid(
                "that names nobody: choose from the list, or type a person as @bob or a group as @bob~crew"
            )
    return who


def _redirect(at: ItemPath, done: str, who: str, undo: Mapping[str, str], letters: str = "") -> Redirect:
    reported = {"who": "Everybody" if who == EVERYBODY else who, "may": in_words(at.kind, letters)}
    return Redirect(f"{at.page}/share", done=done, values=reported, undo=undo)


def share_rows(at: ItemPath, request: PageRequest) -> list[ShareRow]:
    """Return the shares of the caller's item, each with the number of people that it reaches; two calls."""
    listed = request.peek(at.api / "shared", ())
    reached = _count_people(request.peek(at.api / "access", ()))
    return [
        _row(at.kind, row.name, row.created_on, reached.get(row.name, 0))
        for row in listed
        if not row.name.startswith(PREFIX)
    ]


def public_offers(kind: ResourceKind) -> list[tuple[str, str]]:
    """Return the permission letters that may be granted to everybody, with their labels."""
    return [
        (letters, words)
        for letters, words in offered_rights(kind)
        if set(letters) <= set(kind.public_letters)
    ]


def own_groups(request: PageRequest) -> Mapping[str, str]:
    """Return the titles of the groups in which the caller has a role, by reference."""
    refs = [row.name for row in request.peek(GROUPS, ()) if "~" in row.name][:MOST_SUGGESTED]
    return {ref: request.peek(group_of(ref).api / "name", "") or ref for ref in refs}


def connected_people(request: PageRequest) -> Sequence[str]:
    """Return the users that are connected with the caller."""
    rows = request.peek(CONNECTIONS, ())
    return [f"@{row.name}" for row in rows if not row.name.startswith(REQUESTED)][:MOST_SUGGESTED]


def _waiting_row(kind: ResourceKind, row: Any) -> ShareRow:
    letters = row.extra["letters"]
    return ShareRow(row.name.partition("~")[0], letters, in_words(kind, letters), "", row.created_on, 0)


def _row(kind: ResourceKind, name: str, since: str, people: int) -> ShareRow:
    who, _, letters = name.rpartition("~")
    letters = "".join(one for one in LETTERS if one in letters)
    return ShareRow(who, letters, in_words(kind, letters), str(_page_of(who)), since, people)


def _page_of(who: str) -> Path:
    if "~" in who:
        return group_of(who).page
    return Path(("u", who.removeprefix("@")))


def _count_people(holdings: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of people that each share reaches, by the names of shares."""
    counts: dict[str, int] = {}
    for one in holdings:
        for name in one.get("via") or ():
            counts[str(name)] = counts.get(str(name), 0) + 1
    return counts


NEW = "link"
"""The prefix of the fields of a new link; for other links it is the link's name."""
FILES = ("expires", "uses", "password")
USUAL_END = "30 days"
PRESENT = "-"
"""Value of the field `pinned` of a link that shows the present item; no snapshot has this name."""


def link_facts(at: ItemPath, request: PageRequest, made: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the template values; `made` is a new link, whose address is shown once."""
    rows = [row for row in request.peek(at.api / "shared", ()) if row.name.startswith(PREFIX)]
    links = [{"name": row.name.removeprefix(PREFIX), **row.extra} for row in rows]
    taken = {one["name"] for one in links}
    return {
        "links": links if at.kind.family == VISUALS else None,
        "made": made,
        "linking": request.world.service.settings.links,
        "free": next(name for name in (f"link-{number}" for number in count(1)) if name not in taken),
        "usual_end": USUAL_END,
        "pins": [
            (PRESENT, f"the present {at.kind.noun}"),
            *((row.name, f"the snapshot {row.name}") for row in request.peek(at.api / "snapshots", ())),
        ],
    }


def make_link(at: ItemPath, request: PageRequest, form: SentForm) -> Mapping[str, Any]:
    """Create a link with the settings in a form, all or none, and return it with its address."""
    with at_field("link"):
        link = at.api / ("shared", f"{PREFIX}{address_name(form, 'link')}")
        if request.peek(link) is not None:
            raise Conflict(f'there is already a link named "{form["link"][:80]}": choose another name')
    with at_field("link password"):
        if form["link password"]:
            link_password(form["link password"])
    made: Mapping[str, Any] = request.answer(Verb.CREATE, link)
    try:
        _write_files(request, link, form, NEW)
    except VfsError:
        request.remove(link)
        raise
    return made


def change_link(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Change what a link shows, when it ends, its uses and password; an empty password stays as it is."""
    link = at.api / ("shared", f"{PREFIX}{form['name']}")
    _write_files(request, link, form, link[-1])
    if form["open"]:
        request.remove(link / "password")
    return Redirect(f"{at.page}/share#links", done="link changed", values={"name": form["name"]})


def end_link(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Delete a link. There is no Undo: its key cannot be restored."""
    request.remove(at.api / ("shared", f"{PREFIX}{form['name']}"))
    return Redirect(f"{at.page}/share#links", done="link ended", values={"name": form["name"]})


def _write_files(request: PageRequest, link: Path, form: SentForm, prefix: str) -> None:
    """Write the files of a link from fields with a prefix; empty ones clear theirs, except the password."""
    for file in FILES:
        field = f"{prefix} {file}"
        sent = form[field] if file == "password" else form[field].strip()
        with at_field(field):
            if sent or file != "password":
                request.write(link / file, sent, clears=True)
    with at_field(f"{prefix} pinned"):
        _pin(request, link, form[f"{prefix} pinned"])


def _pin(request: PageRequest, link: Path, sent: str) -> None:
    """Pin a snapshot, or none. A form without the field, and one with the present pin, changes nothing.

    So no form unpins a link by mistake, and a pin to a removed snapshot stays.
    """
    if sent == PRESENT:
        request.remove(link / "pinned")
    elif sent and sent != (request.entry(link).extra or {}).get("pinned"):
        request.write(link / "pinned", sent)


ACTIONS: Mapping[str, Action] = {
    "share": share,
    "unshare": unshare,
    "ask": ask,
    "unask": unask,
    "change link": change_link,
    "end link": end_link,
}
