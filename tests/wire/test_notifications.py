"""Who is told how a run ended, by inbox and by mail, at each level; a hold tells those who may answer."""

from __future__ import annotations

import json
import time
from email import message_from_bytes
from email.policy import default

import pytest

from chains.runs.states import Status
from tests.kit.client import Answer
from tests.kit.service import SECONDS, Application

JOB = "/v1/users/alice/code/jobs/nightly"
LEVELS = {"alice": "", "bob": "important", "carol": "ignore", "dora": "info", "eve": "important"}


class Desk:
    """alice's job, which others may read and run at different levels; eve's address is not verified."""

    def __init__(self, service: Application) -> None:
        self.service = service
        self.outbox = service.world.service.settings.folder / "outbox"
        for user in LEVELS:
            service.user(user)
            service.world.people.users.change(user, verified=user != "eve")
        self.ask("alice", "PUT", JOB)
        for user, level in LEVELS.items():
            if user != "alice":
                service.arrange("share", ["job", "alice/nightly", f"@{user}", "rx"], [])
            if level:
                assert self.ask(user, "POST", f"{JOB}/notifications", level.encode()).status == 200
        for path in self.outbox.glob("[!.]*.eml"):
            path.unlink()

    def ask(self, user: str, method: str, path: str, body: bytes = b"", media: str = "text/plain") -> Answer:
        headers = [("Authorization", f"Bearer {self.service.user(user)}"), ("Content-Type", media)]
        return self.service.call(method, path, headers, body)

    def run(self, script: str, chain: bytes = b"step") -> str:
        """Trigger the job with a step that does so; the address of the run."""
        self.service.arrange("image", ["alice/step", script], [])
        assert self.ask("alice", "POST", f"{JOB}/config/chains", chain).status == 200
        return self.ask("alice", "POST", f"{JOB}/data", b"{}", "application/json").headers["location"]

    def told(self) -> dict[str, list[str]]:
        """The kinds of notices about runs in the inboxes that are not empty, newest first."""
        inboxes = {user: json.loads(self.ask(user, "GET", "/v1/admin/notifications").body) for user in LEVELS}
        kinds = {
            user: [row["kind"] for row in rows if "/runs/" in row["subject"]]
            for user, rows in inboxes.items()
        }
        return {user: rows for user, rows in kinds.items() if rows}

    def mails(self, count: int) -> list[tuple[str, str]]:
        """To whom what was mailed since the last look, once there are so many."""
        until = time.monotonic() + SECONDS
        while (
            len(files := sorted(self.outbox.glob("[!.]*.eml"))) < count
            or self.service.world.social.notices.unsent()
        ):
            assert time.monotonic() < until, files
            time.sleep(0.01)
        mails = [message_from_bytes(path.read_bytes(), policy=default) for path in files]
        for path in files:
            path.unlink()
        return sorted((str(mail["To"]), str(mail["Subject"]).strip()) for mail in mails)


@pytest.fixture
def desk(service: Application) -> Desk:
    return Desk(service)


def settled(desk: Desk, run: str) -> None:
    """Wait until nothing works on a run any more."""
    job = desk.service.item("job", "alice/nightly").id
    found = desk.service.world.code.runs.reader.get(job, run.rpartition("/")[2])
    assert found is not None
    ended = desk.service.world.code.runs.waits.wait(
        found.key, lambda s: s.ended or s is Status.WAITING, SECONDS
    )
    assert ended is not Status.PROCESSING


def test_a_success_is_told_where_it_is_important(desk: Desk) -> None:
    desk.run("COPY=x")
    assert desk.told() == {"bob": ["success"], "eve": ["success"]}
    subject = "Curlew: A run of nightly ended well."
    assert desk.mails(1) == [("bob@birds.example", subject)]


def test_a_failure_is_told_to_all_but_those_who_ignore_it(desk: Desk) -> None:
    desk.run("EXIT=1")
    assert desk.told() == {user: ["failed"] for user in ("alice", "bob", "dora", "eve")}
    assert [to for to, _ in desk.mails(1)] == ["bob@birds.example"]


def test_a_hold_is_told_to_those_who_may_answer_until_it_is_answered(desk: Desk) -> None:
    run = desk.run("COPY=x", b"!step")
    settled(desk, run)
    assert desk.told() == {user: ["waiting"] for user in ("alice", "bob", "dora", "eve")}
    assert [to for to, _ in desk.mails(1)] == ["bob@birds.example"]
    assert desk.ask("bob", "POST", f"{run}/hold", b"decline").status == 202
    assert (desk.told(), desk.mails(0)) == ({}, [])
    run = desk.run("COPY=x", b"!step")
    settled(desk, run)
    assert desk.ask("bob", "POST", f"{run}/hold", b"continue").status == 202
    settled(desk, run)
    assert desk.told() == {"bob": ["success"], "eve": ["success"]}


def test_holds_of_a_job_that_is_removed_wait_for_nobody(desk: Desk) -> None:
    settled(desk, desk.run("COPY=x", b"!step"))
    assert desk.ask("alice", "DELETE", JOB).status == 200
    assert desk.ask("alice", "PUT", JOB).status == 201
    assert desk.told() == {}


def test_who_may_not_read_the_job_any_more_is_told_nothing(desk: Desk) -> None:
    assert desk.ask("alice", "DELETE", f"{JOB}/shared/@bob~rx").status == 200
    assert desk.ask("alice", "POST", f"{JOB}/notifications", b"important").status == 200
    desk.run("EXIT=1")
    assert sorted(desk.told()) == ["alice", "dora", "eve"]
    assert [to for to, _ in desk.mails(1)] == ["alice@birds.example"]
