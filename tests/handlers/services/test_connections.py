"""Approvals, exchanges and renewals, with everything that may go wrong with them."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any

import pytest

from handlers.identity.credentials import digest, fresh
from handlers.rules.redirects import OUT_OF_BAND
from handlers.services.applications.connections import (
    InvalidClient,
    InvalidGrant,
    InvalidScope,
    Issued,
    disconnect,
    exchange,
    renew,
)
from tests.handlers.service_world import ServiceWorld
from tests.handlers.trees.tree_world import Sent
from vfs.access import Caller, Verb, Via
from vfs.call import Call
from vfs.errors import Denied, Invalid, TooMany, VfsError
from vfs.path import Path
from vfs.ports.clock import stamp
from vfs.serve import serve

VERIFIER = "v" * 64
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
BACK = "http://localhost:50123/callback"
DAY = 24 * 3600
ASKED = {
    "client_id": "novem-cli",
    "redirect_uri": BACK,
    "response_type": "code",
    "state": "s",
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
}


class Approver:
    """alice in a session of so many seconds."""

    def __init__(self, service_world: ServiceWorld, seconds: float = 30 * DAY) -> None:
        self.service_world, self.world = service_world, service_world.world
        expires_on = None
        if seconds:
            service_world.clock.forward(seconds)
            expires_on = stamp(service_world.clock.now())
            service_world.clock.forward(-seconds)
        self.token = self.world.people.tokens.mint(
            "alice", "session-x", digest(fresh()), via=Via.SESSION, expires_on=expires_on
        )

    def call(self, body: Any, caller: Caller | None = None) -> Any:
        from tests.handlers.service_world import TREE

        who = caller or Caller("alice", Via.SESSION, None, self.token.id)
        call = Call(
            Verb.WRITE, Path.parse("/v1/admin/authorize"), who, self.world, Sent(body, "application/json")
        )
        return serve(TREE, call).value.value  # type: ignore[union-attr]

    def code(self, **fields: str) -> str:
        return str(self.call({**ASKED, **fields})["code"])

    def connect(self, **fields: str) -> Issued:
        return exchange(
            self.world, "novem-cli", self.code(**fields), VERIFIER, fields.get("redirect_uri", BACK)
        )


@pytest.fixture
def approver(service_world: ServiceWorld) -> Approver:
    return Approver(service_world)


def test_a_connection_is_a_token_of_its_own(approver: Approver) -> None:
    issued = approver.connect()
    token = approver.world.people.tokens.by_digest(digest(issued.access))
    assert token is not None and token == approver.world.people.tokens.at(issued.token.id)
    assert (token.via, token.user, token.claim, token.description) == (
        Via.APPLICATION, "alice", None, "the command line",
    )  # fmt: skip
    assert token.name.startswith("novem-cli-")
    assert token in approver.world.people.tokens.of("alice")
    assert issued.seconds == 30 * DAY and issued.scope == "all"


def test_a_narrow_scope_is_kept_with_the_token(approver: Approver) -> None:
    assert approver.connect(scope="code read").token.claim == "read code"


@pytest.mark.parametrize("seconds", [3600, 40 * DAY, 0])
def test_it_ends_after_30_days_or_with_its_approver(service_world: ServiceWorld, seconds: float) -> None:
    issued = Approver(service_world, seconds).connect()
    assert issued.seconds == (min(seconds, 30 * DAY) if seconds else 30 * DAY)


def test_renewing_never_lengthens(approver: Approver) -> None:
    issued = approver.connect()
    approver.service_world.clock.forward(10 * DAY)
    again = renew(approver.world, "novem-cli", issued.refresh, None)
    assert (again.token.id, again.token.expires_on) == (issued.token.id, issued.token.expires_on)
    assert again.seconds == 20 * DAY
    tokens = approver.world.people.tokens
    assert tokens.by_digest(digest(issued.access)) is None
    assert tokens.by_digest(digest(again.access)) is not None
    approver.service_world.clock.forward(20 * DAY)
    with pytest.raises(InvalidGrant, match="has ended"):
        renew(approver.world, "novem-cli", again.refresh, None)


def test_a_refresh_credential_that_comes_again_ends_the_connection(approver: Approver) -> None:
    issued = approver.connect()
    again = renew(approver.world, "novem-cli", issued.refresh, "all")
    with pytest.raises(InvalidGrant, match="used before"):
        renew(approver.world, "novem-cli", issued.refresh, None)
    with pytest.raises(InvalidGrant):
        renew(approver.world, "novem-cli", again.refresh, None)
    assert approver.world.people.tokens.at(issued.token.id).revoked_on is not None  # type: ignore[union-attr]


def test_nothing_is_renewed_after_the_approver_s_end(approver: Approver) -> None:
    issued = approver.connect()
    approver.world.people.tokens.revoke(approver.token.id)
    with pytest.raises(InvalidGrant, match="credential that approved"):
        renew(approver.world, "novem-cli", issued.refresh, None)
    assert approver.world.people.tokens.at(issued.token.id).revoked_on is None  # type: ignore[union-attr]


def test_nothing_is_renewed_for_a_locked_account(approver: Approver) -> None:
    issued = approver.connect()
    approver.world.people.users.change("alice", locked=True)
    with pytest.raises(InvalidGrant):
        renew(approver.world, "novem-cli", issued.refresh, None)


def test_renewals_are_counted_and_of_one_scope_and_client(approver: Approver) -> None:
    issued = approver.connect()
    with pytest.raises(InvalidScope, match="scope"):
        renew(approver.world, "novem-cli", issued.refresh, "read")
    with pytest.raises(InvalidClient):
        renew(approver.world, "other", issued.refresh, None)
    for _ in range(60):
        issued = renew(approver.world, "novem-cli", issued.refresh, None)
    with pytest.raises(TooMany):
        renew(approver.world, "novem-cli", issued.refresh, None)


def test_a_code_lives_for_a_minute(approver: Approver) -> None:
    code = approver.code()
    approver.service_world.clock.forward(60)
    with pytest.raises(InvalidGrant, match="60 seconds"):
        exchange(approver.world, "novem-cli", code, VERIFIER, BACK)


def test_a_code_that_comes_again_ends_what_it_was_exchanged_for(approver: Approver) -> None:
    code = approver.code()
    issued = exchange(approver.world, "novem-cli", code, VERIFIER, BACK)
    with pytest.raises(InvalidGrant, match="exchanged before"):
        exchange(approver.world, "novem-cli", code, VERIFIER, BACK)
    assert approver.world.people.tokens.at(issued.token.id).revoked_on is not None  # type: ignore[union-attr]


@pytest.mark.parametrize("verifier", ["", "w" * 64, CHALLENGE, "v" * 42, VERIFIER + "\n"])
def test_a_code_is_worth_nothing_without_its_verifier(approver: Approver, verifier: str) -> None:
    code = approver.code()
    with pytest.raises(InvalidGrant):
        exchange(approver.world, "novem-cli", code, verifier, BACK)
    exchange(approver.world, "novem-cli", code, VERIFIER, BACK)


@pytest.mark.parametrize("redirect", [None, "", "http://localhost:50124/callback", OUT_OF_BAND])
def test_a_code_goes_with_its_redirect(approver: Approver, redirect: str | None) -> None:
    with pytest.raises(InvalidGrant, match="redirect_uri"):
        exchange(approver.world, "novem-cli", approver.code(), VERIFIER, redirect)


@pytest.mark.parametrize(
    ("redirect", "fine"), [(None, 1), (OUT_OF_BAND, 1), (BACK, 1), ("https://evil.example/", 0)]
)
def test_a_copied_code_goes_with_each_redirect_of_its_application(
    approver: Approver, redirect: str | None, fine: int
) -> None:
    code = approver.code(redirect_uri=OUT_OF_BAND)
    if fine:
        exchange(approver.world, "novem-cli", code, VERIFIER, redirect)
    else:
        with pytest.raises(InvalidGrant):
            exchange(approver.world, "novem-cli", code, VERIFIER, redirect)


def test_a_code_is_its_application_s(approver: Approver) -> None:
    approver.world.people.applications.add(
        "other", None, name="Other", description="", redirects=(BACK,), scopes=("all",)
    )
    with pytest.raises(InvalidGrant, match="unknown"):
        exchange(approver.world, "other", approver.code(), VERIFIER, BACK)
    issued = approver.connect()
    disconnect(approver.world, "other", issued.access)
    assert approver.world.people.tokens.at(issued.token.id).revoked_on is None  # type: ignore[union-attr]


@pytest.mark.parametrize("which", ["access", "refresh"])
def test_disconnecting_ends_one_connection_alone(approver: Approver, which: str) -> None:
    one, other = approver.connect(), approver.connect()
    disconnect(approver.world, "novem-cli", getattr(one, which))
    disconnect(approver.world, "novem-cli", "clw_unknown")
    disconnect(approver.world, "novem-cli", fresh())
    tokens = approver.world.people.tokens
    assert tokens.at(one.token.id).revoked_on is not None  # type: ignore[union-attr]
    assert tokens.at(other.token.id).revoked_on is None  # type: ignore[union-attr]


def test_an_ordinary_token_is_no_connection(approver: Approver) -> None:
    value = fresh()
    token = approver.world.people.tokens.mint("alice", "laptop", digest(value))
    disconnect(approver.world, "novem-cli", value)
    assert approver.world.people.tokens.at(token.id).revoked_on is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"client_id": "nobody"}, "not registered"),
        ({"redirect_uri": "https://evil.example/"}, "not registered for"),
        ({"redirect_uri": ""}, "not registered for"),
        ({"response_type": "token"}, "must be code"),
        ({"response_type": ""}, "missing"),
        ({"code_challenge_method": "plain"}, "S256"),
        ({"code_challenge": "short"}, "43 characters"),
        ({"scope": "everything"}, "not a scope"),
        ({"state": "s" * 3000}, "state"),
    ],
)
def test_a_malformed_request_is_refused(approver: Approver, fields: dict[str, str], word: str) -> None:
    with pytest.raises(Invalid, match=word):
        approver.code(**fields)


def test_no_more_is_asked_for_than_was_registered(approver: Approver) -> None:
    approver.world.people.applications.change("novem-cli", scopes=("read",))
    with pytest.raises(Invalid, match="no more than read"):
        approver.code(scope="vis")
    assert approver.connect().scope == "read"


@pytest.mark.parametrize("via", [Via.TOKEN, Via.RUN, Via.APPLICATION, Via.NONE])
def test_a_session_alone_approves(approver: Approver, via: Via) -> None:
    caller = Caller(None if via is Via.NONE else "alice", via, None, approver.token.id)
    with pytest.raises(VfsError) as refused:
        approver.call(ASKED, caller)
    assert via is Via.NONE or isinstance(refused.value, Denied)


def test_approvals_are_counted(approver: Approver) -> None:
    for _ in range(60):
        approver.code()
    with pytest.raises(TooMany):
        approver.code()


def test_an_ended_session_approves_nothing(approver: Approver) -> None:
    approver.world.people.tokens.revoke(approver.token.id)
    with pytest.raises(Invalid, match="sign in again"):
        approver.code()


@pytest.mark.parametrize("body", [[], "x", {"client_id": 1}])
def test_only_texts_are_taken(approver: Approver, body: object) -> None:
    with pytest.raises(Invalid):
        approver.call(body)
