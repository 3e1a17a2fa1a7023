"""The file by which a notice is mailed, of a thing or of an account, as a link in the mail lowers it."""

from __future__ import annotations

from handlers.services.access import person_access
from handlers.services.accounts import account_of
from handlers.services.notices.subjects import thing_name
from handlers.services.posting.events_told import AT_THINGS, DEFAULT, EVENTS, IN_ACCOUNTS, MAILED
from handlers.services.world import World
from vfs.access import Access
from vfs.ports.notices import Notice

USUAL_LEVELS = f"/v1/admin/profile/{IN_ACCOUNTS}"


def is_by_account(world: World, notice: Notice) -> bool:
    """Whether a notice is mailed for what its user's account says of such events, not for its thing."""
    wish = world.social.notices.wishes(notice.kind, [notice.user], notice.item or 0).get(notice.user)
    return wish is not None and wish.there is None and wish.usual == MAILED


def mute(world: World, what: int | str, user: str) -> None:
    """Mail the user no more of what happens to an item, or of an event; its inbox goes on to tell it."""
    if isinstance(what, str):
        item, rel = account_of(world, user).item, f"{IN_ACCOUNTS}/{what}"
    else:
        item, rel = what, f"{AT_THINGS}/@{user}"
    with world.atomic():
        leaf = world.leaves.get(item, rel)
        if leaf is not None and leaf.text == MAILED:
            world.leaves.put(item, rel, DEFAULT, user)


def mute_words(world: World, what: int | str, user: str) -> str:
    """The words for mails of an event, or of an item to a user, who may not see it any more."""
    if isinstance(what, str):
        return f"mails that say: {EVENTS[what].words}"
    found = world.items.at(what, user)
    if found is None or Access.INFO not in person_access(world, found.item, user):
        return "mails of what happens to what this one was about"
    return f"mails of what happens to the {thing_name(found.item)} of @{found.item.owner}"
