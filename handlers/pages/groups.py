"""The page of a group or organisation: what it shows of itself, who is in it, what is shared with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from handlers.pages.forms import SentForm
from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.resource_lists import things
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Role, Verb
from vfs.errors import Invalid, NotFound
from vfs.path import Path

MOST = 60
PENDING = "I-"
INVITES = API / ("admin", "invites")
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
DEEDS = {"put": Verb.CREATE, "remove": Verb.REMOVE}
DONE_BY = {"put": "changed", "remove": "removed"}
NO_TEXT = {"html": "", "raw": ""}


@dataclass(frozen=True, slots=True)
class GroupPath:
    """A group of a user, or (`org`) of an organisation, as the address of its page names it.

    An organisation itself has no `group`.
    """

    owner: str
    group: str = ""
    org: bool = False

    @property
    def ref(self) -> str:
        """As shares and invitations spell it."""
        return f"{'+' if self.org else '@'}{self.owner}" + (f"~{self.group}" if self.group else "")

    @property
    def api(self) -> Path:
        """Its folder in the tree."""
        if self.org:
            return API / ("orgs", self.owner) / (("groups", self.group) if self.group else ())
        return API / ("users", self.owner, "groups", self.group)

    @property
    def admin(self) -> Path:
        """The folder of its administration."""
        if self.org:
            return API / ("admin", "orgs", self.owner) / (("groups", self.group) if self.group else ())
        return API / ("admin", "groups", self.ref)

    @property
    def page(self) -> Path:
        """Its page."""
        if self.org:
            return Path(("o", self.owner)) / (("g", self.group) if self.group else ())
        return Path(("u", self.owner, "grp", self.group))


def group_of(ref: str) -> GroupPath:
    """The group that a reference names."""
    owner, _, group = ref[1:].partition("~")
    return GroupPath(owner, group, org=ref.startswith("+"))


def show(at: GroupPath, request: PageRequest) -> Page:
    """The page. Raises NotFound or Unauthenticated for whoever does not see the group."""
    rows = {row.name for row in request.read(at.api)}
    card = request.peek(at.api / "profile", {})
    role = request.peek(at.api / "role", "")
    facts: dict[str, Any] = {
        "at": at,
        "title": request.peek(at.api / "name", "") or at.group or at.owner,
        "about": request.peek(at.api / "description", NO_TEXT)["html"],
        "colours": [
            card[name] for name in ("primary_color", "secondary_color") if _is_colour(card.get(name))
        ],
        "picture": API / ("o", at.ref, "img") if card.get("image") else None,
        "role": role,
        "invited": not role and request.peek(INVITES / at.ref) is not None,
        "email": card.get("email"),
        "public": card.get("public", False),
        "roster": _roster(request, at) if "roles" in rows else None,
        "offers": _offers(at, role),
        "joins": _joins(request, at, role),
        "shared": _shared_things(request, at),
        "groups": [_below(at, row.name) for row in request.peek(at.api / "groups", ())]
        if at.org and not at.group
        else [],
    }
    return Page("group.html", {**facts, "commands": _commands(request, at, facts)})


def act(at: GroupPath, request: PageRequest, form: SentForm) -> Redirect:
    """Take a form of the page: put somebody into a role, or take somebody out of it."""
    role, user = form["role"], form["user"].strip().removeprefix("@")
    if role not in {one.value for one in Role} or not user:
        raise Invalid("say whom, and in which role")
    if form["do"] not in DEEDS:
        raise Invalid("this page cannot do what the form asks for: open the page again")
    try:
        request.call(DEEDS[form["do"]], at.admin / ("roles", role, user))
    except NotFound:
        request.read(at.api)
        raise Invalid(f"there is no @{user}, or you may not do that with them: check the name") from None
    there = request.peek(at.api) is not None
    return Redirect(str(at.page) if there else "/", done=DONE_BY[form["do"]])


def _roster(request: PageRequest, at: GroupPath) -> list[Mapping[str, Any]]:
    """The roles with who holds them; of each member what the caller may do with it, as the kernel says."""
    return [{"role": role.value, "people": _people(request, at, role)} for role in Role]


def _people(request: PageRequest, at: GroupPath, role: Role) -> list[Mapping[str, Any]]:
    managed = {row.name: row for row in request.peek(at.admin / ("roles", role.value), ())}
    # Where one may be moved to hangs on its role, on whether it is in yet and on whether it is the caller,
    # and on nothing else of it (handlers/rules/ranks.py): the kernel is asked once for all who are alike.
    moves: dict[tuple[bool, bool], list[str]] = {}
    found: list[Mapping[str, Any]] = []
    for row in request.peek(at.api / ("roles", role.value), ())[:MOST]:
        name = row.name.removeprefix(PENDING)
        own = managed.get(row.name)
        alike = (row.name != name, name == request.caller.name)
        if own is not None and alike not in moves:
            moves[alike] = _moves(request, at, role, name)
        found.append(
            {
                "name": name,
                "entry": row.name,
                "pending": row.name != name,
                "goes": own is not None and Verb.REMOVE in own.verbs,
                "moves": moves[alike] if own is not None else [],
            }
        )
    return found


def _moves(request: PageRequest, at: GroupPath, held: Role, name: str) -> list[str]:
    others = (role.value for role in Role if role is not held)
    return [role for role in others if request.may(Verb.CREATE, at.admin / ("roles", role, name))]


def _offers(at: GroupPath, role: str) -> list[str]:
    """The roles that somebody may be invited to: offered from superusers up, decided when it is sent."""
    ranks = [one.value for one in Role]
    if role not in ranks[:3]:
        return []
    return [one for one in ranks[ranks.index(role) :] if at.org or one != Role.FOUNDERS.value]


def _joins(request: PageRequest, at: GroupPath, role: str) -> list[str]:
    """The roles that the caller may take by itself, from above."""
    me = request.caller.name
    if me is None or not at.group or not at.org or role:
        return []
    return [one.value for one in Role if request.may(Verb.CREATE, at.admin / ("roles", one.value, me))]


def _shared_things(request: PageRequest, at: GroupPath) -> list[Mapping[str, Any]] | None:
    return things(request, at.api / "shared") if at.group else None


def _below(at: GroupPath, group: str) -> Mapping[str, Any]:
    below = GroupPath(at.owner, group, org=True)
    return {"ref": below.ref, "path": below.page}


def _is_colour(word: Any) -> bool:
    return isinstance(word, str) and COLOUR.fullmatch(word) is not None


def _commands(request: PageRequest, at: GroupPath, facts: Mapping[str, Any]) -> list[Command]:
    root = request.origin
    lines = [Command("What is shown here", f"{SIGNED} {root}{at.api}")]
    if facts["offers"]:
        lines.append(Command("Invite a member", f"{SIGNED} -X PUT {root}{at.admin}/roles/members/NAME"))
    if facts["role"] and at.group:
        lines.append(
            Command("Share a job with it", f"{SIGNED} -X PUT {root}/v1/code/jobs/JOB/shared/{at.ref}~rx")
        )
    return lines
