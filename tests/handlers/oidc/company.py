"""A company's provider of OpenID Connect: pyop, which is another implementation, over HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from Cryptodome.PublicKey import RSA
from joserfc import jwt
from joserfc.jwk import RSAKey
from jwkest.jwk import RSAKey as ProviderKey
from pyop.authz_state import AuthorizationState
from pyop.exceptions import OAuthError
from pyop.provider import Provider
from pyop.subject_identifier import HashBasedSubjectIdentifierFactory
from pyop.userinfo import Userinfo

CLIENT, SECRET = "curlew", "a secret / with signs"
Twist = Callable[[dict[str, Any]], None]


@dataclass
class Company:
    """The provider. `person` is who is signed in there; `twist` changes what an ID token says.

    `forge` makes another token of its claims, `answers` replaces documents by their paths, `extra` joins the
    answer to the browser, and `calls` are the paths that were asked for. With `asks` there is a page first.
    """

    issuer: str = ""
    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    person: str = "ann"
    twist: Twist = lambda claims: None
    forge: Callable[[dict[str, Any]], str] | None = None
    answers: dict[str, bytes] = field(default_factory=dict)
    extra: dict[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    query: dict[str, str] = field(default_factory=dict)
    down: bool = False
    asks: bool = False
    provider: Any = None
    key: Any = None
    _redirects: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.people |= {
            "ann": {
                "sub": "subject-of-ann",
                "name": "Ann Archer",
                "preferred_username": "Ann.Archer",
                "email": "ann@example.org",
                "email_verified": True,
                "groups": ["eng"],
            },
            "bob": {"sub": "subject-of-bob", "preferred_username": "bob", "groups": []},
        }

    def rotate(self, name: str) -> None:
        """Sign with a new key, and publish this alone."""
        self.key = ProviderKey(key=made_key(name), alg="RS256", use="sig", kid=name)
        if self.provider is not None:
            self.provider.signing_key = self.key

    def begin(self, issuer: str) -> None:
        """Be a provider at this address."""
        self.issuer = issuer
        names = {
            "authorization": "authorize",
            "token": "token",
            "userinfo": "userinfo",
            "end_session": "leave",
        }
        addresses = {f"{name}_endpoint": f"{issuer}/{path}" for name, path in names.items()}
        methods = ["client_secret_basic"]
        said = {
            "issuer": issuer,
            **addresses,
            "jwks_uri": f"{issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "scopes_supported": ["openid", "profile", "email"],
            "token_endpoint_auth_methods_supported": methods,
        }
        state = AuthorizationState(HashBasedSubjectIdentifierFactory("salt"))
        client = {
            "client_secret": SECRET,
            "redirect_uris": ["http://testserver/oidc/callback"],
            "response_types": ["code"],
            "token_endpoint_auth_method": methods[0],
        }
        self.clients = {CLIENT: client}
        self.rotate("first")
        extra = {"groups": ["groups"]}
        # It checks that all is HTTPS, which it is not in a test.
        secure = {
            name: word.replace("http:", "https:") if isinstance(word, str) else word
            for name, word in said.items()
        }
        self.provider = Provider(
            self.key,
            secure,
            state,
            self.clients,
            Userinfo(self.people),
            id_token_lifetime=3600,
            extra_scopes=extra,
        )
        self.provider.configuration_information.update(said)

    def allow(self, redirect: str) -> None:
        """Register another address of the service."""
        self.clients[CLIENT]["redirect_uris"].append(redirect)

    def sign_in(self, query: str) -> str:
        """Sign the person in; return where the browser is sent."""
        self.query = {name: values[0] for name, values in parse_qs(query).items()}
        request = self.provider.parse_authentication_request(query)
        back = self.provider.authorize(request, self.person).request(request["redirect_uri"])
        return f"{back}&{urlencode(self.extra)}" if self.extra else str(back)

    def token(self, body: str, headers: Mapping[str, str]) -> dict[str, Any]:
        """The tokens for a code."""
        found = dict(self.provider.handle_token_request(body, headers).to_dict())
        private = RSAKey.import_key(self.key.key.export_key().decode())
        claims = dict(jwt.decode(found["id_token"], private, ["RS256"]).claims)
        self.twist(claims)
        header = {"alg": "RS256", "kid": self.key.kid}
        found["id_token"] = self.forge(claims) if self.forge else jwt.encode(header, claims, private)
        return found

    def answer(self, path: str, query: str, body: str, headers: Mapping[str, str]) -> Any:
        """What a path answers: JSON, bytes, or an address to go to."""
        self.calls.append(path)
        if path in self.answers:
            return self.answers[path]
        match path:
            case "/.well-known/openid-configuration":
                return self.provider.provider_configuration.to_dict()
            case "/keys":
                return self.provider.jwks
            case "/authorize":
                back = self.sign_in(query)
                return (
                    f'<h1>Acme</h1><a href="{escape(back)}">I am {self.person}</a>'.encode()
                    if self.asks
                    else back
                )
            case "/token":
                return self.token(body, headers)
            case "/userinfo":
                return self.provider.handle_userinfo_request("", headers).to_dict()
            case "/leave":
                return b"signed out"
        raise LookupError(path)


@cache
def made_key(name: str) -> Any:
    """A private key, made once."""
    return RSA.generate(2048)


@contextmanager
def open_company(host: str = "127.0.0.1") -> Iterator[Company]:
    """A provider at work."""
    company = Company()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if company.down:
                self.close_connection = True
                return
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            try:
                found = company.answer(parts.path, parts.query, body, self.headers)
                status = 302 if isinstance(found, str) else 200
            except OAuthError as error:
                status, found = 400, {"error": error.oauth_error}
            except Exception as error:
                status, found = 400, {"error": str(error)}
            self.send_response(status)
            if isinstance(found, str):
                self.send_header("Location", found)
                found = b""
            elif isinstance(found, bytes):
                self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(found if isinstance(found, bytes) else json.dumps(found).encode())

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    company.begin(f"http://{host}:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield company
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def past(claims: dict[str, Any]) -> None:
    """An ID token that ended an hour ago."""
    claims |= {"iat": int(time.time()) - 7200, "exp": int(time.time()) - 3600}
