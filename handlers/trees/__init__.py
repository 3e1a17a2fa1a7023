"""ROOT: the tree of everything that is served, one line for each resource."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.rules.addresses import API
from handlers.rules.kinds import Kinds, by_name
from handlers.trees.account.applications import APPLICATIONS, AUTHORIZE
from handlers.trees.account.challenge import CHALLENGE
from handlers.trees.account.factors import SECOND_FACTOR
from handlers.trees.account.first_account import SETUP
from handlers.trees.account.forgotten import FORGOTTEN, RESET
from handlers.trees.account.hooks import HOOKS
from handlers.trees.account.invites import INVITES
from handlers.trees.account.keys import KEYS
from handlers.trees.account.notifications import DISMISS, NOTIFICATIONS
from handlers.trees.account.profile import PROFILE
from handlers.trees.account.quota import QUOTA
from handlers.trees.account.registration import INVITED, REGISTER
from handlers.trees.account.session import AUTH, LOGOUT, TOKEN, WHOAMI
from handlers.trees.account.social import SOCIAL
from handlers.trees.account.tags import DEFINITIONS, carriers
from handlers.trees.account.tokens import TOKENS
from handlers.trees.account.trash import TRASH
from handlers.trees.aliases.organisations import org_alias
from handlers.trees.aliases.renders import renders_of
from handlers.trees.aliases.users import corners, short
from handlers.trees.code.jobs import JOBS
from handlers.trees.code.repos import IMAGES, REPOS
from handlers.trees.code.spaces import SPACES
from handlers.trees.people.group_admin import GROUPS, ORGS
from handlers.trees.people.group_lists import groups
from handlers.trees.people.organisations import organisations
from handlers.trees.people.users import users
from handlers.trees.search import search
from handlers.trees.visuals.docs import DOCS
from handlers.trees.visuals.grids import GRIDS
from handlers.trees.visuals.mails import MAILS
from handlers.trees.visuals.plots import DRAW, PLOTS
from vfs.access import Verb
from vfs.errors import Advice
from vfs.nodes import Dir, Items, Link
from vfs.rules import SIGNED_IN

RESOURCES: tuple[Items, ...] = (JOBS, PLOTS, GRIDS, DOCS, MAILS, REPOS, SPACES)
"""The folders of resources, in the order in which pages list them."""
FAMILIES = {
    "code": "code: repositories, the jobs that run it, and spaces for files",
    "vis": "visualisations",
}
VIEWS = {"code": {"images": IMAGES}, "vis": {}}
"""Folders that show items of other folders, by family."""


ADVICE = Advice(
    sign_in=(
        "sign in first: send the header  Authorization: Bearer <token>  (a token comes from POST /v1/token)"
    ),
    send_bytes="POST the file with its Content-Type",
    methods={"read": "GET", "write": "POST", "create": "PUT", "rename": "PATCH", "remove": "DELETE"},
    contents=("data", "content", "layout", "msg"),
    emptied="curl reads -d @name as a file: use --data-raw",
)


def kinds_of(resources: Sequence[Items]) -> Kinds:
    """Return the kinds of resources that these folders hold, by name."""
    return by_name(items.kind for items in resources)


def root(resources: Sequence[Items] = RESOURCES) -> Dir:
    """Return the tree of everything that is served, with these folders of resources."""
    kinds, renders = kinds_of(resources), renders_of(resources)
    families = {family: _family(family, resources) for family in FAMILIES}
    return Dir(
        {
            API[0]: Dir(
                {
                    "register": REGISTER,
                    "invited": INVITED,
                    "setup": SETUP,
                    "auth": AUTH,
                    "token": TOKEN,
                    "logout": LOGOUT,
                    "whoami": WHOAMI,
                    "admin": ADMIN,
                    "draw": DRAW,
                    "code": Link(to="/v1/users/{me}/code", about="the caller's own code"),
                    "vis": Link(to="/v1/users/{me}/vis", about="the caller's own visualisations"),
                    "users": users(kinds, families),
                    "groups": groups(kinds),
                    "orgs": organisations(kinds),
                    "tags": carriers(kinds),
                    "trash": TRASH,
                    "search": search(kinds),
                    "i": short(kinds, renders),
                    "o": org_alias(kinds),
                    "u": corners(kinds, renders),
                },
                about="the API",
            )
        },
        rules={Verb.READ: SIGNED_IN},
    )


def _family(family: str, resources: Sequence[Items]) -> Dir:
    kinds = kinds_of(resources)
    held = ((kinds[items.kind.name], items) for items in resources)
    folders = {kind.folder: items for kind, items in held if kind.family == family}
    return Dir(dict(sorted({**folders, **VIEWS[family]}.items())), about=FAMILIES[family])


ADMIN = Dir(
    {
        "applications": APPLICATIONS,
        "authorize": AUTHORIZE,
        "challenge": CHALLENGE,
        "dismiss": DISMISS,
        "forgotten": FORGOTTEN,
        "groups": GROUPS,
        "hooks": HOOKS,
        "invites": INVITES,
        "keys": KEYS,
        "notifications": NOTIFICATIONS,
        "orgs": ORGS,
        "profile": PROFILE,
        "quota": QUOTA,
        "reset": RESET,
        "second_factor": SECOND_FACTOR,
        "social": SOCIAL,
        "tags": DEFINITIONS,
        "tokens": TOKENS,
    },
    about="the caller's own account",
)
KINDS = kinds_of(RESOURCES)
ROOT = root()
