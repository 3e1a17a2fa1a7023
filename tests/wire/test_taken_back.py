"""Rights that are taken back while a run waits: it ends at their next use, having seen nothing of it."""

from __future__ import annotations

import json
from threading import Thread
from time import monotonic, sleep

import pytest

from chains.runs.states import Status
from tests.kit.client import Answer
from tests.kit.service import Application

SECONDS = 30.0
JOB = "/v1/code/jobs/reads"
VAULT = "/v1/code/spaces/vault"


class Site:
    """mallory's job that waits before its last step, with bob's space, repo and job in it."""

    def __init__(self, service: Application, mode: str = "ro") -> None:
        self.service = service
        for name in ("mallory", "bob", "erin"):
            service.user(name, "public")
        service.arrange("image", ["mallory/first"], [])
        service.arrange("image", ["mallory/last", "SHOW=all", f"WRITE=/mnt/v/{mode}=by mallory"], [])
        service.arrange("image", ["bob/tool", "ECHO=used"], [])
        service.arrange("share", ["repo", "bob/tool", "@mallory", "x"], [])
        self.want("bob", "PUT", VAULT)
        self.want("bob", "PUT", f"{VAULT}/content/doc", "v1 shared")
        self.want("bob", "PUT", f"{VAULT}/shared/@mallory~{'rw' if mode == 'rw' else 'r'}")
        self.want("mallory", "PUT", JOB)
        self.chain("first -> !last")
        self.want("mallory", "POST", f"{JOB}/config/spaces", f"v => /u/bob/s/vault,{mode}")

    def ask(self, user: str, method: str, path: str, body: str = "", media: str = "text/plain") -> Answer:
        headers = [("Authorization", f"Bearer {self.service.user(user)}"), ("Content-Type", media)]
        return self.service.call(method, path, headers, body.encode())

    def want(self, user: str, method: str, path: str, body: str = "") -> Answer:
        answer = self.ask(user, method, path, body)
        assert answer.status < 300, (method, path, answer)
        return answer

    def chain(self, text: str) -> None:
        self.want("mallory", "POST", f"{JOB}/config/chains", text)

    def trigger(self) -> Answer:
        return self.ask("mallory", "POST", f"{JOB}/data", "{}", "application/json")

    def waiting(self) -> str:
        """The path of a run that waits at its hold."""
        answer = self.trigger()
        assert json.loads(answer.body)["status"] == "waiting", answer
        return answer.headers["location"]

    def go_on(self, run: str) -> str:
        """How a run ends that is continued."""
        assert self.ask("mallory", "POST", f"{run}/hold", "continue").status == 202
        found = self.service.world.code.runs.reader.get(
            self.service.item("job", "mallory/reads").id, run[-24:]
        )
        assert found is not None
        return str(self.service.world.code.runs.waits.wait(found.key, lambda status: status.ended, SECONDS))

    def log(self, run: str) -> str:
        return self.want("mallory", "GET", f"{run}/log").body.decode()

    def text(self) -> str:
        return self.want("bob", "GET", f"{VAULT}/content/doc").body.decode()


def test_a_renamed_space_is_the_one_that_was_shared(service: Application) -> None:
    site = Site(service, "rw")
    run = site.waiting()
    site.want("bob", "PATCH", VAULT, "safe")
    site.want("bob", "PUT", VAULT)
    assert site.go_on(run) == Status.SUCCESS
    assert site.want("bob", "GET", "/v1/code/spaces/safe/content/rw").body == b"by mallory"
    assert site.ask("bob", "GET", f"{VAULT}/content/rw").status == 404


def test_the_image_of_the_trigger_is_run_despite_later_pushes(service: Application) -> None:
    site = Site(service)
    site.chain("t <- @bob/tool\nfirst -> !t")
    run = site.waiting()
    service.arrange("image", ["bob/tool", "ECHO=pushed later"], [])
    assert site.go_on(run) == Status.SUCCESS
    assert "t: used" in site.log(run)
    assert "pushed later" not in site.log(run)


@pytest.mark.parametrize("now, end", [("", "failed"), ("repo_ro", "failed"), ("global", "success")])
def test_a_claim_that_was_narrowed_gives_no_credential(service: Application, now: str, end: str) -> None:
    site = Site(service)
    site.want("mallory", "POST", f"{JOB}/config/access", "repo_rw")
    run = site.waiting()
    site.want("mallory", "POST" if now else "DELETE", f"{JOB}/config/access", now)
    assert site.go_on(run) == end
    assert ("repo_rw, which config/access does not allow any more" in site.log(run)) is (end == "failed")


def test_a_waiting_trigger_learns_nothing_once_it_may_not_run_the_job(service: Application) -> None:
    site = Site(service)
    service.arrange("image", ["mallory/slow", "SLEEP=1.5", "WRITE=secret=told"], [])
    site.chain("slow")
    site.want("mallory", "PUT", f"{JOB}/shared/@erin~x")
    place = "/v1/users/mallory/code/jobs/reads/data"
    start = service.engine.start

    def revoke_and_start(handle: object) -> None:
        site.want("mallory", "DELETE", f"{JOB}/shared/@erin~x")
        start(handle)  # type: ignore[arg-type]

    service.engine.start = revoke_and_start  # type: ignore[method-assign]
    answer = site.ask("erin", "POST", place, "{}", "application/json")
    assert (answer.status, b"told" in answer.body) == (404, False)


def test_a_user_who_lost_execution_does_not_get_the_result(service: Application) -> None:
    """The run goes on, as it does when a connection breaks (decisions 21)."""
    site = Site(service)
    service.arrange("image", ["mallory/slow", "SLEEP=20"], [])
    site.chain("slow")
    site.want("mallory", "PUT", f"{JOB}/shared/@erin~rx")
    answers: list[Answer] = []

    def trigger() -> None:
        answers.append(
            site.ask("erin", "POST", "/v1/users/mallory/code/jobs/reads/data", "{}", "application/json")
        )

    waiting, began = Thread(target=trigger), monotonic()
    waiting.start()
    runs = f"{JOB}/runs"
    while "processing" not in site.ask("mallory", "GET", f"{JOB}/stats/runs").body.decode():
        assert monotonic() - began < SECONDS
        sleep(0.05)
    site.want("mallory", "DELETE", f"{JOB}/shared/@erin~rx")
    waiting.join(SECONDS)
    assert [answer.status for answer in answers] == [404]
    assert monotonic() - began < 18
    (run,) = json.loads(site.want("mallory", "GET", runs).body)
    assert site.want("mallory", "GET", f"{runs}/{run['name']}/status").body == b"processing"
    site.want("mallory", "POST", f"{runs}/{run['name']}/status", "canceled")
