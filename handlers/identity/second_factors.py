"""Codes of second factors: those that an app shows (RFC 6238), and recovery codes."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence

import pyotp

from handlers.identity.credentials import SealPort, digest, tail
from handlers.security.log_lines import RequestNotes
from vfs.errors import Invalid, TooMany, Unauthenticated
from vfs.ports.clock import Clock, stamp
from vfs.ports.factors import Factor, FactorKind, Factors
from vfs.ports.people import Limit, Rates

STEP = 30
"""Seconds for which an app shows a code; those of the steps before and after are accepted, too."""
CODES, CODE_LENGTH, GROUP = 10, 16, 4
FEWEST_BYTES, MOST_BYTES = 16, 64
MOST_WRONG, WRONG_WITHIN = 20, 3600
"""Maximum wrong codes of an account from all addresses, and the seconds in which they are counted."""
NEEDS = {"needs": "code"}
"""The members of an error by which programs know that a code is missing or wrong."""
MISSING = (
    "this account has a second factor: send the code of its app or a recovery code, too (X-OTP: 123456 with "
    'basic credentials, "code" in JSON), or make a token in a browser, at {origin}/settings/tokens'
)
WRONG = "the code is wrong, too old, or was used before: wait for the next one, or use a recovery code"


class CodeNeeded(Unauthenticated):
    """The password is right, and the code of the second factor is missing or wrong."""


class SecondFactors:
    """Checks codes; each is accepted once by all processes together.

    `used` is called when a recovery code was used, with its account and the request.
    """

    def __init__(
        self,
        factors: Factors,
        rates: Rates,
        clock: Clock,
        seal: SealPort,
        used: Callable[[str, RequestNotes], object] = lambda user, notes: None,
    ) -> None:
        self._factors = factors
        self._rates = rates
        self._clock = clock
        self._seal = seal
        self._used = used

    def are_on(self, user: str) -> bool:
        """Return whether a password of the user is not enough."""
        return bool(self._factors.of(user))

    def require(self, user: str, code: str, origin: str, notes: RequestNotes) -> None:
        """Use up a code of the user. Raises CodeNeeded, and TooMany after MOST_WRONG wrong codes of an app.

        Recovery codes cannot be guessed and have no limit: a stolen password cannot lock out the user.
        """
        if not code.strip():
            raise CodeNeeded(MISSING.format(origin=origin), **NEEDS)
        word = plain_code(code)
        if not word.isdigit():
            is_right = self._uses_recovery(user, word, notes)
        else:
            limit = Limit(f"second factor of {user}", MOST_WRONG, WRONG_WITHIN)
            if wait := self._rates.take([limit]):
                raise TooMany(
                    f"too many wrong codes: wait {wait} s, or use a recovery code", retry_after=wait
                )
            if is_right := self._uses_app(user, word):
                self._rates.give_back([limit.subject])
        if not is_right:
            raise CodeNeeded(WRONG, **NEEDS)

    def add_app(self, user: str, name: str, secret: str, code: str, session: int | None) -> None:
        """Add an app whose secret is in base32, and which shows this code now. Raises Invalid, Conflict."""
        secret = plain_secret(secret)
        step = self._step_of(secret, plain_code(code))
        if step is None:
            raise Invalid(
                "the code does not fit the secret: type the six digits that the app shows now. If they are "
                "refused again, the clock of the phone or of this server is wrong"
            )
        sealed = self._seal.close(secret, _context(user, name))
        self._factors.add(Factor(user, FactorKind.APP, name, sealed, counter=step, added_by=session))

    def renew_codes(self, user: str) -> Sequence[str]:
        """Replace the recovery codes of a user, and return the new ones; only digests are stored."""
        codes = [tail(CODE_LENGTH) for _ in range(CODES)]
        self._factors.renew_codes(user, [recovery_digest(user, code) for code in codes])
        return ["-".join(code[at : at + GROUP] for at in range(0, CODE_LENGTH, GROUP)) for code in codes]

    def _uses_app(self, user: str, code: str) -> bool:
        now = stamp(self._clock.now())
        for app in (one for one in self._factors.of(user) if one.kind is FactorKind.APP):
            step = self._step_of(self._seal.open(app.sealed, _context(user, app.name)), code)
            if step is not None and self._factors.use(app.id, step, now):
                return True
        return False

    def _uses_recovery(self, user: str, code: str, notes: RequestNotes) -> bool:
        if not code or not self._factors.use_code(user, recovery_digest(user, code)):
            return False
        self._used(user, notes)
        return True

    def _step_of(self, secret: str, code: str) -> int | None:
        """Return the time step of a code that is valid about now; None for all others."""
        now = int(self._clock.now().timestamp()) // STEP
        app = pyotp.TOTP(secret, interval=STEP)
        codes = {step: app.generate_otp(step) for step in range(now - 1, now + 2)}
        return next((step for step, one in codes.items() if hmac.compare_digest(one, code)), None)


def fresh_secret() -> str:
    """Return a new secret of 160 random bits for an app, in base32."""
    return pyotp.random_base32()


def secret_address(secret: str, user: str, issuer: str) -> str:
    """Return the address of a secret that apps read from a QR code."""
    return pyotp.TOTP(secret, interval=STEP).provisioning_uri(name=user, issuer_name=issuer)


def plain_code(sent: str) -> str:
    """Return a code as it is compared: without blanks and hyphens, in lower case."""
    code = "".join(sent[:64].split()).replace("-", "").lower()
    return code if code.isascii() else ""


def plain_secret(sent: str) -> str:
    """Return a secret as apps read it. Raises Invalid."""
    secret = "".join(sent.split()).upper().rstrip("=")
    try:
        size = len(pyotp.TOTP(secret).byte_secret())
    except ValueError:
        size = 0
    if not FEWEST_BYTES <= size <= MOST_BYTES:
        raise Invalid(
            f"secret: a secret is {FEWEST_BYTES} to {MOST_BYTES} random bytes, in base32 (A-Z and 2-7)"
        )
    return secret


def recovery_digest(user: str, code: str) -> str:
    """Return the digest to store for a recovery code, which is in its plain form."""
    return digest(f"recovery code of {user}: {code}")


def _context(user: str, name: str) -> str:
    return f"{user}/factors/{name}"
