"""The events of the security log, from which the watch on paths and the manual's table are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from vfs.access import Verb

WRITTEN = (Verb.WRITE,)
REMOVED = (Verb.REMOVE,)
CREATED = (Verb.CREATE, Verb.WRITE)
CHANGED = (Verb.WRITE, Verb.CREATE, Verb.REMOVE)


@dataclass(frozen=True, slots=True)
class SecurityEvent:
    """An event: `verbs` on routes whose templates match one of `places`.

    An event without places is recorded by the part of the program that causes it.
    """

    name: str
    about: str
    verbs: tuple[Verb, ...] = ()
    places: tuple[str, ...] = ()


SIGN_IN = SecurityEvent("sign-in", "a password was tried, to begin a session", WRITTEN, ("/v1/auth",))
PROVIDER_SIGN_IN = SecurityEvent(
    "sign-in.provider", "a person returned from the company's provider; `why` also reports groups"
)
ACCOUNT_LINKED = SecurityEvent(
    "account.linked", "a user, or `curlew user link`, linked an account to a person of the provider"
)
ACCOUNT_UNLINKED = SecurityEvent("account.unlinked", "a user, or `curlew user unlink`, removed that link")
SIGN_OUT = SecurityEvent("sign-out", "a session was ended by its user", WRITTEN, ("/v1/logout",))
TOKEN_MADE = SecurityEvent(
    "token.made", "a token was requested by password, or made by `curlew token add`", WRITTEN, ("/v1/token",)
)
TOKEN_FIRST_USED = SecurityEvent(
    "token.first-used", "a token was used for the first time; `target` is its name"
)
TOKEN_REVOKED = SecurityEvent(
    "token.revoked",
    "a token or session was revoked by its user, or by `curlew token revoke`",
    REMOVED,
    ("/v1/admin/tokens/:token",),
)
KEY_CHANGED = SecurityEvent(
    "key.changed",
    "an SSH key was added, changed or removed by its user",
    CHANGED,
    ("/v1/admin/keys/:key", "/v1/admin/keys/:key/key"),
)
KEY_FIRST_USED = SecurityEvent(
    "key.first-used", "an SSH key was used by git for the first time; `target` is its name"
)
PASSWORD_CHANGED = SecurityEvent(
    "password.changed",
    "the password was changed, or `curlew user passwd` set one",
    WRITTEN,
    ("/v1/admin/profile/password", "/v1/admin/reset"),
)
FACTOR_CHANGED = SecurityEvent(
    "factor.changed",
    "a second factor was added or removed, or recovery codes were made",
    CHANGED,
    tuple(f"/v1/admin/second_factor/{one}" for one in ("factors/:factor", "add", "recovery_codes")),
)
FACTOR_RESET = SecurityEvent("factor.reset", "`curlew user second-factor --reset` removed second factors")
RECOVERY_CODE_USED = SecurityEvent(
    "recovery-code.used", "a recovery code was used in place of a second factor"
)
APPLICATION_APPROVED = SecurityEvent(
    "application.approved", "an application was approved by a person", WRITTEN, ("/v1/admin/authorize",)
)
APPLICATION_CONNECTED = SecurityEvent(
    "application.connected", "an application exchanged its code; `target` is the name of its token"
)
APPLICATION_REFUSED = SecurityEvent(
    "application.refused", "an invalid code or refresh token was sent; `target` is the reason"
)
APPLICATION_REGISTERED = SecurityEvent(
    "application.registered",
    "an application was registered, changed or removed, also by `curlew app`",
    CHANGED,
    ("/v1/admin/applications/:application", "/v1/admin/applications/:application/*"),
)
ACCOUNT_MADE = SecurityEvent(
    "account.made",
    "an account was registered, set up, or made by a first sign-in or by `curlew user add`",
    WRITTEN,
    ("/v1/register", "/v1/invited", "/v1/setup"),
)
ACCOUNT_LOCKED = SecurityEvent("account.locked", "`curlew user lock` locked an account")
ACCOUNT_UNLOCKED = SecurityEvent("account.unlocked", "`curlew user unlock` unlocked an account")
ACCOUNT_REMOVED = SecurityEvent("account.removed", "`curlew user remove` ended an account")
KEY_ROTATED = SecurityEvent("key.rotated", "`curlew key rotate` made a key, or dropped old ones")
RUN_CANCELED = SecurityEvent("run.canceled", "`curlew run cancel` ended a run; `target` is the run")
ACCOUNT_SHOWN = SecurityEvent(
    "account.shown",
    "who sees the account, or what of it, was changed",
    CHANGED,
    ("/v1/admin/profile/public", "/v1/admin/profile/options/*"),
)
PASSWORD_FORGOTTEN = SecurityEvent(
    "password.forgotten", "a code for a new password was requested", WRITTEN, ("/v1/admin/forgotten",)
)
EMAIL_VERIFIED = SecurityEvent(
    "email.verified", "a code for an e-mail address was tried", WRITTEN, ("/v1/admin/challenge",)
)
EMAIL_CHANGED = SecurityEvent(
    "email.changed",
    "an e-mail address was added to an account, removed, or made its primary one",
    CHANGED,
    ("/v1/admin/profile/emails/:email", "/v1/admin/profile/emails/:email/primary"),
)
SHARE_GIVEN = SecurityEvent(
    "share.given",
    "something was shared, or will be after a connection (`pending`); the letters end `target`",
    CREATED,
    ("*/shared/:target", "*/shared/:shared_link", "*/pending/:waiting"),
)
SHARE_REVOKED = SecurityEvent(
    "share.revoked",
    "a share was removed",
    REMOVED,
    ("*/shared/:target", "*/shared/:shared_link", "*/pending/:waiting"),
)
SHARE_LINK = SecurityEvent(
    "share.link",
    "the end, the password or the uses of a link without an account were changed; never the password",
    CHANGED,
    ("*/shared/:shared_link/*",),
)
ROLE_GIVEN = SecurityEvent(
    "role.given",
    "a user was invited into a role of a group, or moved to it",
    CREATED,
    ("/v1/admin/*/roles/*/:member",),
)
ROLE_TAKEN = SecurityEvent(
    "role.taken",
    "a user was removed from a group, or left it",
    REMOVED,
    ("/v1/admin/*/roles/*/:member",),
)
INVITE_ANSWERED = SecurityEvent(
    "invite.answered",
    "an invitation was accepted or declined",
    WRITTEN,
    ("/v1/admin/invites/:invite/accept", "/v1/admin/social/accept"),
)
INVITATION_LINK = SecurityEvent(
    "invitation.link",
    "a one-time invitation link was made, or ended by its maker",
    CHANGED,
    ("/v1/admin/social/links/:link",),
)
_GROUPS = ("/v1/admin/groups/:group", "/v1/admin/orgs/:org", "/v1/admin/orgs/:org/groups/:group")
GROUP_MADE = SecurityEvent("group.made", "a group or organisation was made", CREATED, _GROUPS)
GROUP_REMOVED = SecurityEvent("group.removed", "a group or organisation was removed", REMOVED, _GROUPS)
GROUP_OPTION = SecurityEvent(
    "group.option",
    "who sees a group, or whether mail to it triggers jobs, was changed",
    CHANGED,
    tuple(f"{group}/profile/options/*" for group in _GROUPS),
)
JOB_RIGHTS = SecurityEvent(
    "job.rights",
    "the claim of a job's runs, or the spaces that they mount, were changed",
    CHANGED,
    ("*/code/jobs/:job/config/access", "*/code/jobs/:job/config/spaces"),
)
JOB_SECRET = SecurityEvent(
    "job.secret",
    "a variable of `config/env` was set or removed; never its value",
    CHANGED,
    ("*/code/jobs/:job/config/env/:*",),
)
JOB_HOOK = SecurityEvent(
    "job.hook",
    "a hook of a job was made or ended, or how its calls are checked was changed; never its key or secret",
    CHANGED,
    tuple(f"*/code/jobs/:job/hooks/:hook{file}" for file in ("", "/signature", "/secret")),
)
ACCOUNT_HOOK = SecurityEvent(
    "account.hook",
    "a hook that sends an account's events was made or ended, or got another address or secret",
    CHANGED,
    tuple(f"/v1/admin/hooks/:hook{file}" for file in ("", "/url", "/secret")),
)
RUN_CREDENTIAL = SecurityEvent(
    "run.credential", "a run was given a credential; `target` is the run, `why` its claim"
)
PLAN_CHANGED = SecurityEvent("plan.changed", "`curlew org plan` put an organisation on a plan")
REFUSAL = SecurityEvent(
    "refused", "a request was refused for its credential (401), its rights (403) or its number (429)"
)

EVENTS = tuple(one for one in tuple(vars().values()) if isinstance(one, SecurityEvent))
"""All events, in the order of the table."""


class WatchedPaths:
    """The events of writes, by the templates of their paths."""

    def __init__(self, templates: Iterable[str]) -> None:
        self._root: dict[str, object] = {}
        for template in templates:
            events = events_at(template)
            if events:
                self._plant(template.strip("/").split("/"), events)

    def event(self, verb: Verb, path: tuple[str, ...]) -> SecurityEvent | None:
        """Return the event that this write is, if any; shortcuts for the caller's own items are expanded."""
        if len(path) > 1 and path[1] in ("code", "vis"):
            path = (path[0], "users", "", *path[1:])
        here = self._root
        for name in path:
            step = here.get(name, here.get("*"))
            if not isinstance(step, dict):
                return None
            here = step
        events = here.get("")
        return events.get(verb) if isinstance(events, dict) else None

    def _plant(self, names: list[str], events: Mapping[Verb, SecurityEvent]) -> None:
        here = self._root
        for name in names:
            step = here.setdefault("*" if name.startswith(":") else name, {})
            assert isinstance(step, dict)
            here = step
        here[""] = events


@cache
def events_at(template: str) -> Mapping[Verb, SecurityEvent]:
    """Return the events of writes to this route template, by verb."""
    return {
        verb: event
        for event in EVENTS
        if any(fnmatchcase(template, pattern) for pattern in event.places)
        for verb in event.verbs
    }
