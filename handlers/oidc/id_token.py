"""Checks of ID tokens (OpenID Connect Core, 3.1.3.7), by Authlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jws, jwt
from joserfc.errors import JoseError

from handlers.oidc.provider import Provider
from vfs.errors import Denied

ALGORITHMS = (
    *(f"{kind}{size}" for kind in ("RS", "PS", "ES") for size in (256, 384, 512)),
    "Ed25519",
    "EdDSA",
)
"""Signatures by private keys alone: never `none`, and no HS, for which a public key would be a secret."""
LONGEST, LONGEST_SUBJECT = 64 << 10, 255
LEEWAY = 60
"""Seconds by which the provider's clock may be wrong."""
UNSURE = "the provider's answer is not valid ({}): sign in again, and tell the operator if that does not help"


def require_claims(
    token: object, provider: Provider, nonce: str, access: object, now: float
) -> Mapping[str, Any]:
    """Return the claims of an ID token for this service and this sign-in. Raises Denied, Unavailable."""
    if not isinstance(token, str) or len(token) > LONGEST:
        raise Denied(UNSURE.format("no ID token"))
    try:
        header, claims = _signed(token, provider)
        options: Any = {
            "iss": {"essential": True, "value": provider.issuer},
            "aud": {"essential": True, "value": provider.client},
        }
        # The hash of the access token is that of the curve, whose name has no size.
        algorithm = {"alg": "EdDSA"} if header["alg"] == "Ed25519" else {}
        known = {"nonce": nonce, "client_id": provider.client, "access_token": access}
        CodeIDToken(claims, {**header, **algorithm}, options, known).validate(int(now), LEEWAY)
    except JoseError as error:
        raise Denied(UNSURE.format(f"{error.error} {getattr(error, 'claim', '')}".strip())) from None
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Denied(UNSURE.format(type(error).__name__)) from None
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT or not subject.isprintable():
        raise Denied(UNSURE.format("sub"))
    return claims


def _signed(token: str, provider: Provider) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """Return the header and claims of a signed token. Raises Denied, JoseError and ValueError."""
    header = jws.extract_compact(token.encode("ascii")).headers()
    kid, algorithm = header.get("kid"), header["alg"]
    if algorithm not in ALGORITHMS or not isinstance(kid, str | None):
        raise Denied(UNSURE.format("alg"))
    failure: JoseError | None = None
    for key in provider.keys(kid):
        if key.get("alg") not in (None, algorithm):
            continue
        try:
            return header, dict(jwt.decode(token, key, [algorithm]).claims)
        except JoseError as error:
            failure = error
    raise failure or Denied(UNSURE.format("its key is unknown"))
