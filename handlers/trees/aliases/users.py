"""Read-only aliases: resources by their short id, and by a short path below their owner."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from handlers.rules.kinds import Kinds, ResourceKind
from handlers.services.accounts import account_of
from handlers.services.rights import item_access
from handlers.services.world import World
from handlers.trees.aliases.envelope import envelope, letters, picture, rows
from handlers.trees.facets.variables import QUOTED
from handlers.trees.people.users import find_user
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import Dir, Each, File, Items, Node
from vfs.param import USER, Param
from vfs.ports.items import Found
from vfs.rules import ANYONE

Renders = Mapping[str, Mapping[str, Node]]

SHORTNAME: Param[Found] = Param("shortname")
DOCUMENT = "what it is, as one JSON document: about, creator and, for readers, data, metadata and config"
SHORTNAME_PATTERN = re.compile(r"[A-Za-z0-9]{5,32}")


def short(kinds: Kinds, renders: Renders) -> Each[Found]:
    """Return the node `/v1/i/:shortname`: the envelope of an item, for everyone with access to it."""

    def has(context: Context[World], name: str) -> Found | None:
        found = context.world.items.by_shortname(name, context.caller.name)
        if found is None or found.item.kind not in kinds:
            return None
        return found if item_access(context.world, found, context.caller) else None

    def read(context: Context[World]) -> Data:
        found = context[SHORTNAME]
        kind = kinds[found.item.kind]
        return envelope(context, kind, found, renders.get(kind.name, ()))

    return Each(
        SHORTNAME,
        File(read, fixed=True, rules={Verb.READ: ANYONE}, about=DOCUMENT),
        names=lambda context: (),
        has=has,
        fixed=True,
        name=SHORTNAME_PATTERN,
        rules={Verb.READ: ANYONE},
        about="resources by their short id",
    )


def corners(kinds: Kinds, renders: Renders) -> Each[str]:
    """Return the node `/v1/u`: resources by owner and kind letter, as short paths show them."""
    return Each(
        USER,
        Dir(
            {
                "img": _picture("image"),
                "banner": _picture("banner"),
                **letters(kinds, partial(_short, renders), ANYONE),
            },
            about="what a user has, by letter",
        ),
        names=lambda context: (),
        has=find_user,
        loose=True,
        fixed=True,
        rules={Verb.READ: ANYONE},
        about="users by short paths",
    )


def _short(renders: Renders, kind: ResourceKind) -> Items:
    forms = renders.get(kind.name, {})

    def introduce(context: Context[World]) -> Data:
        return envelope(context, kind, Found(context.here, context.effective_grants), forms)

    def table(context: Context[World]) -> Data:
        found = context.world.items.visible(kind.name, context.segment(USER), context.caller.name)
        return rows(context, found, kind)

    return Items(
        kind,
        Dir({"v": QUOTED, **forms}, read=introduce, about=DOCUMENT),
        fixed=True,
        read=table,
        rules={Verb.READ: ANYONE},
        about=f"{kind.name}s that the caller may see",
    )


def _picture(which: str) -> File:
    def profile(context: Context[World]) -> int:
        return account_of(context.world, context.segment(USER)).item

    return picture(which, profile, ANYONE, f"the user's {which}")
