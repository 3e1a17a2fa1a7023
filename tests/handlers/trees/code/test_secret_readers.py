"""Who can read a job's secrets by pushing code is told to who sets them, and to who lets others push."""

from __future__ import annotations

from tests.handlers.household import Household
from tests.kit.counting.statements import Statements
from vfs.access import Verb

JOB = "/v1/code/jobs/nightly"
REPO = "/v1/code/repos/count"
READ_BY_CODE = "note: who may push to @alice/count can read config/env and the spaces by code: {}\n"


def said(household: Household, verb: Verb, path: str, text: str | None = None) -> str:
    value = household.call("alice", verb, path, text).value
    return value if isinstance(value, str) else ""


def set_env(household: Household) -> str:
    return said(household, Verb.WRITE, f"{JOB}/config/env/KEY", "hunter2")


def test_who_sets_a_secret_is_told_who_may_push(household: Household) -> None:
    household.job()
    assert "note:" not in set_env(household)
    for target in ("@bob~x", "@carol~rw"):
        said(household, Verb.CREATE, f"{REPO}/shared/{target}")
    assert set_env(household) == READ_BY_CODE.format("@carol")
    household.call("alice", Verb.CREATE, "/v1/code/spaces/vault")
    told = said(household, Verb.WRITE, f"{JOB}/config/spaces", "v => /u/alice/s/vault")
    assert told == READ_BY_CODE.format("@carol")


def test_who_sets_a_short_secret_is_told_that_logs_show_it(household: Household) -> None:
    household.job()
    told = "note: logs do not mask values or lines of fewer than 6 characters\n"
    for value, warned in (
        ("12345", True),
        ("123456", False),
        ("a line of it\nshort", True),
        ("k=v==1\n", False),
    ):
        said_now = said(household, Verb.WRITE, f"{JOB}/config/env/KEY", value)
        assert (told in said_now) is warned


def test_who_lets_push_is_told_of_jobs_with_secrets(household: Household) -> None:
    household.job()
    assert "note:" not in said(household, Verb.CREATE, f"{REPO}/shared/@bob~rw")
    set_env(household)
    told = said(household, Verb.CREATE, f"{REPO}/shared/@carol~rw")
    assert told.endswith("can read, by code, config/env and the spaces of /u/alice/j/nightly\n")
    assert "note:" not in said(household, Verb.CREATE, f"{REPO}/shared/@carol~rx")
    household.image("alice", "other")
    assert "note:" not in said(household, Verb.CREATE, "/v1/code/repos/other/shared/@bob~rw")


def test_a_chain_that_leads_a_job_with_secrets_to_others_is_told(household: Household) -> None:
    household.job()
    household.image("bob", "tool")
    found = household.world.items.find("repo", "bob", "tool", "bob")
    assert found is not None
    said(household, Verb.CREATE, f"{REPO}/shared/@bob~rw")
    assert "note:" not in said(household, Verb.WRITE, f"{JOB}/config/chains", "count")
    set_env(household)
    assert READ_BY_CODE.format("@bob") in said(household, Verb.WRITE, f"{JOB}/config/chains", "count")
    told = said(household, Verb.WRITE, f"{JOB}/config/chains", "t <- @bob/tool\ncount -> t")
    assert "note: who may push to @bob/tool can read config/env and the spaces by code\n" in told


def test_many_jobs_cost_as_many_statements_as_few(household: Household, statements: Statements) -> None:
    def count(target: str) -> int:
        return statements(lambda: said(household, Verb.CREATE, f"{REPO}/shared/{target}"))

    household.job()
    set_env(household)
    count("@bob~rw")
    few = count("@bob~rwx")
    for number in range(30):
        household.job(f"job-{number}")
        said(household, Verb.WRITE, f"/v1/code/jobs/job-{number}/config/env/KEY", "hunter2")
    assert count("@bob~rw") == few
    assert "and 21 more" in said(household, Verb.CREATE, f"{REPO}/shared/@bob~rwx")


def test_repos_beyond_as_many_as_are_named_are_counted(household: Household) -> None:
    household.job()
    names = [f"r{at}" for at in range(13)]
    for name in names:
        household.image("alice", name)
        said(household, Verb.CREATE, f"/v1/code/repos/{name}/shared/@bob~rw")
    said(household, Verb.WRITE, f"{JOB}/config/chains", " -> ".join(names))
    told = set_env(household).splitlines()
    assert len(told) == 11
    assert told[-1] == "note: who may push to 3 more repos of the chain can read them, too"
