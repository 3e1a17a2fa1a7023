"""Rights that are taken back while a run waits: it ends at their next use, having seen nothing of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Thread
from time import monotonic, sleep

import pytest

from chains.runs.states import Status
from tests.kit.client import Answer
from tests.kit.service import Application
from vfs.access import Role

SECONDS = 30.0
JOB = "/v1/code/jobs/reads"
VAULT = "/v1/code/spaces/vault"
ANY_MORE = "may not use {} any more: its owner has to share it with {}"


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

    def revoke(self) -> None:
        (share,) = json.loads(self.ask("bob", "GET", f"{VAULT}/shared").body)
        self.want("bob", "DELETE", f"{VAULT}/shared/{share['name']}")

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

    def steps(self, run: str) -> dict[str, str]:
        rows = json.loads(self.ask("mallory", "GET", f"{run}/steps").body)["steps"]
        return {row["name"]: row["status"] for row in rows}

    def text(self) -> str:
        return self.want("bob", "GET", f"{VAULT}/content/doc").body.decode()


def check_refused(site: Site, run: str, why: str) -> None:
    """The run ends failed with a last line that names what was taken back, and leaves nothing."""
    assert site.go_on(run) == Status.FAILED
    assert why in site.log(run).splitlines()[-1]
    assert set(site.steps(run).values()) == {"success", "canceled"}
    assert site.want("mallory", "GET", f"{run}/output").status == 204
    assert run[-24:] not in site.ask("mallory", "GET", "/v1/code/spaces").body.decode()


def test_a_space_that_is_shared_no_more_is_not_read(service: Application) -> None:
    site = Site(service)
    run, other = site.waiting(), site.waiting()
    site.revoke()
    site.want("bob", "POST", f"{VAULT}/content/doc", "v2 private")
    assert site.ask("mallory", "GET", "/v1/users/bob/code/spaces/vault/content/doc").status == 404
    check_refused(site, run, "@mallory " + ANY_MORE.format("/u/bob/s/vault", "r"))
    site.want("bob", "DELETE", VAULT)
    site.want("bob", "PUT", VAULT)
    site.want("bob", "PUT", f"{VAULT}/content/doc", "v3 another")
    check_refused(site, other, "@mallory " + ANY_MORE.format("/u/bob/s/vault", "r"))
    assert site.trigger().status == 403


def test_another_space_of_that_name_is_not_read_even_when_it_is_shared(service: Application) -> None:
    site = Site(service)
    run = site.waiting()
    site.want("bob", "DELETE", VAULT)
    site.want("bob", "PUT", VAULT)
    site.want("bob", "PUT", f"{VAULT}/shared/@mallory~r")
    check_refused(site, run, "/u/bob/s/vault any more")


def test_a_space_that_is_shared_no_more_is_not_written(service: Application) -> None:
    site = Site(service, "rw")
    run = site.waiting()
    site.want("bob", "PUT", f"{VAULT}/shared/@mallory~r")
    check_refused(site, run, "@mallory " + ANY_MORE.format("/u/bob/s/vault", "rw"))
    assert site.ask("bob", "GET", f"{VAULT}/content/rw").status == 404
    assert site.text() == "v1 shared"


def test_a_renamed_space_is_the_one_that_was_shared(service: Application) -> None:
    site = Site(service, "rw")
    run = site.waiting()
    site.want("bob", "PATCH", VAULT, "safe")
    site.want("bob", "PUT", VAULT)
    assert site.go_on(run) == Status.SUCCESS
    assert site.want("bob", "GET", "/v1/code/spaces/safe/content/rw").body == b"by mallory"
    assert site.ask("bob", "GET", f"{VAULT}/content/rw").status == 404


def test_what_was_given_again_is_used(service: Application) -> None:
    site = Site(service)
    run = site.waiting()
    site.revoke()
    site.want("bob", "PUT", f"{VAULT}/shared/public~r")
    assert site.go_on(run) == Status.SUCCESS


def narrow_repo(site: Site) -> None:
    site.want("bob", "PUT", "/v1/code/repos/tool/shared/@mallory~r")


def remove_repo(site: Site) -> None:
    site.want("bob", "DELETE", "/v1/code/repos/tool")


def replace_repo(site: Site) -> None:
    remove_repo(site)
    site.service.arrange("image", ["bob/tool", "ECHO=another"], [])
    site.service.arrange("share", ["repo", "bob/tool", "@mallory", "x"], [])


@pytest.mark.parametrize("take", [narrow_repo, remove_repo, replace_repo])
def test_an_image_is_not_started_whose_repo_is_shared_no_more(
    service: Application, take: Callable[[Site], None]
) -> None:
    site = Site(service)
    site.chain("t <- @bob/tool\nfirst -> !t")
    run = site.waiting()
    take(site)
    check_refused(site, run, "@mallory " + ANY_MORE.format("@bob/tool", "x"))
    assert "t: used" not in site.log(run)


def test_the_image_of_the_trigger_is_run_whatever_was_pushed_since(service: Application) -> None:
    site = Site(service)
    site.chain("t <- @bob/tool\nfirst -> !t")
    run = site.waiting()
    service.arrange("image", ["bob/tool", "ECHO=pushed later"], [])
    assert site.go_on(run) == Status.SUCCESS
    assert "t: used" in site.log(run)
    assert "pushed later" not in site.log(run)


def test_a_job_in_a_chain_is_not_run_that_is_shared_no_more(service: Application) -> None:
    site = Site(service)
    site.want("bob", "PUT", "/v1/code/jobs/inner")
    site.want("bob", "POST", "/v1/code/jobs/inner/config/chains", "tool")
    site.want("bob", "PUT", "/v1/code/jobs/inner/shared/@mallory~x")
    site.chain("j <- /u/bob/j/inner\nfirst -> !j")
    run, other = site.waiting(), site.waiting()
    site.want("bob", "DELETE", "/v1/code/jobs/inner/shared/@mallory~x")
    check_refused(site, run, "@mallory " + ANY_MORE.format("/u/bob/j/inner", "x"))
    site.want("bob", "PUT", "/v1/code/jobs/inner/shared/@mallory~x")
    site.want("bob", "DELETE", "/v1/code/repos/tool")
    check_refused(site, other, "@bob/tool was removed")


def test_a_right_that_came_through_a_group_ends_with_the_place_in_it(service: Application) -> None:
    site = Site(service)
    service.arrange("group", ["@bob~crew"], [])
    service.arrange("member", ["@bob~crew", "mallory", "members"], [])
    site.revoke()
    site.want("bob", "PUT", f"{VAULT}/shared/@bob~crew~r")
    run, other = site.waiting(), site.waiting()
    assert site.go_on(run) == Status.SUCCESS
    service.world.people.members.drop("@bob~crew", "mallory", Role.MEMBERS, pending=False)
    check_refused(site, other, "@mallory " + ANY_MORE.format("/u/bob/s/vault", "r"))


def test_nothing_is_used_for_an_account_that_is_locked(service: Application) -> None:
    site = Site(service)
    site.want("mallory", "PUT", f"{JOB}/shared/@erin~x")
    run = site.waiting()
    service.world.people.users.change("mallory", locked=True)
    elsewhere = run.replace("/code/jobs", "/users/mallory/code/jobs")
    assert site.ask("erin", "POST", f"{elsewhere}/hold", "continue").status == 202
    found = service.world.code.runs.reader.get(service.item("job", "mallory/reads").id, run[-24:])
    assert found is not None
    assert (
        service.world.code.runs.waits.wait(found.key, lambda status: status.ended, SECONDS) is Status.FAILED
    )
    assert "@mallory has no access any more" in service.world.code.runs.reader.lines(found.key)[-1].message


@pytest.mark.parametrize("now, end", [("", "failed"), ("repo_ro", "failed"), ("global", "success")])
def test_a_claim_that_was_narrowed_gives_no_credential(service: Application, now: str, end: str) -> None:
    site = Site(service)
    site.want("mallory", "POST", f"{JOB}/config/access", "repo_rw")
    run = site.waiting()
    site.want("mallory", "POST" if now else "DELETE", f"{JOB}/config/access", now)
    assert site.go_on(run) == end
    assert ("repo_rw, which config/access does not allow any more" in site.log(run)) is (end == "failed")


def test_a_trigger_that_waited_is_told_nothing_once_it_may_not_run_the_job(service: Application) -> None:
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


def test_who_may_run_a_job_no_more_is_not_told_its_result(service: Application) -> None:
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
