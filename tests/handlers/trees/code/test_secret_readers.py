"""Warnings that name the users who can read a job's secrets by pushing code."""

from __future__ import annotations

from tests.handlers.service_world import ServiceWorld
from tests.kit.counting.statements import Statements
from vfs.access import Verb

JOB = "/v1/code/jobs/nightly"
REPO = "/v1/code/repos/count"
READ_BY_CODE = "note: anyone who may push to @alice/count can read config/env and the spaces by code: {}\n"


def said(service_world: ServiceWorld, verb: Verb, path: str, text: str | None = None) -> str:
    value = service_world.call("alice", verb, path, text).value
    return value if isinstance(value, str) else ""


def set_env(service_world: ServiceWorld) -> str:
    return said(service_world, Verb.WRITE, f"{JOB}/config/env/KEY", "hunter2")


def test_setting_a_secret_warns_of_users_who_may_push(service_world: ServiceWorld) -> None:
    service_world.job()
    assert "note:" not in set_env(service_world)
    for target in ("@bob~x", "@carol~rw"):
        said(service_world, Verb.CREATE, f"{REPO}/shared/{target}")
    assert set_env(service_world) == READ_BY_CODE.format("@carol")
    service_world.call("alice", Verb.CREATE, "/v1/code/spaces/vault")
    answer = said(service_world, Verb.WRITE, f"{JOB}/config/spaces", "v => /u/alice/s/vault")
    assert answer == READ_BY_CODE.format("@carol")


def test_setting_a_short_secret_warns_that_logs_show_it(service_world: ServiceWorld) -> None:
    service_world.job()
    note = "note: logs do not mask values or lines of fewer than 6 characters\n"
    for value, warned in (
        ("12345", True),
        ("123456", False),
        ("a line of it\nshort", True),
        ("k=v==1\n", False),
    ):
        answer = said(service_world, Verb.WRITE, f"{JOB}/config/env/KEY", value)
        assert (note in answer) is warned


def test_a_share_that_allows_to_push_warns_of_jobs_with_secrets(service_world: ServiceWorld) -> None:
    service_world.job()
    assert "note:" not in said(service_world, Verb.CREATE, f"{REPO}/shared/@bob~rw")
    set_env(service_world)
    answer = said(service_world, Verb.CREATE, f"{REPO}/shared/@carol~rw")
    assert answer.endswith("can read config/env and the spaces of /u/alice/j/nightly by code\n")
    assert "note:" not in said(service_world, Verb.CREATE, f"{REPO}/shared/@carol~rx")
    service_world.image("alice", "other")
    assert "note:" not in said(service_world, Verb.CREATE, "/v1/code/repos/other/shared/@bob~rw")


def test_a_chain_with_a_repo_of_others_warns_of_secrets(service_world: ServiceWorld) -> None:
    service_world.job()
    service_world.image("bob", "tool")
    found = service_world.world.items.find("repo", "bob", "tool", "bob")
    assert found is not None
    said(service_world, Verb.CREATE, f"{REPO}/shared/@bob~rw")
    assert "note:" not in said(service_world, Verb.WRITE, f"{JOB}/config/chains", "count")
    set_env(service_world)
    assert READ_BY_CODE.format("@bob") in said(service_world, Verb.WRITE, f"{JOB}/config/chains", "count")
    answer = said(service_world, Verb.WRITE, f"{JOB}/config/chains", "t <- @bob/tool\ncount -> t")
    assert "note: anyone who may push to @bob/tool can read config/env and the spaces by code\n" in answer


def test_many_jobs_cost_as_many_statements_as_few(
    service_world: ServiceWorld, statements: Statements
) -> None:
    def count(target: str) -> int:
        return statements(lambda: said(service_world, Verb.CREATE, f"{REPO}/shared/{target}"))

    service_world.job()
    set_env(service_world)
    count("@bob~rw")
    few = count("@bob~rwx")
    for number in range(30):
        service_world.job(f"job-{number}")
        said(service_world, Verb.WRITE, f"/v1/code/jobs/job-{number}/config/env/KEY", "hunter2")
    assert count("@bob~rw") == few
    assert "and 21 more" in said(service_world, Verb.CREATE, f"{REPO}/shared/@bob~rwx")


def test_repos_beyond_as_many_as_are_named_are_counted(service_world: ServiceWorld) -> None:
    service_world.job()
    names = [f"r{at}" for at in range(13)]
    for name in names:
        service_world.image("alice", name)
        said(service_world, Verb.CREATE, f"/v1/code/repos/{name}/shared/@bob~rw")
    said(service_world, Verb.WRITE, f"{JOB}/config/chains", " -> ".join(names))
    lines = set_env(service_world).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "note: anyone who may push to 3 more repos of the chain can read them, too"
