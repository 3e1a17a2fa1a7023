"""The caller's own profile: its texts, its pictures, its options and its password."""

from __future__ import annotations

from chains.language.schedule_words import zone_names
from handlers.rules.kinds import USER
from handlers.services.accounts import account_of
from handlers.services.posting import EVENTS, IN_ACCOUNTS
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.account.addresses import ADDRESSES
from handlers.trees.account.password import MASTER, PASSWORD
from handlers.trees.facets.declared_files import ABOUT as LANGUAGE
from handlers.trees.facets.declared_files import YES_NO, language_tag, switch
from handlers.trees.facets.meta import markdown
from handlers.trees.facets.pictures import pictures
from handlers.words.tables import pairs
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import KIB, Dir
from vfs.parts import choice, flag, line, text, value
from vfs.ports.items import Found
from vfs.ports.people import User
from vfs.rules import IN_PERSON, R


def own(context: Context[World]) -> Found | None:
    """Return the item that holds the caller's profile."""
    name = context.caller.name
    return context.world.items.find(USER, name, name, name) if name is not None else None


def account(context: Context[World]) -> User:
    """Return the caller's account."""
    return account_of(context.world, context.me)


def zone(sent: str) -> str:
    """Return the name of a time zone. Raises Invalid."""
    name = sent.strip()
    if name not in zone_names():
        raise Invalid(f'"{name[:80]}" is not a time zone: send an IANA name such as Europe/Oslo or UTC')
    return name


def publish(context: Context[World], public: bool) -> None:
    """Make the account public or not public."""
    context.world.people.users.change(context.me, public=public)


def overview(context: Context[World]) -> Data:
    """Return the main facts of the account."""
    user, leaves = account(context), context.world.leaves
    kept = {leaf.rel: leaf for leaf in leaves.texts(context.here.id, "")}
    said = {rel: kept[rel].text if rel in kept else None for rel in ("name", "bio")}
    address = f"{hints_of(context.call).origin}/v1/admin/profile/picture/image"
    info = {
        "username": user.name,
        "name": said["name"],
        "email": user.email,
        "bio": said["bio"],
        "avatar": address if "picture/image" in kept else None,
        "chat": None,
        "member_since": user.created_on,
        "subscription": context.world.service.settings.default_plan,
    }
    return Data({"user_info": info}, _overview)


def _overview(said: dict[str, dict[str, object]]) -> str:
    return pairs({field: facts for field, facts in said["user_info"].items() if facts is not None})


PROFILE = Dir(
    {
        "name": line(about="display name"),
        "bio": text(about="a few words", largest=4 * KIB),
        "description": markdown("long text, markdown"),
        "timezone": text("UTC", check=zone, about="IANA name of the time zone", largest=KIB),
        "language": line(check=language_tag, about=LANGUAGE),
        "public": switch(
            lambda context: account(context).public, publish, "whether everyone sees this account"
        ),
        "url": value(lambda context: f"{hints_of(context.call).origin}/u/{context.me}", about="web address"),
        "email": value(lambda context: account(context).email or "", about="primary address"),
        "emails": ADDRESSES,
        "overview": value(overview, about="the account at a glance"),
        "picture": pictures(),
        "options": Dir(
            {
                "show_name": flag(False, words=YES_NO, about="whether others see the display name"),
                "show_email": flag(False, words=YES_NO, about="whether others see the address"),
                "show_description": flag(False, words=YES_NO, about="whether others see the description"),
                "allow_as_author": flag(
                    False, words=YES_NO, about="whether others' documents show name, bio and picture"
                ),
            },
            about="what others see",
        ),
        IN_ACCOUNTS: Dir(
            {
                kind: choice(
                    *event.levels,
                    default=event.usual,
                    about=f"how to notify that {event.words}",
                )
                for kind, event in EVENTS.items()
            },
            about="how to notify the account of each kind of event",
        ),
        "password": PASSWORD,
    },
    enter=own,
    rules={Verb.READ: R & IN_PERSON, Verb.WRITE: MASTER},
    about="the caller's own profile",
)
