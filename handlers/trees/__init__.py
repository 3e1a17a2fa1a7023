"""ROOT: everything that is served, one line for each resource."""

from __future__ import annotations

from handlers.trees.aliases import corners, short
from handlers.trees.docs import DOCS
from handlers.trees.grids import GRIDS
from handlers.trees.group_lists import GROUPS_READ
from handlers.trees.groups import GROUPS, ORGS
from handlers.trees.invites import INVITES
from handlers.trees.jobs import JOBS
from handlers.trees.mails import MAILS
from handlers.trees.notices import NOTIFICATIONS
from handlers.trees.org_alias import org_alias
from handlers.trees.org_views import ORGS_READ
from handlers.trees.plots import PLOTS
from handlers.trees.profile import PROFILE
from handlers.trees.registration import CHALLENGE, REGISTER
from handlers.trees.repos import REPOS
from handlers.trees.session import AUTH, LOGOUT, TOKEN, WHOAMI
from handlers.trees.social import SOCIAL
from handlers.trees.spaces import SPACES
from handlers.trees.tagged import DEFINITIONS, TAGGED
from handlers.trees.tokens import TOKENS
from handlers.trees.users import users
from vfs.access import SIGNED_IN, Verb
from vfs.nodes import Dir, Link

VIS = Dir({"docs": DOCS, "grids": GRIDS, "mails": MAILS, "plots": PLOTS}, about="visualisations")
CODE = Dir(
    {"jobs": JOBS, "repos": REPOS, "spaces": SPACES},
    about="code: repositories, the jobs that run it, and spaces for files",
)

LETTERS = {items.kind[0]: (items.kind, items.confers) for items in (DOCS, GRIDS, JOBS, MAILS, PLOTS, REPOS)}
KINDS = {items.kind: items.confers for items in (DOCS, GRIDS, JOBS, MAILS, PLOTS, REPOS, SPACES)}

ROOT = Dir(
    {
        "v1": Dir(
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
