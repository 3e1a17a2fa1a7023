"""Of equal calls at the same moment exactly one does it; the others hear what a later call would hear."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import pytest

from chains.runs.states import Status
from handlers.identity.credentials import digest
from handlers.trees.account.notifications import notice_name
from tests.kit.client import Answer
from tests.kit.service import Application
from tests.kit.suites.chains import at_once
from vfs.ports.clock import stamp

TEXT, DATA = "text/plain", "application/json"
MANY, ROUNDS, PATIENCE = 4, 4, 20.0
JOB = "/v1/users/alice/code/jobs/letter"
DOC, SHELF = "/v1/users/alice/vis/docs/report", "/v1/users/alice/code/spaces/shelf"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


@dataclass(frozen=True, slots=True)
class Site:
    """The service, with alice, bob and a job and a document of alice's."""

    service: Application

    def ask(self, user: str, method: str, path: str, body: bytes = b"", media: str = TEXT) -> Answer:
        headers = [("Content-Type", media), ("Prefer", "respond-async")]
        if user:
            headers.append(("Authorization", f"Bearer {self.service.user(user)}"))
        return self.service.call(method, path, headers, body)

    def status(self, user: str, method: str, path: str, body: bytes = b"", media: str = TEXT) -> int:
        """The status of one call."""
        return self.ask(user, method, path, body, media).status

    def mint(self, token: str) -> int:
        """The status of one call for a token of alice's."""
        pair = base64.b64encode(f"alice:{self.service.password('alice')}".encode()).decode()
        headers = [("Authorization", f"Basic {pair}"), ("Content-Type", DATA)]
        return self.service.call(
            "POST", "/v1/token", headers, json.dumps({"token_name": token}).encode()
        ).status


@pytest.fixture
def site(service: Application) -> Site:
    site = Site(service)
    for user in ("alice", "bob"):
        service.user(user, "public")
    service.user("acme", "organisation")
    service.arrange("image", ["alice/slow", "SLEEP=20"], [])
    for path in (JOB, DOC, SHELF):
        assert site.ask("alice", "PUT", path).status == 201
    assert site.ask("alice", "POST", f"{JOB}/config/chains", b"slow").status < 300
    return site


@dataclass(frozen=True, slots=True)
class Turn:
    """A change of a state: how it is asked for, how the call that does it and the others are answered, and
    what is asked for before, in each round. `{n}` is the number of the round.
    """

    user: str
    method: str
    path: str
    does: int
    others: int
    body: bytes = b""
    media: str = TEXT
    before: Sequence[tuple[str, str, str, bytes]] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.body.decode('latin-1')[:8]}".strip()

    def prepare(self, site: Site, number: int) -> None:
        """What has to be there, and what must not."""
        for user, method, path, body in self.before:
            media = "image/png" if body == PNG else TEXT
            site.ask(user, method, path.format(n=number), body, media)

    def ask(self, site: Site, number: int) -> int:
        """The status of one call."""
        body = self.body.replace(b"{n}", str(number).encode())
        return site.status(self.user, self.method, self.path.format(n=number), body, self.media)


GROUP, REF = "/v1/admin/groups/g{n}", "@alice~g{n}"
MEMBERS, INVITE = f"{GROUP}/roles/members", f"/v1/admin/invites/{REF}/accept"
CONNECTIONS, FOLLOWING = "/v1/admin/social/connections/bob", "/v1/admin/social/following/bob"
ACCEPTING = ("bob", "POST", "/v1/admin/invites/@alice/accept")
INVITED = (("alice", "PUT", GROUP, b""), ("alice", "PUT", f"{MEMBERS}/bob", b""))
ACCOUNT = b'{"username": "user{n}", "password": "curlews pass at dusk", "email": "user{n}@birds.example"}'
TURNS = (
    Turn("alice", "PUT", f"{DOC}/shared/@bob~r", 201, 200,
         before=[("alice", "DELETE", f"{DOC}/shared/@bob", b"")]),
    Turn("alice", "PUT", f"{DOC}/shared/@bob~rw", 200, 200,
         before=[("alice", "PUT", f"{DOC}/shared/@bob~r", b"")]),
    Turn("alice", "DELETE", f"{DOC}/shared/@bob", 200, 404,
         before=[("alice", "PUT", f"{DOC}/shared/@bob~r", b"")]),
    Turn("alice", "PUT", f"{DOC}/tags/+t{{n}}", 201, 200),
    Turn("alice", "DELETE", f"{DOC}/tags/fav", 200, 404, before=[("alice", "PUT", f"{DOC}/tags/fav", b"")]),
    Turn("alice", "PUT", f"{DOC}/assets/a{{n}}", 201, 200, PNG, "image/png"),
    Turn("alice", "DELETE", f"{DOC}/assets/one", 200, 404,
         before=[("alice", "PUT", f"{DOC}/assets/one", PNG)]),
    Turn("alice", "PUT", f"{DOC}/vars/v{{n}}", 201, 409),
    Turn("alice", "DELETE", f"{DOC}/vars/one", 200, 404, before=[("alice", "PUT", f"{DOC}/vars/one", b"")]),
    Turn("alice", "PUT", f"{JOB}/config/env/E{{n}}", 201, 200, b"word"),
    Turn("alice", "DELETE", f"{JOB}/config/env/ONE", 200, 404,
         before=[("alice", "POST", f"{JOB}/config/env/ONE", b"word")]),
    Turn("alice", "PUT", f"{DOC}/threads/t{{n}}", 201, 409),
    Turn("alice", "DELETE", f"{DOC}/threads/@alice~one", 200, 404,
         before=[("alice", "PUT", f"{DOC}/threads/one", b"")]),
    Turn("alice", "PUT", "/v1/vis/docs/d{n}", 201, 409),
    Turn("alice", "DELETE", "/v1/vis/docs/d", 200, 404, before=[("alice", "PUT", "/v1/vis/docs/d", b"")]),
    Turn("alice", "PATCH", "/v1/vis/docs/p{n}", 200, 404, b"q{n}",
         before=[("alice", "PUT", "/v1/vis/docs/p{n}", b"")]),
    Turn("alice", "PUT", f"{SHELF}/content/f{{n}}", 201, 200, b"text"),
    Turn("alice", "DELETE", f"{SHELF}/content/f", 200, 404,
         before=[("alice", "PUT", f"{SHELF}/content/f", b"text")]),
    Turn("alice", "PUT", GROUP, 201, 409),
    Turn("alice", "DELETE", GROUP, 200, 404, before=[("alice", "PUT", GROUP, b"")]),
    Turn("alice", "PUT", f"{MEMBERS}/bob", 201, 200, before=[("alice", "PUT", GROUP, b"")]),
    Turn("alice", "DELETE", f"{MEMBERS}/I-bob", 200, 404, before=INVITED),
    Turn("bob", "POST", INVITE, 200, 404, b"yes", before=INVITED),
    Turn("bob", "POST", INVITE, 200, 404, b"no", before=INVITED),
    Turn("alice", "PUT", CONNECTIONS, 201, 200, before=[("alice", "DELETE", CONNECTIONS, b"")]),
    Turn(*ACCEPTING, 200, 404, b"yes",
         before=[("alice", "DELETE", CONNECTIONS, b""), ("alice", "PUT", CONNECTIONS, b"")]),
    Turn("alice", "DELETE", CONNECTIONS, 200, 404, before=[("alice", "PUT", CONNECTIONS, b"")]),
    Turn("alice", "PUT", FOLLOWING, 201, 200, before=[("alice", "DELETE", FOLLOWING, b"")]),
    Turn("alice", "DELETE", FOLLOWING, 200, 404, before=[("alice", "PUT", FOLLOWING, b"")]),
    Turn("alice", "PUT", "/v1/admin/tags/+t{n}", 201, 409),
    Turn("alice", "DELETE", "/v1/admin/tags/+one", 200, 404,
         before=[("alice", "PUT", "/v1/admin/tags/+one", b"")]),
    Turn("", "POST", "/v1/register", 201, 409, ACCOUNT, DATA),
)  # fmt: skip


def made_at_once(*calls: Callable[[], int]) -> list[int]:
    """The statuses of calls that begin together, in order."""
    answers = at_once(*calls)
    assert all(isinstance(answer, int) for answer in answers), answers
    return sorted(answer for answer in answers if isinstance(answer, int))


@pytest.mark.parametrize("turn", TURNS, ids=str)
def test_one_call_does_it(site: Site, turn: Turn) -> None:
    for number in range(ROUNDS):
        turn.prepare(site, number)
        answers = made_at_once(*[partial(turn.ask, site, number)] * MANY)
        assert answers == sorted([turn.does] + [turn.others] * (MANY - 1))
        assert turn.ask(site, number) == turn.others, "the same is said to anyone who comes later"


@pytest.mark.parametrize("started", [False, True])
def test_one_cancel_is_accepted(site: Site, *, started: bool) -> None:
    runs, job = site.service.world.code.runs, site.service.item("job", "alice/letter").id
    for _ in range(ROUNDS):
        path = site.ask("alice", "POST", f"{JOB}/data", b"{}", DATA).headers["location"]
        found = runs.reader.get(job, path.rpartition("/")[2])
        assert found is not None
        if started:
            runs.waits.follow(found.key, 0, PATIENCE)
        cancel = partial(site.status, "alice", "POST", f"{path}/status", b"canceled")
        answers = made_at_once(*[cancel] * MANY)
        assert answers.count(202) == 1
        assert set(answers) <= {200, 202, 409}, "200 while it is canceling, 409 when it has ended"
        assert runs.waits.wait(found.key, lambda status: status.ended, PATIENCE) is Status.CANCELED
        assert cancel() == 409


def test_one_makes_a_token_and_one_revokes_it(site: Site) -> None:
    for number in range(ROUNDS):
        assert made_at_once(*[partial(site.mint, f"t{number}")] * MANY) == [201, 409, 409, 409]
        revoke = partial(site.status, "alice", "DELETE", f"/v1/admin/tokens/t{number}")
        assert made_at_once(*[revoke] * MANY) == [200, 404, 404, 404]


def test_one_dismisses_a_notice(site: Site) -> None:
    for _ in range(ROUNDS):
        notice = notice_name(site.service.world.social.notices.add("alice", "kind", "/v1", "text"))
        dismiss = partial(site.status, "alice", "DELETE", f"/v1/admin/notifications/{notice}")
        assert made_at_once(*[dismiss] * MANY) == [200, 404, 404, 404]


def test_a_challenge_is_answered_once(site: Site) -> None:
    for number in range(ROUNDS):
        uid, until = f"uid-{number}", stamp(site.service.world.clock.now() + timedelta(hours=1))
        code = digest(f"{uid} 123456")
        site.service.world.people.challenges.add("alice", "alice@birds.example", uid, code, until)
        sent = json.dumps({"uid": uid, "code": "123456"}).encode()
        answer = partial(site.status, "", "POST", "/v1/admin/challenge", sent, DATA)
        assert made_at_once(*[answer] * MANY) == [200, 404, 404, 404]


@pytest.mark.parametrize("names", [("birds",) * MANY, tuple(f"birds{number}" for number in range(MANY))])
def test_an_account_makes_one_organisation(site: Site, names: Sequence[str]) -> None:
    for _ in range(ROUNDS):
        calls = [partial(site.status, "acme", "PUT", f"/v1/admin/orgs/{name}") for name in names]
        one, *others = made_at_once(*calls)
        assert one == 201
        assert set(others) <= {403, 409}, "the account has its one, or the name is taken"
        for org in site.service.world.people.groups.orgs("acme"):
            site.ask("acme", "DELETE", f"/v1/admin/orgs/{org.group.name}")
