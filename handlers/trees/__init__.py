"""ROOT: everything that is served, one line for each resource."""

from __future__ import annotations

from handlers.trees.aliases import short
from handlers.trees.jobs import JOBS
from handlers.trees.profile import PROFILE
from handlers.trees.registration import CHALLENGE, REGISTER
from handlers.trees.repos import REPOS
from handlers.trees.session import AUTH, LOGOUT, TOKEN, WHOAMI
from handlers.trees.tokens import TOKENS
from handlers.trees.users import users
from vfs.access import RUNNABLE, SIGNED_IN, Verb
from vfs.nodes import Dir, Link

CODE = Dir({"jobs": JOBS, "repos": REPOS}, about="code: repositories and the jobs that run it")

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
                    {"challenge": CHALLENGE, "profile": PROFILE, "tokens": TOKENS},
                    about="the caller's own account",
                ),
                "code": Link(to="/v1/users/{me}/code", about="the caller's own code"),
                "users": users({"code": CODE}),
                "i": short({"job": RUNNABLE, "repo": RUNNABLE}),
            },
            about="the API",
        )
    },
    rules={Verb.READ: SIGNED_IN},
)
