"""The page of a group or organisation: its members and roles, what is shared with it, its activity."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from handlers.pages.acting.fields import typed_name
from handlers.pages.forms import SentForm, find_action
from handlers.pages.items.item_path import INVITES, GroupPath, group_of
from handlers.pages.items.talk import talk_of_group
from handlers.pages.request import PageRequest
from handlers.pages.resource_lists import things
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Role, Verb
from vfs.errors import Gone, Invalid, NotFound
from vfs.path import Path


def answer_invitation(request: PageRequest, form: SentForm, ref: str, page: str) -> Redirect:
    """Answer the caller's invitation to the role that the page showed; redirect to its group or user.

    After a refusal, redirect to `page`. Raises Gone if the invitation has ended.
    """
    word, role = form["word"], form["role"]
    try:
        said = f"{word} {role}" if word == "yes" and role else word
        request.write(INVITES / (ref, "accept"), said)
    except NotFound as error:
        raise Gone(f"this invitation no longer exists: {error.detail}") from error
    if word != "yes":
        return Redirect(page, done="answered")
    if "~" not in ref and ref.startswith("@"):
        return Redirect(str(Path(("u", ref[1:]))), done="connected", values={"who": ref})
    group = group_of(ref)
    return Redirect(
        str(group.page), done="entered", values={"group": request.peek(group.api / "name") or ref}
    )


SINGULAR: Mapping[str, str] = {
    Role.FOUNDERS.value: "founder",
    Role.ADMINS.value: "admin",
    Role.SUPERUSERS.value: "superuser",
    Role.MEMBERS.value: "member",
}


MOST_PEOPLE = 200
PENDING = "I-"


def roster(request: PageRequest, at: GroupPath) -> Sequence[Mapping[str, Any]]:
    """Return the members, founders first, each with the actions that the kernel allows the caller."""
    return [one for role in Role for one in _people(request, at, role)][:MOST_PEOPLE]


def _people(request: PageRequest, at: GroupPath, role: Role) -> Iterator[Mapping[str, Any]]:
    managed = {row.name: row for row in request.peek(at.admin / ("roles", role.value), ())}
    # The roles that a member may be moved to depend only on its role, on whether it has joined and on whether
    # it is the caller (handlers/rules/ranks.py): the kernel is asked once for equal members.
    moves: dict[tuple[bool, bool], list[str]] = {}
    for row in request.peek(at.api / ("roles", role.value), ())[:MOST_PEOPLE]:
        name = row.name.removeprefix(PENDING)
        own = managed.get(row.name)
        alike = (row.name != name, name == request.caller.name)
        if own is not None and alike not in moves:
            moves[alike] = _moves(request, at, role, name)
        yield {
            "name": name,
            "entry": row.name,
            "role": role.value,
            "word": SINGULAR[role.value],
            "since": row.created_on,
            "pending": row.name != name,
            "goes": own is not None and Verb.REMOVE in own.verbs,
            "moves": moves[alike] if own is not None else [],
        }


def offers(at: GroupPath, role: str) -> Sequence[str]:
    """Return the roles for an invitation: offered to superusers and above, checked when it is sent."""
    ranks = [one.value for one in Role]
    if role not in ranks[:3]:
        return []
    return [one for one in ranks[ranks.index(role) :] if at.org or one != Role.FOUNDERS.value]


def joins(request: PageRequest, at: GroupPath, role: str) -> Sequence[str]:
    """Return the roles that the caller may take without an invitation, by a role in the organisation."""
    me = request.caller.name
    if me is None or not at.group or not at.org or role:
        return []
    return [one.value for one in Role if request.may(Verb.CREATE, at.admin / ("roles", one.value, me))]


def _moves(request: PageRequest, at: GroupPath, held: Role, name: str) -> list[str]:
    others = (role.value for role in Role if role is not held)
    return [role for role in others if request.may(Verb.CREATE, at.admin / ("roles", role, name))]


DAYS, HEIGHT, WIDTH, STEP = 30, 48, 7, 9


class DayBar(NamedTuple):
    """A day's bar: its position, its height, and the height of its failed part, in pixels."""

    x: int
    y: int
    height: int
    failed: int
    words: str


class ActivityBars(NamedTuple):
    """The drawing of the days, and its description in words."""

    bars: Sequence[DayBar]
    width: int
    height: int
    words: str


def activity_bars(series: Sequence[Mapping[str, Any]]) -> ActivityBars | None:
    """Return the bars of the last days of a series, oldest first; None if nothing ran."""
    days = series[-DAYS:]
    totals = [int(day["jobs"]["total"]) for day in days]
    if not any(totals):
        return None
    most = max(totals)
    bars = [_bar(number, day, most) for number, day in enumerate(days)]
    failed = sum(int(day["jobs"]["status"]["failed"]) for day in days)
    whole = sum(totals)
    ways = {
        way: sum(int(day["jobs"]["trigger"][way]) for day in days) for way in ("api", "schedule", "email")
    }
    words = (
        f"{whole:,} run{'s' * (whole != 1)}, {failed:,} of them failed. "
        f"By call {ways['api']:,}, by clock {ways['schedule']:,}, by mail {ways['email']:,}."
    )
    return ActivityBars(bars, len(days) * STEP - (STEP - WIDTH), HEIGHT, words)


def _bar(number: int, day: Mapping[str, Any], most: int) -> DayBar:
    total, failed = int(day["jobs"]["total"]), int(day["jobs"]["status"]["failed"])
    height = max(round(total / most * HEIGHT), 2) if total else 1
    bad = min(max(round(failed / most * HEIGHT), 2), height) if failed else 0
    words = f"{day['day']}: {total} run{'s' * (total != 1)}" + (f", {failed} failed" if failed else "")
    return DayBar(number * STEP, HEIGHT - height, height, bad, words)


COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
NO_TEXT = {"html": "", "raw": ""}
NEW = "new-group"
Action = Callable[[GroupPath, PageRequest, SentForm], Redirect]


def show(at: GroupPath, request: PageRequest) -> Page:
    """Return the page. Raises NotFound or Unauthenticated if the caller does not see the group."""
    rows = {row.name for row in request.read(at.api)}
    card = request.peek(at.api / "profile", {})
    role = request.peek(at.api / "role", "")
    invite = None if role or request.caller.name is None else request.peek(INVITES / at.ref)
    facts: dict[str, Any] = {
        "at": at,
        "title": request.peek(at.api / "name", "") or at.group or at.owner,
        "about": request.peek(at.api / "description", NO_TEXT)["html"],
        "colours": [
            card[name] for name in ("primary_color", "secondary_color") if _is_colour(card.get(name))
        ],
        "picture": API / ("o", at.ref, "img") if card.get("image") else None,
        "role": role,
        "word": SINGULAR.get(role, ""),
        "words": SINGULAR,
        "invited": _invited_as(request, at) if invite is not None else "",
        "email": card.get("email"),
        "public": card.get("public", False),
        "roster": roster(request, at) if "roles" in rows else None,
        "offers": offers(at, role),
        "joins": joins(request, at, role),
        "shared": things(request, at.api / "shared") if at.group else None,
        "changes": bool(role) and request.may(Verb.WRITE, at.admin / ("profile", "name")),
        "talk": talk_of_group(request, at),
        **_of_organisation(request, at),
    }
    return Page("group.html", facts)


def act(at: GroupPath, request: PageRequest, form: SentForm) -> Redirect:
    """Handle a form of the page. Raises Invalid for an unknown one."""
    return find_action(ACTIONS, form)(at, request, form)


def put(at: GroupPath, request: PageRequest, form: SentForm) -> Redirect:
    """Invite an account, move one to another role, or let the caller join without an invitation."""
    role, user = _whom(form)
    present = next((one for one in roster(request, at) if one["name"] == user), None)
    _call(at, request, Verb.CREATE, role, user)
    if present is None:
        return Redirect(str(at.page), done="joined" if user == request.caller.name else "invited")
    return Redirect(str(at.page), done="changed", undo={"do": "put", "user": user, "role": present["role"]})


def remove(at: GroupPath, request: PageRequest, form: SentForm) -> Redirect:
    """Remove an account from a role, or withdraw an invitation."""
    role, user = _whom(form)
    try:
        _call(at, request, Verb.REMOVE, role, user)
    except (NotFound, Invalid) as error:
        if user.removeprefix("I-") == request.caller.name:
            raise Gone(f"you are no longer a member of {at.ref}") from error
        raise
    there = request.peek(at.api) is not None
    if user.startswith("I-") and there:
        back = {"do": "put", "user": user.removeprefix("I-"), "role": role}
        return Redirect(str(at.page), done="untaken", undo=back)
    return Redirect(str(at.page) if there else "/", done="left" if user == request.caller.name else "removed")


def answer(at: GroupPath, request: PageRequest, form: SentForm) -> Redirect:
    """Answer the caller's invitation; after a refusal the group may be hidden."""
    done = answer_invitation(request, form, at.ref, str(at.page))
    return done if request.peek(at.api) is not None else replace(done, path="/")


def make(at: GroupPath, request: PageRequest, form: SentForm) -> Redirect:
    """Create a group of the organisation."""
    name = typed_name(form, "group")
    if not name:
        raise Invalid("no group was created: enter its name")
    request.create(at.admin / ("groups", name))
    return Redirect(str(at.page / ("g", name)), done="founded")


ACTIONS: Mapping[str, Action] = {"put": put, "remove": remove, "answer": answer, "make": make}


def _whom(form: SentForm) -> tuple[str, str]:
    role, user = form["role"], form["user"].strip().removeprefix("@")
    if role not in SINGULAR or not user:
        raise Invalid("enter a user name, and choose a role")
    if "@" in user:
        raise Invalid(
            f'"{user}" is an e-mail address: enter a user name; the service does not tell whose address it is'
        )
    return role, user


def _call(at: GroupPath, request: PageRequest, verb: Verb, role: str, user: str) -> None:
    try:
        request.call(verb, at.admin / ("roles", role, user))
    except NotFound:
        request.read(at.api)
        raise Invalid(
            f"there is no user @{user}, or you have no permission for this: check the name"
        ) from None


def _invited_as(request: PageRequest, at: GroupPath) -> str:
    """Return the role that the caller is invited to."""
    rows = request.peek(INVITES, ())
    return next((str((row.extra or {})["role"]) for row in rows if row.name == at.ref), "")


def _of_organisation(request: PageRequest, at: GroupPath) -> dict[str, Any]:
    """Return the template values of organisations only: their groups, and the runs of their jobs."""
    if not at.org or at.group:
        return {"groups": None, "makes": False, "activity": None}
    return {
        "groups": [_below(at, row) for row in request.peek(at.api / "groups", ())],
        "makes": request.may(Verb.CREATE, at.admin / ("groups", NEW)),
        "activity": _activity(request, at),
    }


def _activity(request: PageRequest, at: GroupPath) -> ActivityBars | None:
    series = request.peek(at.api / ("profile", "stats", "activity"))
    return activity_bars(series) if series else None


def _below(at: GroupPath, row: Any) -> Mapping[str, Any]:
    below = GroupPath(at.owner, row.name, org=True)
    return {"ref": below.ref, "name": row.name, "path": below.page, "changed": row.last_modified}


def _is_colour(word: Any) -> bool:
    return isinstance(word, str) and COLOUR.fullmatch(word) is not None
