"""Authentication: the caller of a request by its credentials (decisions C, reliability R-1 and R-15)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, NoReturn, Protocol

from handlers.identity.credentials import digest, is_credential, sign_in_name
from handlers.identity.proofs import Proofs, Sender
from handlers.rules.addresses import API
from handlers.security.log_lines import RequestNotes
from vfs.access import PUBLIC, Caller, Claim, Credential, Verb, Via
from vfs.errors import Denied, Unauthenticated
from vfs.nodes import File
from vfs.path import Path
from vfs.ports.clock import Clock, stamp
from vfs.ports.people import Token, Tokens, Users
from vfs.tree import Tree

COOKIE = "curlew_session"
BEARER = "bearer"
Credentials = Mapping[Path, Credential]
PROVING = frozenset({Credential.PASSWORD, Credential.EITHER})
RENEWING = frozenset({Credential.PASSWORD, Credential.NONE})

Headers = Mapping[str, Any]


class DeadCredential(Unauthenticated):
    """A token or session that is unknown, expired, revoked or empty."""


class Record(Protocol):
    """Records the uses of credentials (handlers.identity.token_uses)."""

    def record(self, token: int, what: str, moment: datetime) -> None:
        """Note a use of the credential at a time."""


class SignedIn(NamedTuple):
    """A valid credential, its caller, and the time at which it was checked."""

    token: Token
    caller: Caller
    moment: datetime


class Identifies(Protocol):
    """Authenticates requests."""

    def caller(
        self,
        headers: Headers,
        verb: Verb | None,
        path: Path,
        *,
        address: str,
        source: str,
        origin: str,
        again: bool = False,
        notes: RequestNotes | None = None,
    ) -> Caller:
        """Return the caller as `Identify.caller` does."""


class Identify:
    """Authenticates requests; a dead credential is refused, and not treated as a missing one.

    It is ignored where a new credential is obtained: by the password, a code or a registration.
    """

    def __init__(
        self,
        tokens: Tokens,
        users: Users,
        proofs: Proofs,
        clock: Clock,
        uses: Record,
        claims: Callable[[str], Claim],
        credentials: Credentials,
        note_first: Callable[[Token, RequestNotes], object] = lambda token, notes: None,
    ) -> None:
        """Make the authenticator; `note_first` is called for a token whose first use is not recorded yet."""
        self._tokens = tokens
        self._users = users
        self._proofs = proofs
        self._clock = clock
        self._uses = uses
        self._claims = claims
        self._credentials = credentials
        self._note_first = note_first

    def caller(
        self,
        headers: Headers,
        verb: Verb | None,
        path: Path,
        *,
        address: str = "",
        source: str = "",
        origin: str = "",
        again: bool = False,
        notes: RequestNotes | None = None,
    ) -> Caller:
        """Authenticate the sender of these headers (with their CGI names) from `address`.

        Password attempts are counted by `source`, which is empty if that address may be shared; `origin` is
        the service's own. With `again`, for a request already authenticated, no use is recorded. The account
        of the credential is put into `notes`, even if it is refused. Raises Unauthenticated, Denied (a write
        by cookie from a foreign page), TooMany, Unavailable.
        """
        notes = notes or RequestNotes()
        try:
            return self._signed_in(headers, verb, path, address, source, origin, again=again, notes=notes)
        except DeadCredential:
            if verb is not Verb.WRITE or self._credentials.get(path) not in RENEWING:
                raise
            notes.account = None
            return PUBLIC

    def _signed_in(
        self,
        headers: Headers,
        verb: Verb | None,
        path: Path,
        address: str,
        source: str,
        origin: str,
        *,
        again: bool,
        notes: RequestNotes,
    ) -> Caller:
        sent = headers.get("HTTP_AUTHORIZATION")
        if sent is None:
            value = cookie_of(headers.get("HTTP_COOKIE", ""), cookie_name(origin))
            if value is None:
                return PUBLIC
            signed = self._session(value, notes)
            if verb not in (Verb.READ, None):
                _refuse_foreign_pages(headers, origin)
        else:
            scheme, _, rest = sent.partition(" ")
            if scheme.lower() == "basic":
                return self._password(headers, verb, path, Sender(source, origin, notes))
            signed = self._bearer(scheme, rest.strip(), notes)
        if signed.caller.run is not None and path[:1] != API:
            # Its reads are recorded there; elsewhere nobody could tell whose content it reads.
            raise Denied(f"the credential of a run is taken below {API} alone, and by git")
        if not again:
            what = _describe_use(headers, path, address)
            self._uses.record(signed.token.id, what, signed.moment)
            if signed.token.last_used_on is None:
                self._note_first(signed.token, notes)
        return signed.caller

    def by_basic_token(self, authorization: str) -> Caller:
        """Authenticate a token sent as a password, as git does; the user name is optional.

        Raises Unauthenticated.
        """
        scheme, _, rest = authorization.partition(" ")
        if scheme.lower() != "basic":
            raise Unauthenticated("sign in with your user name, and a token instead of the password")
        name, value = basic_pair(rest)
        if not is_credential(value):
            raise Unauthenticated(
                "this takes a token in place of the password: make one in a browser, at /settings/tokens, or "
                "with POST /v1/token"
            )
        caller = self._bearer(BEARER, value, RequestNotes()).caller
        meant = sign_in_name(self._users, name) if name else None
        if name and (meant is None or meant.account != caller.name):
            raise Unauthenticated(f"this token is not one of {name}'s: sign in with the name of its owner")
        return caller

    def _bearer(self, scheme: str, value: str, notes: RequestNotes) -> SignedIn:
        if scheme.lower() != BEARER:
            raise Unauthenticated(
                "the Authorization header is not understood: send  Authorization: Bearer <token>"
            )
        if not value:
            raise DeadCredential("the token is empty: send  Authorization: Bearer <token>")
        return self._alive(value, notes)

    def _session(self, value: str, notes: RequestNotes) -> SignedIn:
        signed = self._alive(value, notes)
        if signed.token.via is not Via.SESSION:
            _dead()
        return signed

    def _alive(self, value: str, notes: RequestNotes) -> SignedIn:
        token = self._tokens.by_digest(digest(value)) if is_credential(value) else None
        if token is not None:
            notes.account = token.user
        if token is None or token.revoked_on is not None or token.locked:
            _dead()
        now = self._clock.now()  # called for every credential, so that the latest time is known
        if token.expires_on is not None and token.expires_on <= stamp(now):
            _dead()
        claim = self._claims(token.claim) if token.claim is not None else None
        return SignedIn(token, Caller(token.user, token.via, claim, token.id, token.run), now)

    def _password(self, headers: Headers, verb: Verb | None, path: Path, sender: Sender) -> Caller:
        if verb is not Verb.WRITE or self._credentials.get(path) not in PROVING:
            raise Unauthenticated(
                "a user name and password are taken by POST /v1/token, /v1/auth and "
                "/v1/admin/profile/password alone: make a token and send  Authorization: Bearer <token>"
            )
        name, password = basic_pair(headers["HTTP_AUTHORIZATION"].partition(" ")[2])
        code = headers.get("HTTP_X_OTP", "")
        return Caller(self._proofs.by_password(name, password, code, sender), Via.PASSWORD)


def _describe_use(headers: Headers, path: Path, address: str) -> str:
    method, client = headers.get("REQUEST_METHOD", ""), headers.get("HTTP_USER_AGENT", "")
    return f"{method} {str(path)[:200]} from {address} {client[:80]}".rstrip()


def credentials_of(tree: Tree) -> Credentials:
    """Return the (fixed) paths of the files whose writes take another credential than a token."""
    return {
        Path(route.template.strip("/").split("/")): route.node.credential
        for route in tree.routes()
        if isinstance(route.node, File) and route.node.credential is not Credential.TOKEN
    }


def cookie_name(origin: str) -> str:
    """Return the name of the session's cookie at this origin.

    Over TLS its prefix makes browsers accept it from this host only, so that no sibling domain can set a
    session.
    """
    return f"__Host-{COOKIE}" if origin.startswith("https:") else COOKIE


def _dead() -> NoReturn:
    raise DeadCredential(
        "this token or session is unknown, expired or revoked: make a new one with POST /v1/token"
    )


def basic_pair(encoded: str) -> tuple[str, str]:
    """Return the user name and password of basic authentication (RFC 7617)."""
    try:
        name, colon, password = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        colon = ""
    if not colon or "\0" in name:
        raise Unauthenticated(
            "the basic credentials are malformed: they are base64 of  name:password  in UTF-8"
        )
    return name, password


def cookie_of(header: str, wanted: str) -> str | None:
    """Return the value of a cookie in a header; None without it."""
    if wanted not in header:
        return None
    for crumb in header.split(";"):
        # Other white space is part of a name: with it a foreign cookie would pass a browser's check of
        # prefixes.
        name, equals, value = crumb.strip(" \t").partition("=")
        if name == wanted and equals:
            return value.strip('"')
    return None


def _refuse_foreign_pages(headers: Headers, origin: str) -> None:
    """Refuse a write by cookie from a page of another site (decisions 17).

    A request that does not say where it comes from was not sent by a browser.
    """
    site, sender = headers.get("HTTP_SEC_FETCH_SITE"), headers.get("HTTP_ORIGIN")
    if site is not None:
        # Such a browser compared the sites itself, by the address that it knows, independent of the settings.
        at = (sender or "").partition("://")[2]
        here = sender in (None, origin) or (bool(at) and at == headers.get("HTTP_HOST"))
        same = site == "same-origin" and here
    else:
        same = sender in (None, origin)
    if not same:
        raise Denied(
            "a write with a session cookie is accepted from this service's own pages only: "
            "send a token as  Authorization: Bearer <token>"
        )
