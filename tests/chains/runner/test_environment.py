"""The environment of a step."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from chains.plan.model import ImageSource, PlannedStep
from chains.runner.environment import Environments, environment
from chains.runs.records import Run

COMMIT = "3f9a01cc" * 5
STEP = PlannedStep("cut", 0, ImageSource("acme", "splitter", "v2", "sha256:1", COMMIT), False, (), None)
SPLICED = replace(STEP, name="sub__cut", parent="sub")
JOB, RUN = "/u/anna/j/nightly", "20261121-074416-3f9a01cc"


def test_every_step_knows_its_job_run_and_source():
    assert environment(STEP, JOB, RUN, {}) == {
        "SVC_JOB": JOB,
        "SVC_JOB_RUN": RUN,
        "SVC_SOURCE_REPO": "acme/splitter",
        "SVC_SOURCE_REF": "v2",
        "SVC_SOURCE_COMMIT": COMMIT,
    }


def test_a_commit_that_is_not_recorded_is_absent():
    step = replace(STEP, source=replace(STEP.source, commit=None))
    assert "SVC_SOURCE_COMMIT" not in environment(step, JOB, RUN, {})


def test_a_stored_variable_is_seen_in_both_spellings_and_wins():
    seen = environment(STEP, JOB, RUN, {"region": "north", "SVC_JOB": "mine"})
    assert (seen["region"], seen["REGION"], seen["SVC_JOB"]) == ("north", "north", "mine")


@pytest.mark.parametrize("order", [1, -1])
def test_the_variable_stored_in_upper_case_wins_over_the_other(order):
    stored = dict([("key", "low"), ("KEY", "high")][::order])
    seen = environment(STEP, JOB, RUN, stored)
    assert (seen["key"], seen["KEY"]) == ("low", "high")


def test_a_top_level_step_gets_the_run_credential_and_where_to_use_it():
    seen = environment(STEP, JOB, RUN, {}, "secret", "http://10.88.0.1:8001/v1")
    for names in (("SVC_TOKEN", "SVC_API_ROOT"), ("NOVEM_TOKEN", "NOVEM_API_ROOT")):
        assert [seen[name] for name in names] == ["secret", "http://10.88.0.1:8001/v1"]
    assert "SVC_API_ROOT" not in environment(STEP, JOB, RUN, {}, "secret")
    assert "SVC_API_ROOT" not in environment(STEP, JOB, RUN, {}, None, "http://10.88.0.1:8001/v1")


def test_a_spliced_step_gets_no_credential_and_its_own_job():
    seen = environment(SPLICED, "/u/bea/j/sub", "20261121-074420-aaaaaaaa", {}, "secret", "http://h/v1")
    assert (seen["SVC_JOB"], seen["SVC_JOB_RUN"]) == ("/u/bea/j/sub", "20261121-074420-aaaaaaaa")
    assert not {"SVC_TOKEN", "SVC_API_ROOT", "NOVEM_TOKEN", "NOVEM_API_ROOT"} & set(seen)


@pytest.mark.parametrize("name", ["SVC_TOKEN", "svc_token"])
def test_a_stored_token_wins_over_the_generated_one(name):
    seen = environment(STEP, JOB, RUN, {name: "stored"}, "generated", "http://h/v1")
    assert (seen["SVC_TOKEN"], seen["SVC_API_ROOT"]) == ("stored", "http://h/v1")


def test_what_is_stored_and_the_token_are_secret_and_the_rest_is_public():
    run = cast("Run", SimpleNamespace(origin=JOB, id=RUN))
    env = {"region": "north", "SVC_JOB": "mine"}
    environments = Environments({None: (run, env)}, "secret", "http://h/v1")
    public = {
        "SVC_JOB_RUN",
        "SVC_SOURCE_REPO",
        "SVC_SOURCE_REF",
        "SVC_SOURCE_COMMIT",
        "SVC_API_ROOT",
        "NOVEM_API_ROOT",
    }
    assert environments.public(STEP) == public
    assert set(environments.of(STEP)) - public == {
        *("region", "REGION", "SVC_JOB", "SVC_TOKEN", "NOVEM_TOKEN"),
    }
