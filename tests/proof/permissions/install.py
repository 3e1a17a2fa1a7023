"""Puts a world of plain data into a service, through its ports and never through its rules, and notes in it
the names that were made there.
"""

from __future__ import annotations

from typing import Any

from chains.runs.hooks import JobHook
from chains.runs.records import KeptInput, Order
from handlers.identity.credentials import digest, fresh
from handlers.rules.ranks import OrgPlan
from handlers.rules.scopes import ALL, SCOPES, ItemScope
from handlers.services.world import World
from handlers.trees.account.notifications import notice_name
from handlers.trees.people.inbound import inbound_name
from tests.proof.permissions.worlds import World as Said
from vfs.access import Grant, Role, Via
from vfs.ports.groups import Group, GroupKind, TieKind
from vfs.ports.inbound import NewInbound
from vfs.ports.links import ItemLink
from vfs.ports.people import Account

DRAWN = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
LONG_AGO = "2020-01-01T00:00:00.000Z"
SHOWS = {"name": "show_profile", "description": "show_description", "members": "show_members"}


def install(said: Said, world: World) -> dict[str | None, str]:
    """Make everything that is said; the tokens of its credentials."""
    for name, user in said["users"].items():
        account = Account.ORGANISATION if user["organisation"] else Account.REGULAR
        made = world.people.users.add(name, "-", account, None, public=user["public"])
        _picture(world, made.item, user)
        notice = world.social.notices.add(name, "joined", "/v1/groups", "hello")
        said.setdefault("notices", {})[notice_name(notice)] = name
        world.items.discard(world.items.create("doc", name, "old"))
        said.setdefault("trash", {})[str(world.trash.of(name)[0].id)] = name
    for one, other in map(sorted, said["connected"]):
        world.people.ties.put(TieKind.CONNECTION, one, other)
    for ref, group in said["groups"].items():
        _group(world, ref, group)
    for item in said["items"]:
        _item(world, item)
    tokens = _tokens(said, world)
    for name, user in said["users"].items():
        if user["locked"]:
            world.people.users.change(name, locked=True)
    return tokens


def _group(world: World, ref: str, said: Said) -> None:
    name, plan = ref[1:].rpartition("~")[2], OrgPlan(said["plan"]) if said["plan"] else None
    made = world.people.groups.create(GroupKind(said["kind"]), said["owner"], name, said["founder"], plan)
    world.people.groups.change(ref, public=said["public"])
    _picture(world, made.item.id, said)
    world.social.threads.add(made.item.id, None, said["founder"], "first", "hello")
    if GroupKind(said["kind"]) is GroupKind.ORG:
        world.leaves.put(made.item.id, "themes/dusk", "", said["founder"])
    if GroupKind(said["kind"]) is GroupKind.ORG_GROUP:
        said["inbound"] = _inbound(world, made)
    for option in said["shows"]:
        world.leaves.put(made.item.id, f"options/{SHOWS[option]}", "yes", said["founder"])
    for user, member in said["members"].items():
        if user != said["founder"]:
            world.people.members.put(
                ref, user, Role(member["role"]), pending=member["pending"], by=member["by"]
            )


def _picture(world: World, item: int, said: Said) -> None:
    """Public users have pictures."""
    for which in ("image", "banner") if said["public"] else ():
        world.leaves.put(item, f"picture/{which}", world.blobs.add([DRAWN], "image/svg+xml"), None)


def _inbound(world: World, group: Group) -> str:
    """The name of a mail that came to a group and starts nothing."""
    inbound, message = world.social.inbound, world.blobs.add([b"From: a@b.example"], "message/rfc822")
    id = inbound.accept(NewInbound(group.item.id, group.ref, "a@b.example", "{}", message))
    mail = inbound.find(group.item.id, id)
    assert mail is not None
    inbound.keep(mail, "it is not signed")
    return inbound_name(mail)


def _item(world: World, said: Said) -> None:
    owner, kind = said["owner"], said["kind"][:-1]
    item = world.items.create(kind, owner, said["name"])
    said["shortname"] = item.shortname
    if kind == "repo":
        world.code.repositories.create(item.id)
        world.code.builds.queue(item.id, ("latest",), "refs/heads/main", "0" * 40, owner)
    for target, letters in said["shares"].items():
        world.grants.give(item.id, Grant(target, letters, f"{target}~{letters}"))
    for entry in said["entries"]:
        folder, _, name = entry.partition("/")
        if folder == "threads":
            world.social.threads.add(item.id, None, owner, name.partition("~")[2], "hello")
        elif folder == "runs":
            by, kept = said["runs"][name], KeptInput("{}")
            world.code.runs.queue.submit(Order(item.id, name, "api", "cli", by, None, None, kept=kept))
        elif folder == "shared":
            world.social.links.add(item.id, ItemLink(f"digest of {item.id}", name, LONG_AGO))
        elif folder == "hooks":
            world.code.hooks.add(item.id, JobHook(f"digest of {item.id}", name, LONG_AGO))
        elif entry == "content/sub":
            world.code.spaces.make(item.id, name)
        elif folder == "content":
            world.code.spaces.put(item.id, name, world.blobs.add([b"text"], "text/plain"))
        elif folder == "snapshots":
            kept = world.blobs.add([b"kept"], "text/plain")
            for rel in ("/text", "/html", "/pdf") if "/" not in name else ("",):
                world.leaves.put(item.id, f"{entry}{rel}", kept, owner)
        elif folder == "assets":
            world.leaves.put(item.id, entry, world.blobs.add([DRAWN], "image/svg+xml"), owner)
        else:
            world.leaves.put(item.id, entry, "", owner)
    if said["confides"] == "access":
        world.leaves.put(item.id, "config/access", "repo_ro", owner)


def _tokens(said: Said, world: World) -> dict[str | None, str]:
    made: dict[str | None, str] = {}
    for key, one in said["credentials"].items():
        made[key], more = fresh(), {}  # type: dict[str, Any]
        if one["claim"] and one["claim"].split()[0].partition(":/")[0] in SCOPES:
            via = Via.APPLICATION if one["claim"] in (ALL, *SCOPES) else Via.TOKEN
            more = {"via": via, "claim": None if one["claim"] == ALL else _scopes(world, one["claim"])}
        elif one["claim"]:
            more = {"via": Via.RUN, "claim": one["claim"], "run": _run(world, one)}
        expires = LONG_AGO if one["state"] == "expired" else None
        minted = world.people.tokens.mint(one["user"], key, digest(made[key]), expires_on=expires, **more)
        if one["state"] == "revoked":
            world.people.tokens.revoke(minted.id)
    return made


def _scopes(world: World, said: str) -> str:
    """Scopes as they are stored, with the numbers of single things."""
    stored = []
    for one in said.split():
        word, _, path = one.partition(":/")
        if path:
            owner, kinds, name = path.split("/")
            thing = world.items.find(kinds[:-1], owner, name, owner)
            assert thing is not None
            one = str(ItemScope(word, kinds[:-1], thing.item.id))
        stored.append(one)
    return " ".join(stored)


def _run(world: World, said: dict[str, Any]) -> int:
    """The run that a credential is of: the one of the job that the world has for it."""
    job = world.items.find("job", said["user"], f"of-{said['claim']}", said["user"])
    assert job is not None
    return world.code.runs.reader.newest(job.item.id, None)[0].key
