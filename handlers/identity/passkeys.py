"""Passkeys (WebAuthn level 2): options for browsers, and checks of their answers."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson

from handlers.identity.browser_tickets import SECONDS, BrowserTicket, BrowserTickets
from vfs.errors import Invalid, Unauthenticated, VfsError
from vfs.ports.clock import Clock, stamp
from vfs.ports.factors import Factor, FactorKind, Factors
from vfs.ports.people import User

ADD, SIGN = "add a passkey of", "sign in with a passkey"
ALGORITHMS = (-8, -7, -257)
"""EdDSA, ECDSA with SHA-256, and RSA with SHA-256, as COSE numbers them."""
CREDENTIAL = re.compile(r"[A-Za-z0-9_-]{1,1400}")
REFUSED = "the passkey was not accepted: reload the page, and try again"
LATE = "that took longer than five minutes, or was answered before: try again"
NOWHERE = (
    "passkeys need an address with https and a name (or http://localhost): browsers allow them nowhere else. "
    "The operator sets base_url to it"
)


class Asker(NamedTuple):
    """The browser that a challenge is for, and the origin and host of the service in it."""

    browser: str
    origin: str
    host: str


def trouble_at(origin: str) -> str:
    """Return why browsers allow no passkeys at an origin of the service; "" if they do."""
    parts = urlsplit(origin)
    host = parts.hostname or ""
    is_local = host == "localhost" or host.endswith(".localhost")
    is_name = re.search(r"[a-z]", host) is not None and ":" not in host
    return "" if is_name and (parts.scheme == "https" or is_local) else NOWHERE


def asker_at(origin: str, browser: str) -> Asker:
    """Return the browser at an origin of the service. Raises Invalid if browsers allow no passkeys there."""
    if trouble := trouble_at(origin):
        raise Invalid(trouble)
    parts = urlsplit(origin)
    port = f":{parts.port}" if parts.port not in (None, {"http": 80, "https": 443}[parts.scheme]) else ""
    return Asker(browser, f"{parts.scheme}://{parts.hostname}{port}", str(parts.hostname))


class Passkeys:
    """Creates challenges and checks their signatures. A challenge is for one browser, and can be used once.

    `epoch` distinguishes this installation from others at the same host.
    """

    def __init__(self, factors: Factors, tickets: BrowserTickets, clock: Clock, epoch: str) -> None:
        self._factors = factors
        self._tickets = tickets
        self._clock = clock
        self._epoch = epoch

    def ask_to_add(self, user: User, asker: Asker) -> dict[str, Any]:
        """Return the options with which a browser makes a passkey for a user."""
        return {
            "rp": {"id": asker.host, "name": "Curlew"},
            "user": {"id": _encoded(self._handle(user)), "name": user.name, "displayName": user.name},
            "challenge": _encoded(self._challenge(f"{ADD} {user.name}", asker)),
            "pubKeyCredParams": [{"type": "public-key", "alg": number} for number in ALGORITHMS],
            "timeout": SECONDS * 1000,
            "authenticatorSelection": {"residentKey": "preferred", "userVerification": "preferred"},
            "attestation": "none",
            "excludeCredentials": self._known(user.name),
        }

    def ask_to_sign(self, user: str | None, asker: Asker) -> dict[str, Any]:
        """Return the options with which a browser signs in, as `user` if the password was right."""
        return {
            "rpId": asker.host,
            "challenge": _encoded(self._challenge(SIGN, asker)),
            "timeout": SECONDS * 1000,
            "allowCredentials": self._known(user) if user is not None else [],
            "userVerification": "required" if user is None else "preferred",
        }

    def add(self, user: User, name: str, answer: str, asker: Asker, session: int | None) -> None:
        """Add the passkey that a browser made. Raises Invalid and Conflict."""
        from webauthn import verify_registration_response

        with _trusting_nothing(Invalid(REFUSED)):
            challenge, ticket = self._answered(f"{ADD} {user.name}", answer, asker)
            made = verify_registration_response(
                credential=answer,
                expected_challenge=challenge,
                expected_rp_id=asker.host,
                expected_origin=asker.origin,
            )
        if not self._tickets.spend(ticket):
            raise Invalid(LATE)
        credential, key = _encoded(made.credential_id), _encoded(made.credential_public_key)
        passkey = Factor(
            *(user.name, FactorKind.PASSKEY, name, "", credential, key, made.sign_count, session)
        )
        self._factors.add(passkey)

    def find(self, answer: str) -> Factor | None:
        """Return the passkey that a browser's answer names, unverified."""
        with suppress(ValueError, TypeError, KeyError):
            named = str(orjson.loads(answer)["id"])
            if CREDENTIAL.fullmatch(named):
                return self._factors.with_credential(named)
        return None

    def check(self, passkey: Factor, answer: str, asker: Asker, user: User) -> bool:
        """Check the signature in an answer; return whether the passkey verified its owner, as by a PIN.

        Raises Unauthenticated.
        """
        from webauthn import verify_authentication_response

        with _trusting_nothing(Unauthenticated(REFUSED)):
            challenge, ticket = self._answered(SIGN, answer, asker)
            signed = verify_authentication_response(
                credential=answer,
                expected_challenge=challenge,
                expected_rp_id=asker.host,
                expected_origin=asker.origin,
                credential_public_key=_decoded(passkey.public_key),
                credential_current_sign_count=passkey.counter,
            )
            handle = orjson.loads(answer)["response"].get("userHandle")
            if handle and _decoded(handle) != self._handle(user):
                raise ValueError
        if not self._tickets.spend(ticket):
            raise Unauthenticated(LATE)
        if not self._factors.use(passkey.id, signed.new_sign_count, stamp(self._clock.now())):
            raise Unauthenticated(REFUSED)
        return signed.user_verified

    def _known(self, user: str) -> list[dict[str, str]]:
        found = (one.credential for one in self._factors.of(user) if one.credential is not None)
        return [{"type": "public-key", "id": one} for one in found]

    def _handle(self, user: User) -> bytes:
        return sha256(f"{self._epoch} {user.id}".encode()).digest()

    def _challenge(self, purpose: str, asker: Asker) -> bytes:
        return self._tickets.make(f"{purpose} at {asker.origin}", asker.browser).encode()

    def _answered(self, purpose: str, answer: str, asker: Asker) -> tuple[bytes, BrowserTicket]:
        """Return the challenge of an answer. Raises ValueError unless it was made here for this purpose."""
        client = orjson.loads(_decoded(orjson.loads(answer)["response"]["clientDataJSON"]))
        challenge = _decoded(client["challenge"])
        ticket = self._tickets.read(challenge.decode("ascii"), f"{purpose} at {asker.origin}", asker.browser)
        if ticket is None:
            raise ValueError
        return challenge, ticket


@contextmanager
def _trusting_nothing(refusal: VfsError) -> Iterator[None]:
    """Raise `refusal` in place of all errors of the library: an answer may contain anything."""
    try:
        yield
    except Exception as error:
        if isinstance(error, VfsError):
            raise
        raise refusal from None


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
