"""The provider of OpenID Connect: its addresses, its keys, and its responses.

The operator names the issuer. All other addresses are in its document, so they have to be HTTPS: a host
inside the network is reached only if it has a certificate for its name. Redirects are not followed. ID tokens
are checked by Authlib (OpenID Connect Core, 3.1.3.7).
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import orjson
import requests
from authlib.oidc.core import CodeIDToken
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import Key, import_key

from handlers.settings.settings import Settings
from handlers.settings.sign_in import is_provider_address
from vfs.errors import Denied, Unavailable, VfsError

CONNECT_SECONDS, READ_SECONDS, WHOLE_SECONDS = 3.05, 5.0, 10.0
LARGEST = 512 << 10
MOST_CALLS, PATIENCE = 8, 2.0
"""Most concurrent calls of a process, and seconds to wait for a free one or for a document."""
FRESH, MOST_KEYS = 3600.0, 64
PAUSE = 30.0
"""Least seconds between two requests for the same document, also after a failure."""
DISCOVERY = "/.well-known/openid-configuration"
BASIC, POST = "client_secret_basic", "client_secret_post"
METHODS = "token_endpoint_auth_methods_supported"
AUTHORIZATION, TOKEN, KEYS = "authorization_endpoint", "token_endpoint", "jwks_uri"
USERINFO, END_SESSION = "userinfo_endpoint", "end_session_endpoint"
KINDS = ("RSA", "EC", "OKP")
"""Kinds of public keys; a secret (`oct`) in the document is not used."""
ALGORITHMS = (
    *(f"{kind}{size}" for kind in ("RS", "PS", "ES") for size in (256, 384, 512)),
    "Ed25519",
    "EdDSA",
)
"""Signatures by private keys: not `none`, and not HS, which would use a public key as a secret."""
LONGEST, LONGEST_SUBJECT = 64 << 10, 255
LEEWAY = 60
"""Seconds by which the provider's clock may differ."""
UNSURE = "the provider's answer is not valid ({}): sign in again, and tell the operator if that does not help"


class FetchedDocument:
    """A document that is fetched when it is needed, with pauses, and shared by all threads."""

    def __init__(self, fetch: Callable[[], Any]) -> None:
        self._fetch = fetch
        self._lock = threading.Lock()
        self._value: Any = None
        self._fetched = self._tried = self._renewed = float("-inf")
        self._trouble = "the provider could not be reached: try again later"

    def get(self, *, renewed: bool = False) -> Any:
        """Return the document; fetch it again if it is old, or if `renewed`. Raises Unavailable."""
        with _turn(self._lock):
            now = time.monotonic()
            is_old = now - self._fetched > FRESH
            if (is_old and now - self._tried > PAUSE) or (renewed and now - self._renewed > PAUSE):
                self._tried = now
                self._renewed = now if renewed else self._renewed
                try:
                    self._value, self._fetched, is_old = self._fetch(), now, False
                except VfsError as error:
                    self._trouble = error.detail
            if is_old:
                raise Unavailable(self._trouble)
            return self._value


class Provider:
    """The provider of the settings, with the documents that this process has fetched."""

    def __init__(self, settings: Settings) -> None:
        self.issuer = settings.oidc_issuer
        self.client = settings.oidc_client_id
        self._secret = settings.oidc_client_secret
        self._calls = threading.BoundedSemaphore(MOST_CALLS)
        self._document = FetchedDocument(self._fetch_document)
        self._keys = FetchedDocument(self._fetch_keys)

    @property
    def document(self) -> Mapping[str, Any]:
        """The provider's document with checked addresses; optional ones may be empty. Raises Unavailable."""
        found: Mapping[str, Any] = self._document.get()
        return found

    def keys(self, kid: str | None) -> Sequence[Key]:
        """Return the keys with an id, or all for a token without one. Raises Unavailable.

        For an unknown id they are fetched again, because the provider may have a new key.
        """
        found = [key for key in self._keys.get() if kid in (None, key.kid)]
        return found or [key for key in self._keys.get(renewed=True) if kid in (None, key.kid)]

    def exchange(self, code: str, verifier: str, redirect: str) -> Mapping[str, Any]:
        """Return the tokens for a code. Raises Denied if the provider refuses it, and Unavailable."""
        methods = self.document.get(METHODS, [BASIC])
        basic = bool(self._secret) and (BASIC in methods or POST not in methods)
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "code_verifier": verifier,
            "redirect_uri": redirect,
        }
        if not basic:
            form |= {"client_id": self.client, "client_secret": self._secret}
        # Both are encoded for basic credentials (RFC 6749, 2.3.1).
        auth = (quote(self.client, safe=""), quote(self._secret, safe="")) if basic else _unsigned
        sent = {name: value for name, value in form.items() if value}
        return self._call("POST", self.document[TOKEN], data=sent, auth=auth)

    def claims(self, access: str) -> Mapping[str, Any]:
        """Return claims about a person in addition to the ID token's. Raises Denied, Unavailable."""
        at = self.document[USERINFO]
        return self._call("GET", at, headers={"Authorization": f"Bearer {access}"}) if at else {}

    def _fetch_document(self) -> Mapping[str, Any]:
        try:
            said = self._call("GET", at := self.issuer.rstrip("/") + DISCOVERY)
        except Denied:
            raise Unavailable(f"the provider has no {at}: the operator corrects oidc_issuer") from None
        if said.get("issuer") != self.issuer:
            raise Unavailable(
                f'the provider calls itself "{str(said.get("issuer"))[:200]}", and the setting oidc_issuer '
                f'is "{self.issuer}": the operator makes them the same'
            )
        plain = self.issuer.startswith("http:")
        for name in (AUTHORIZATION, TOKEN, KEYS, USERINFO, END_SESSION):
            is_left_out = name not in said and name in (USERINFO, END_SESSION)
            if not is_left_out and not is_provider_address(said.get(name), plain=plain):
                raise Unavailable(f"the provider's document has no {name} that begins with https://")
        return {USERINFO: "", END_SESSION: "", **said}

    def _fetch_keys(self) -> Sequence[Key]:
        said = self._call("GET", self.document[KEYS]).get("keys")
        found = []
        for one in (said if isinstance(said, list) else [])[:MOST_KEYS]:
            if isinstance(one, dict) and one.get("kty") in KINDS and one.get("use", "sig") == "sig":
                try:
                    found.append(import_key(one))
                except (JoseError, ValueError, TypeError, KeyError):
                    continue  # a kind of key that is newer than this program
        if not found:
            raise Unavailable("the provider publishes no key that this service understands")
        return found

    def _call(self, method: str, address: str, **more: Any) -> Mapping[str, Any]:
        """Return the JSON object in the provider's response. Raises Denied for a 4xx, and Unavailable."""
        try:
            with _turn(self._calls):
                status, body = _ask(method, address, **more)
        except requests.RequestException as error:
            raise Unavailable(
                f"the provider cannot be reached ({type(error).__name__}): try again in a few minutes"
            ) from None
        try:
            found = orjson.loads(body)
        except ValueError:
            found = None
        if isinstance(found, dict) and found.get("error") == "invalid_client":
            raise Unavailable("oidc_client_id or oidc_client_secret is wrong: the operator corrects them")
        if 400 <= status < 500:
            raise Denied(f"the provider refused this sign-in ({status}): sign in again")
        if status != 200 or not isinstance(found, dict):
            raise Unavailable(f"the provider does not answer as it should ({status}): try again later")
        return found


@contextmanager
def _turn(lock: threading.Lock | threading.BoundedSemaphore) -> Iterator[None]:
    """Wait briefly for a lock, so that a slow provider does not block all threads. Raises Unavailable."""
    if not lock.acquire(timeout=PATIENCE):
        raise Unavailable("too many people are signing in at once: try again in a few seconds")
    try:
        yield
    finally:
        lock.release()


def _unsigned(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Return the request unchanged; without it, the library would add passwords from ~/.netrc."""
    return request


def _ask(method: str, address: str, **more: Any) -> tuple[int, bytes]:
    """Return the status and the body. Raises RequestException, also for a body that is too large."""
    paths = ssl.get_default_verify_paths()
    headers = {"Accept": "application/json", "Accept-Encoding": "identity", **more.pop("headers", {})}
    end = time.monotonic() + WHOLE_SECONDS
    with requests.request(
        method,
        address,
        headers=headers,
        auth=more.pop("auth", _unsigned),
        timeout=(CONNECT_SECONDS, READ_SECONDS),
        allow_redirects=False,
        stream=True,
        verify=paths.cafile or paths.capath or True,
        **more,
    ) as response:
        body = b""
        while piece := response.raw.read1(1 << 16):
            body += piece
            if len(body) > LARGEST or time.monotonic() > end:
                raise requests.Timeout("the answer is too large, or takes too long")
        return response.status_code, body


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
        # The hash of the access token is that of the curve, which the name Ed25519 does not tell Authlib.
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
