"""Read-only aliases: resources by their short id, and by a short path below their owner."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from handlers.services.accounts import account_of
from handlers.services.hints import hints_of
from handlers.services.world import World
from handlers.trees.aliases.organisations import picture
from handlers.trees.aliases.rows import rows
from handlers.trees.facets.meta import page_of
from handlers.trees.facets.variables import QUOTED
from handlers.trees.people.users import seen
from vfs.access import Access, Confers, Verb, access_of
from vfs.call import Data
from vfs.nodes import Dir, Each, File, Items
from vfs.param import USER, Param
from vfs.parts import value
from vfs.place import Place
from vfs.ports.world import Found, Ref
from vfs.rules import ANYONE

SHORTNAME: Param[Found] = Param("shortname")
SHORTNAME_PATTERN = re.compile(r"[A-Za-z0-9]{5,32}")
INPUTS = ("stdin", "argv", "input")


def short(confers: Mapping[str, Confers]) -> Each[Found]:
    """The node `/v1/i/:shortname`: an envelope of the item,
    for whoever has anything of it; `confers` tells the kinds.
    """

    def has(place: Place[World], name: str) -> Found | None:
        found: Found | None = place.world.items.by_shortname(name, place.caller.name)
        if found is None or found.item.kind not in confers:
            return None
        item = found.item
        return (
            found
            if access_of(item.owner, item.kind, found.reaches, place.caller, confers[item.kind])
            else None
        )

    def envelope(place: Place[World]) -> Data:
        found = place[SHORTNAME]
        item = found.item
        access = access_of(item.owner, item.kind, found.reaches, place.caller, confers[item.kind])
        stranger = item.kind == "job" and place.caller.name is None
        return Data(_envelope(place, found, full=Access.READ in access and not stranger))

    return Each(
        SHORTNAME,
        File(envelope, fixed=True, rules={Verb.READ: ANYONE}, about="what it is, as one JSON document"),
        names=lambda place: (),
        has=has,
        fixed=True,
        name=SHORTNAME_PATTERN,
        rules={Verb.READ: ANYONE},
        about="resources by their short id",
    )


def corners(letters: Mapping[str, tuple[str, Confers]]) -> Each[str]:
    """The node `/v1/u`: by owner, the kinds that `letters` names, each with what is shown of its items."""
    return Each(
        USER,
        Dir(
            {
                "img": _picture("image"),
                "banner": _picture("banner"),
                **{letter: _short(*kind) for letter, kind in letters.items()},
                "v": value(lambda place: Data([]), rules={Verb.READ: ANYONE}, about="views: none"),
            },
            about="what a user has, by letter",
        ),
        names=lambda place: (),
        has=seen,
        loose=True,
        fixed=True,
        rules={Verb.READ: ANYONE},
        about="users by short paths",
    )


def _short(kind: str, confers: Confers) -> Items:
    return Items(
        kind,
        Dir({"v": QUOTED}, read=_introduced, about="what it is, as one JSON document"),
        confers=confers,
        fixed=True,
        read=partial(_listed, kind=kind, confers=confers),
        rules={Verb.READ: ANYONE},
        about=f"{kind}s that the caller may see",
    )


def _listed(place: Place[World], kind: str, confers: Confers) -> Data:
    found = place.world.items.visible(kind, place.segment(USER), place.caller.name)
    return rows(place, found, kind, confers)


def _picture(which: str) -> File:
    def read(place: Place[World]) -> Ref:
        user = account_of(place.world, place.segment(USER))
        return picture(place, user.item, f"picture/{which}")

    return value(read, rules={Verb.READ: ANYONE}, about=f"the user's {which}")


def _introduced(place: Place[World]) -> Data:
    full = Access.READ in place.access and not (place.here.kind == "job" and place.caller.name is None)
    return Data(_envelope(place, Found(place.here, place.reaches), full=full))


def _envelope(place: Place[World], found: Found, *, full: bool) -> dict[str, Any]:
    item = found.item
    said = {leaf.rel: leaf.text or "" for leaf in place.world.leaves.texts(item.id, "")} if full else {}
    owner = place.world.people.users.find(item.owner)
    name = place.world.leaves.get(owner.item, "name") if owner is not None else None
    config: dict[str, Any] = {
        rel.removeprefix("config/"): text
        for rel, text in said.items()
        if rel.startswith("config/") and not rel.startswith(("config/env/", "config/access", "config/plan"))
    }
    if item.kind == "job" and full:
        config["json_schema"] = json_schema(said)
    return {
        "data": None,
        "metadata": None,
        "config": config,
        "creator": {
            "username": item.owner,
            "name": (name.text if name else None) or item.owner,
            "avatar": None,
        },
        "references": [],
        "about": {
            "shortname": item.shortname,
            "name": said.get("name") or item.name,
            "created": item.created_on,
            "uri_vis": page_of(hints_of(place.call).origin, item, item.kind[0]),
            "vis_type": item.kind,
            "description": said.get("description", ""),
            "summary": said.get("summary", ""),
        },
        "recipients": None,
    }


def json_schema(said: dict[str, str]) -> dict[str, Any]:
    """The inputs that a job declares (config/options) as a JSON schema."""
    stand = {name: said.get(f"config/options/{name}", "no") for name in INPUTS}
    wanted = {name: stand[name] for name in INPUTS if stand[name] != "no"}
    properties: dict[str, Any] = {name: _property(name, said) for name in wanted}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": [name for name, word in wanted.items() if word == "yes"],
        "additionalProperties": False,
    }


def _property(name: str, said: dict[str, str]) -> dict[str, Any]:
    kind: dict[str, Any] = {"type": "string"}
    if name == "argv":
        kind = {"type": "array", "items": {"type": "string"}}
    if name == "input":
        kind = {"type": "array", "items": {"type": "string", "contentEncoding": "base64"}}
    described = said.get(f"config/options/{name}_description")
    return {**kind, "description": described} if described else kind
