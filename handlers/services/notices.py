"""Notices with current words: their subjects, and the files by which they are mailed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handlers.rules.kinds import LETTER_WORDS, in_words
from handlers.services.accounts import account_of
from handlers.services.outgoing_hooks import HOOK
from handlers.services.posting import AT_THINGS, DEFAULT, EVENTS, IN_ACCOUNTS, MAILED
from handlers.services.rights import item_access, person_access
from handlers.services.run_notices import WAITING
from handlers.services.world import World
from handlers.words.plot import plain_words
from vfs.access import Access, Caller, Role
from vfs.ports.groups import GroupKind
from vfs.ports.items import Found, Item
from vfs.ports.leaves import text_at
from vfs.ports.notices import EXCERPT, Notice

GROUP_KINDS = frozenset(GroupKind)
INVITE = "invite"


def thing_name(item: Item) -> str:
    """Return the kind and the name of an item, for a sentence."""
    return f"{item.kind.replace('_', ' ')} {item.name}"


def group_ref(item: Item) -> str:
    """Return the reference of the group whose item it is; for a user's item, `@` and its name."""
    if item.kind == GroupKind.ORG:
        return item.owner
    return f"{item.owner}~{item.name}" if item.kind in GROUP_KINDS else f"@{item.name}"


def api_path(world: World, item: Item, below: str = "") -> str:
    """Return the API path of an item, or of a path below it."""
    kind, tail = world.service.kinds.get(item.kind), f"/{below}" if below else ""
    if item.kind in GROUP_KINDS:
        return f"{_group_path(item, administered=not below)}{tail}"
    if kind is None:
        return f"/v1/users/{item.name}{tail}"
    return f"/v1/users/{item.owner}/{kind.family}/{kind.folder}/{item.name}{tail}"


def _group_path(item: Item, *, administered: bool) -> str:
    """Return the path at which a group is administered, or at which its members read and write."""
    owner, root = item.owner[1:], "/v1/admin" if administered else "/v1"
    if item.kind == GroupKind.USER_GROUP:
        return (
            f"/v1/admin/groups/{group_ref(item)}" if administered else f"/v1/users/{owner}/groups/{item.name}"
        )
    return f"{root}/orgs/{owner}" + (f"/groups/{item.name}" if item.kind == GroupKind.ORG_GROUP else "")


def page_path(world: World, item: Item, below: str = "") -> str:
    """Return the page of an item, or of its run at the path below it; "" for kinds without pages."""
    owner = item.owner.lstrip("@+")
    if item.kind == GroupKind.USER_GROUP:
        return f"/u/{owner}/grp/{item.name}"
    if item.kind in GROUP_KINDS:
        return f"/o/{owner}" + (f"/g/{item.name}" if item.kind == GroupKind.ORG_GROUP else "")
    kind = world.service.kinds.get(item.kind)
    if kind is None:
        return f"/u/{item.name}"
    if not kind.has_page:
        return ""
    folder, _, run = below.partition("/")
    return f"/u/{owner}/{kind.letter}/{item.name}" + (f"/{run}" if folder == "runs" and run else "")


def is_by_account(world: World, notice: Notice) -> bool:
    """Return whether a notice is mailed because of the user's account settings, not the item's."""
    chosen = world.social.notices.chosen_levels(notice.kind, [notice.user], notice.item or 0).get(notice.user)
    return chosen is not None and chosen.there is None and chosen.usual == MAILED


def mute(world: World, what: int | str, user: str) -> None:
    """Stop mails to the user about an item or an event; the notices still appear in the inbox."""
    if isinstance(what, str):
        item, rel = account_of(world, user).item, f"{IN_ACCOUNTS}/{what}"
    else:
        item, rel = what, f"{AT_THINGS}/@{user}"
    with world.atomic():
        if text_at(world.leaves, item, rel) == MAILED:
            world.leaves.put(item, rel, DEFAULT, user)


def mute_words(world: World, what: int | str, user: str) -> str:
    """Return words for mails about an event, or about an item, which may be hidden from the user now."""
    if isinstance(what, str):
        return f"mails that say: {EVENTS[what].words}"
    found = world.items.at(what, user)
    if found is None or Access.INFO not in person_access(world, found.item, user):
        return "mails of what happens to what this one was about"
    kind, titles = world.service.kinds.get(found.item.kind), world.leaves.texts_of([what], ("name",))
    thing = f"{kind.noun if kind is not None else found.item.kind} {quoted_title(found.item, titles)}"
    return f"mails of what happens to the {thing} of @{found.item.owner}"


OF_READERS = ("failed", "success", "rejected", "unwritten", "paused", "alert", "recovered")
"""Kinds of notices about runs and values, for all readers of the item."""

MENTIONED = "mentioned"
OF_COMMENTS = ("commented", "answered", MENTIONED)
"""Kinds of notices that quote comments, for callers who may read or execute the resource."""

SHARED = "shared"
SINGULAR = {
    Role.FOUNDERS: "a founder",
    Role.ADMINS: "an admin",
    Role.SUPERUSERS: "a superuser",
    Role.MEMBERS: "a member",
}
ItemTexts = Mapping[int, Mapping[str, str]]
"""Texts of items, by item and path."""
BLOCK_MARK = re.compile(r"^\s*+(?:#{1,6}|>|[-*+]|[0-9]{1,9}[.)])\s++")
WORD = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """A notice as shown to its user: the path, the page and the title of its subject, and its text.

    `level_at` is where the level by which it was sent is chosen: a page, else a file; "" if there is none.
    """

    notice: Notice
    path: str
    page: str
    text: str
    level_at: str = ""
    title: str = ""


def visible_notices(
    world: World, notices: Sequence[Notice], caller: Caller, *, for_people: bool = False
) -> list[ShownNotice]:
    """Return the notices that the user may see now; one statement for all their subjects.

    Notices about items that are missing or hidden are left out. The texts name items by path, as programs
    want them; those `for_people`, of pages and mails, by title, and their comments are without marks.
    """
    subjects = {one.item for one in notices if one.item is not None}
    about = world.items.all_at(subjects, caller.name)
    titles = world.leaves.texts_of(sorted(subjects), ("name",)) if for_people else None
    shown = (_shown(world, notice, about, caller, titles) for notice in notices)
    return [one for one in shown if one is not None]


def title_of(item: Item, titles: ItemTexts) -> str:
    """Return the title of an item, "" if it has none."""
    return " ".join(titles.get(item.id, {}).get("name", "").split())


def quoted_title(item: Item, titles: ItemTexts) -> str:
    """Return the title of an item in quotation marks; its name if it has none."""
    title = title_of(item, titles)
    return f"“{title}”" if title else group_ref(item) if item.kind in GROUP_KINDS else item.name


def without_marks(text: str) -> str:
    """Return a comment in Markdown as words in one line."""
    return " ".join(
        plain_words(BLOCK_MARK.sub("", line, count=1)) for line in text.splitlines() if line.strip()
    )


def spell_letters(letters: str) -> str:
    """Return the permission letters of a share, and their meaning."""
    return f"{letters} ({', '.join(LETTER_WORDS[letter] for letter in letters)})"


def is_for(notice: Notice, access: Access) -> bool:
    """Return whether a notice reveals, and asks for, no more than this access permits."""
    if notice.kind == WAITING:
        return Access.EXECUTE in access
    if notice.kind in OF_READERS:
        return Access.READ in access
    if notice.kind in OF_COMMENTS:
        return bool(access & (Access.READ | Access.EXECUTE))
    return Access.INFO in access


def _shown(
    world: World, notice: Notice, about: Mapping[int, Found], caller: Caller, titles: ItemTexts | None
) -> ShownNotice | None:
    if notice.item is None:
        return ShownNotice(notice, notice.path, "", notice.text)
    found = about.get(notice.item)
    if found is None or not _is_visible(world, notice, found, caller):
        return None
    item, words, template = found.item, _words(world, notice, found, caller), notice.text
    if titles is not None:
        words = {**words, **_for_people(world, words, found, caller, titles)}
        template = template.replace(f"The run {notice.path.rpartition('/')[2]} of", "A run of")
    text = WORD.sub(lambda match: words.get(match[1], match[0]), template)
    if notice.kind == INVITE:
        return ShownNotice(notice, f"/v1/admin/invites/{group_ref(item)}", f"/u/{caller.name}", text)
    if notice.kind == HOOK:
        return ShownNotice(notice, f"/v1/admin/hooks/{notice.path}".rstrip("/"), "/settings/hooks", text)
    page = page_path(world, item)
    level = f"{page}/settings" if page else api_path(world, item, "notifications")
    return ShownNotice(
        notice,
        api_path(world, item, notice.path),
        page_path(world, item, notice.path),
        text,
        level if item.kind in world.service.kinds else "",
        title_of(item, titles or {}),
    )


def _is_visible(world: World, notice: Notice, found: Found, caller: Caller) -> bool:
    """Return whether the user may see the notice: of a group, only as a member or in an invitation."""
    if found.item.kind in GROUP_KINDS:
        return notice.role is not None and notice.pending == (notice.kind == INVITE)
    if found.item.kind not in world.service.kinds:
        return True
    if notice.kind == SHARED and not _letters(found, caller):
        return False
    return is_for(notice, item_access(world, found, caller))


def _words(world: World, notice: Notice, found: Found, caller: Caller) -> Mapping[str, str]:
    """Return the texts that replace the words in braces."""
    said = notice.comment or ""
    return {
        "thing": thing_name(found.item),
        "page": page_path(world, found.item) or api_path(world, found.item),
        "group": group_ref(found.item),
        "comment": said if len(said) <= EXCERPT else f"{said[:EXCERPT]}…",
        "role": SINGULAR[notice.role] if notice.role is not None else "",
        "letters": spell_letters(_letters(found, caller)),
    }


def _for_people(
    world: World, words: Mapping[str, str], found: Found, caller: Caller, titles: ItemTexts
) -> Mapping[str, str]:
    """Return the replacements for pages and mails, in place of those for programs."""
    kind, title = world.service.kinds.get(found.item.kind), quoted_title(found.item, titles)
    return {
        "thing": f"{kind.noun} {title}" if kind is not None else words["thing"],
        "page": title,
        "group": title,
        "comment": without_marks(words["comment"]),
        "letters": f"you can {in_words(kind, _letters(found, caller))}" if kind is not None else "",
    }


def _letters(found: Found, caller: Caller) -> str:
    """Return the permission letters of the share with the caller alone."""
    return next(
        (
            effective_grant.letters
            for effective_grant in found.effective_grants
            if effective_grant.target == f"@{caller.name}"
        ),
        "",
    )
