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
REQUEST = {
    "client_id": "novem-cli",
    "redirect_uri": BACK,
    "response_type": "code",
    "state": "s",
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
}


class Approver:
    """alice in a session of `seconds` seconds, or in one without an end."""

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
        return str(self.call({**REQUEST, **fields})["code"])

    def connect(self, **fields: str) -> Issued:
        return exchange(
            self.world, "novem-cli", self.code(**fields), VERIFIER, fields.get("redirect_uri", BACK)
        )


@pytest.fixture
def approver(service_world: ServiceWorld) -> Approver:
    return Approver(service_world)


def test_a_narrow_scope_is_kept_with_the_token(approver: Approver) -> None:
    assert approver.connect(scope="code read").token.claim == "read code"


@pytest.mark.parametrize("seconds", [3600, 40 * DAY, 0])
def test_it_ends_after_30_days_or_with_its_approver(service_world: ServiceWorld, seconds: float) -> None:
    issued = Approver(service_world, seconds).connect()
    assert issued.seconds == (min(seconds, 30 * DAY) if seconds else 30 * DAY)


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


def test_an_ordinary_token_is_no_connection(approver: Approver) -> None:
    value = fresh()
    token = approver.world.people.tokens.mint("alice", "laptop", digest(value))
    disconnect(approver.world, "novem-cli", value)
    assert approver.world.people.tokens.at(token.id).revoked_on is None  # type: ignore[union-attr]


def test_a_scope_beyond_the_registered_ones_is_refused(approver: Approver) -> None:
    approver.world.people.applications.change("novem-cli", scopes=("read",))
    with pytest.raises(Invalid, match="no more than read"):
        approver.code(scope="vis")
    assert approver.connect().scope == "read"


@pytest.mark.parametrize("via", [Via.TOKEN, Via.RUN, Via.APPLICATION, Via.NONE])
def test_a_session_alone_approves(approver: Approver, via: Via) -> None:
    caller = Caller(None if via is Via.NONE else "alice", via, None, approver.token.id)
    with pytest.raises(VfsError) as refused:
        approver.call(REQUEST, caller)
    assert via is Via.NONE or isinstance(refused.value, Denied)


def test_approvals_are_counted(approver: Approver) -> None:
    for _ in range(60):
        approver.code()
    with pytest.raises(TooMany):
        approver.code()


@pytest.mark.parametrize("body", [[], "x", {"client_id": 1}])
def test_only_texts_are_taken(approver: Approver, body: object) -> None:
    with pytest.raises(Invalid):
        approver.call(body)
