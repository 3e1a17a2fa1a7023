"""ROOT: everything that is served, one line for each resource."""

from __future__ import annotations

from handlers.rules.addresses import API
from handlers.trees.account.invites import INVITES
from handlers.trees.account.notifications import NOTIFICATIONS
from handlers.trees.account.profile import PROFILE
from handlers.trees.account.registration import CHALLENGE, REGISTER
from handlers.trees.account.session import AUTH, LOGOUT, TOKEN, WHOAMI
from handlers.trees.account.social import SOCIAL
from handlers.trees.account.tags import DEFINITIONS, TAGGED
from handlers.trees.account.tokens import TOKENS
from handlers.trees.aliases.organisations import org_alias
from handlers.trees.aliases.users import corners, short
from handlers.trees.code.jobs import JOBS
from handlers.trees.code.repos import REPOS
from handlers.trees.code.spaces import SPACES
from handlers.trees.people.group_admin import GROUPS, ORGS
from handlers.trees.people.group_lists import GROUPS_READ
from handlers.trees.people.organisations import ORGS_READ
from handlers.trees.people.users import users
from handlers.trees.visuals.docs import DOCS
from handlers.trees.visuals.grids import GRIDS
from handlers.trees.visuals.mails import MAILS
from handlers.trees.visuals.plots import PLOTS
from vfs.access import Verb
from vfs.nodes import Dir, Link
from vfs.rules import SIGNED_IN
from vfs.tree import Advice

VIS = Dir({"docs": DOCS, "grids": GRIDS, "mails": MAILS, "plots": PLOTS}, about="visualisations")
CODE = Dir(
    {"jobs": JOBS, "repos": REPOS, "spaces": SPACES},
    about="code: repositories, the jobs that run it, and spaces for files",
)

LETTERS = {items.kind[0]: (items.kind, items.confers) for items in (DOCS, GRIDS, JOBS, MAILS, PLOTS, REPOS)}
KINDS = {items.kind: items.confers for items in (DOCS, GRIDS, JOBS, MAILS, PLOTS, REPOS, SPACES)}

ADVICE = Advice(
    sign_in=(
        "sign in first: send the header  Authorization: Bearer <token>  (a token comes from POST /v1/token)"
    ),
    send_bytes="POST the file with its Content-Type",
)
ROOT = Dir(
    {
        API[0]: Dir(
            {
                "register": REGISTER,
                "auth": AUTH,
                "token": TOKEN,
                "logout": LOGOUT,
                "whoami": WHOAMI,
                "admin": Dir(
                    {
                        "challenge": CHALLENGE,
                        "groups": GROUPS,
                        "invites": INVITES,
                        "notifications": NOTIFICATIONS,
                        "orgs": ORGS,
                        "profile": PROFILE,
                        "social": SOCIAL,
                        "tags": DEFINITIONS,
                        "tokens": TOKENS,
                    },
                    about="the caller's own account",
                ),
                "code": Link(to="/v1/users/{me}/code", about="the caller's own code"),
                "vis": Link(to="/v1/users/{me}/vis", about="the caller's own visualisations"),
                "users": users({"code": CODE, "vis": VIS}),
                "groups": GROUPS_READ,
                "orgs": ORGS_READ,
                "tags": TAGGED,
                "i": short(KINDS),
                "o": org_alias(LETTERS),
                "u": corners(LETTERS),
            },
            about="the API",
        )
    },
    rules={Verb.READ: SIGNED_IN},
)
