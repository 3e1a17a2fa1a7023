"""A runner takes runs from order to end: what they read and leave, how they fail, what their logs tell."""

from __future__ import annotations

import io
import os
import re
import time
import zipfile
from dataclasses import replace

import pytest

from chains.plan.model import ImageSource
from chains.runs.records import Order, Run
from chains.runs.states import Event, Status
from tests.kit.runner import NEVER, TOKEN, RunnerSetupOf
from tests.kit.suites.chains import chain
from vfs.errors import Invalid

DIAMOND = chain("a", "b", "c", "d", edges=[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])


def test_each_step_reads_what_the_one_before_it_wrote(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"COPY": "after a"}, b={"COPY": "after b"}, c={"COPY": "after c"})
    run = runner_setup.run(chain("a", "b", "c"), {"birds.txt": "curlew\n"})
    assert run.status is Status.SUCCESS
    assert runner_setup.output(run) == b"curlew\nafter a\nafter b\nafter c\n"
    assert (run.output_name, run.output and run.output.media) == ("birds.txt", "text/plain")
    assert runner_setup.steps(run) == {"a": "success", "b": "success", "c": "success"}
    assert runner_setup.revoked == [run.key]
    assert runner_setup.leftovers() == []


def test_the_log_names_the_chain_its_images_what_steps_printed_and_how_they_ended(
    runner_setup_of: RunnerSetupOf,
) -> None:
    runner_setup = runner_setup_of(a={"ECHO": "hello\nthere"}, b={"STDERR": "oops", "EXIT": "3"})
    run = runner_setup.run(chain("a", "b"))
    assert run.status is Status.FAILED
    plain = [
        re.sub(r"[0-9.]+ s", "T s", re.sub(r"by hand: .*", "by hand: podman …", line))
        for line in runner_setup.log(run)
    ]
    assert plain == [
        "Chain: a -> b",
        "a: @alice/a:latest (commit c0ffee)",
        "b: @alice/b:latest (commit c0ffee)",
        "a: hello",
        "a: there",
        "a: ended with exit code 0 after T s",
        "b: oops",
        "b: to run it by hand: podman …",
        "b: ended with exit code 3 after T s; it printed last: oops",
    ]
    assert {line.message: line.severity for line in runner_setup.run_store.reader.lines(run.key)}[
        "b: oops"
    ] == "warning"


def test_stamps_tell_when_a_step_and_a_run_started_and_ended(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"SLEEP": "0.05"}, b={})
    run = runner_setup.run(chain("a", "b"))
    a, b = runner_setup.run_store.reader.steps(run.key)
    moments = [run.created_on, run.started_on, a.started_on, a.completed_on, b.started_on, b.completed_on]
    moments.append(run.completed_on)
    assert all(moments)
    assert moments == sorted(moments, key=str)
    assert a.started_on != a.completed_on


def test_a_step_with_several_predecessors_reads_each_ones_files_in_a_folder(
    runner_setup_of: RunnerSetupOf,
) -> None:
    runner_setup = runner_setup_of(a={"WRITE": "x=1"}, b={"COPY": "b"}, c={"COPY": "c"}, d={"COPY": ""})
    run = runner_setup.run(DIAMOND)
    assert run.status is Status.SUCCESS
    with zipfile.ZipFile(io.BytesIO(runner_setup.output(run) or b"")) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {"b/x": b"1b\n", "c/x": b"1c\n"}
    assert (run.output_name, run.output and run.output.media) == (f"{run.id}.zip", "application/zip")


def test_several_last_steps_have_a_folder_each_in_the_result(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"WRITE": "x=1"}, b={"WRITE": "x=2;deep/y=3"})
    run = runner_setup.run(chain("a", "b", edges=()))
    with zipfile.ZipFile(io.BytesIO(runner_setup.output(run) or b"")) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "a/x": b"1", "b/deep/y": b"3", "b/x": b"2",
        }  # fmt: skip


def test_branches_run_at_the_same_time(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={}, b={"SLEEP": "0.3"}, c={"SLEEP": "0.3"}, d={})
    run = runner_setup.run(DIAMOND)
    rows = {row.name: row for row in runner_setup.run_store.reader.steps(run.key)}
    assert str(rows["b"].started_on) < str(rows["c"].completed_on)
    assert str(rows["c"].started_on) < str(rows["b"].completed_on)


def test_a_run_that_leaves_nothing_has_no_output(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={})
    run = runner_setup.run(chain("a"))
    assert (run.status, run.output, run.output_name) == (Status.SUCCESS, None, None)


def test_a_failing_step_ends_the_run_and_stops_its_other_branches(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={}, b={"SLEEP": "20"}, c={"SLEEP": "0.1", "EXIT": "1"}, d={})
    started = time.monotonic()
    run = runner_setup.run(DIAMOND)
    assert run.status is Status.FAILED
    assert runner_setup.steps(run) == {"a": "success", "b": "canceled", "c": "failed", "d": "canceled"}
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    "script,limits,said",
    [
        ({"OOM": "1"}, {"memory": 1 << 30}, "more than 1 GiB of memory"),
        ({"SLEEP": "9"}, {"seconds": 0.1}, "longer than 0.1 s"),
        ({"WRITE": "x=12345"}, {"output": 4}, "more than 4 bytes to /output"),
        ({"ECHO": "12345"}, {"log": 4}, "printed more than 4 bytes"),
        ({"PREPARE": "no engine today"}, {}, "could not be started: no engine today"),
    ],
)
def test_the_log_says_which_limit_ended_a_step(
    runner_setup_of: RunnerSetupOf, script: dict[str, str], limits: dict[str, float], said: str
) -> None:
    runner_setup = runner_setup_of(a=script)
    runner_setup.limit(**limits)
    run = runner_setup.run(chain("a", "b"))
    assert run.status is Status.FAILED
    assert said in runner_setup.log(run)[-1]
    assert runner_setup.steps(run) == {"a": "failed", "b": "canceled"}


def test_an_output_of_too_many_bytes_in_all_fails_the_step(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"WRITE": "x=123;y=456"})
    runner_setup.limit(output=5)
    assert "bytes to /output" in runner_setup.log(runner_setup.run(chain("a")))[-1]


def test_links_are_dropped_before_anybody_reads_them(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"WRITE": "x=1", "LINK": "passwd"}, b={"COPY": ""})
    run = runner_setup.run(chain("a", "b"))
    assert runner_setup.output(run) == b"1"
    assert "a: dropped passwd from /output: it is a link" in runner_setup.log(run)


def test_steps_get_the_jobs_variables_and_the_runs_and_no_secret_is_logged(
    runner_setup_of: RunnerSetupOf,
) -> None:
    runner_setup = runner_setup_of(
        a={"PRINTENV": "SVC_JOB SVC_JOB_RUN SVC_SOURCE_REPO PASSWORD SHORT SVC_TOKEN"}
    )
    runner_setup.env = {"PASSWORD": "correct horse", "SHORT": "abc"}
    runner_setup.token = TOKEN
    run = runner_setup.run(chain("a"))
    assert runner_setup.log(run)[2:-1] == [
        "a: SVC_JOB=/u/alice/j/nightly", f"a: SVC_JOB_RUN={run.id}", "a: SVC_SOURCE_REPO=alice/a",
        "a: PASSWORD=***", "a: SHORT=abc", "a: SVC_TOKEN=***",
    ]  # fmt: skip


def test_an_environment_that_cannot_be_made_fails_the_run(runner_setup_of: RunnerSetupOf) -> None:
    def secrets(run: Run) -> dict[str, str]:
        raise Invalid("The key that sealed it is lost.")

    runner_setup = runner_setup_of(a={})
    runner_setup.secrets = secrets
    run = runner_setup.run(chain("a"))
    assert (run.status, runner_setup.log(run)[-1]) == (
        Status.FAILED, "The run's environment cannot be made: The key that sealed it is lost.",
    )  # fmt: skip


def test_a_missing_image_fails_the_run_and_says_what_to_do(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of()
    plan = chain("a")
    step = replace(plan.steps[0], source=ImageSource("alice", "a", "dev", None, None, 1))
    run = runner_setup.run(replace(plan, steps=(step,)))
    assert run.status is Status.FAILED
    assert runner_setup.log(run)[0] == "Chain: a"
    assert runner_setup.log(run)[-1].startswith("There is no image @alice/a:dev (step a) yet: git push")


def test_a_missing_repo_fails_the_run_with_another_message_than_a_missing_image(
    runner_setup_of: RunnerSetupOf,
) -> None:
    runner_setup = runner_setup_of()
    plan = chain("a")
    step = replace(plan.steps[0], source=ImageSource("alice", "a", "dev", None, None))
    run = runner_setup.run(replace(plan, steps=(step,)))
    assert runner_setup.log(run)[-1].startswith("There is no repo for @alice/a:dev (step a): make it first")


def test_an_image_that_the_engine_lost_fails_the_run(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of()
    run = runner_setup.run(chain("a"))
    assert run.status is Status.FAILED
    assert "the image @alice/a:latest of step a no longer exists" in runner_setup.log(run)[-1]
    assert "curlew repo rebuild @alice/a" in runner_setup.log(run)[-1]


def test_a_run_without_a_plan_fails(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of()
    run = runner_setup.run(None)
    assert run.status is Status.FAILED
    assert "no plan" in runner_setup.log(run)[-1]


def test_more_runs_than_slots_all_end(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"SLEEP": "0.02"}, b={})
    with runner_setup.working():
        runs = [runner_setup.order(chain("a", "b")) for _ in range(20)]
        assert {runner_setup.end(run).status for run in runs} == {Status.SUCCESS}
    assert runner_setup.leftovers() == []


def test_a_runner_keeps_no_file_open_of_the_runs_that_ended(runner_setup_of: RunnerSetupOf) -> None:
    """A pool has a limited number of connections: the first runs open those that later ones use again."""
    runner_setup = runner_setup_of(a={"COPY": "x"})
    counts = []
    with runner_setup.working():
        for _ in range(3):
            runs = [runner_setup.order(chain("a"), {"a.txt": "a"}) for _ in range(30)]
            assert {runner_setup.end(run).status for run in runs} == {Status.SUCCESS}
            runner_setup.emptied()
            counts.append(len(os.listdir("/proc/self/fd")))
    # Three descriptors for each connection: file, write-ahead log and index; a thread may take one more.
    assert counts[2] - counts[0] < 30, counts


def test_lines_are_in_the_book_while_the_step_runs(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"ECHO": "soon", "SLEEP": "20"})
    with runner_setup.working():
        run = runner_setup.order(chain("a"))
        after, lines = 0, list[str]()
        while "a: soon" not in lines:
            new = runner_setup.run_store.waits.follow(run.key, after, NEVER).lines
            assert new
            lines += [line.message for line in new]
            after = new[-1].seq
        runner_setup.cancel(run)
        assert runner_setup.end(run).status is Status.CANCELED


def test_a_log_that_is_too_long_is_cut_off_and_says_so(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"ECHO": "\n".join(["x" * 50] * 100)})
    runner_setup.settings = replace(
        runner_setup.settings, policy=replace(runner_setup.settings.policy, log=1000)
    )
    run = runner_setup.run(chain("a"))
    log = runner_setup.log(run)
    assert sum(line.startswith("a: xx") for line in log) < 20
    assert sum("log truncated" in line for line in log) == 1
    assert "a: ended with exit code 0" in log[-1]


def test_builds_are_made_beside_runs(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of()
    runner_setup.settings = replace(runner_setup.settings, recheck=0.05)
    with runner_setup.working():
        build = runner_setup.builds.queue(1, ["main"], "refs/heads/main", "c1", "bob")
        list(runner_setup.builds.follow(build, NEVER))
    assert [made.id for made in runner_setup.built] == [build]


def test_a_build_that_breaks_its_maker_fails(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of()
    runner_setup.images = {}

    def broken(build: object) -> None:
        raise ValueError("a mistake of ours")

    runner_setup.make = broken  # type: ignore[method-assign, assignment]
    build = runner_setup.builds.queue(1, ["main"], "refs/heads/main", "c1", "bob")
    with runner_setup.working():
        said = list(runner_setup.builds.follow(build, NEVER))
    assert "failed" in str(said[-1])


def test_a_stopping_runner_lets_runs_end(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"SLEEP": "0.4"})
    with runner_setup.working():
        run = runner_setup.order(chain("a"))
        runner_setup.running(run, "a")
        waiting = runner_setup.order(chain("a"))
    assert runner_setup.end(run).status is Status.SUCCESS
    assert waiting.status is Status.PROCESSING


def test_a_stopping_runner_ends_long_runs_as_interrupted(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"SLEEP": "20"}, b={})
    runner_setup.settings = replace(runner_setup.settings, drain=0.1)
    with runner_setup.working():
        run = runner_setup.order(chain("a", "b"))
        runner_setup.running(run, "a")
    assert runner_setup.end(run).status is Status.FAILED
    assert "interrupted" in runner_setup.log(run)[-1]
    assert runner_setup.steps(run) == {"a": "canceled", "b": "canceled"}
    assert runner_setup.leftovers() == []


def test_a_run_that_another_runner_ended_is_dropped(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"ECHO": "x", "SLEEP": "0.2"}, b={"SLEEP": "20"})
    with runner_setup.working():
        run = runner_setup.order(chain("a", "b"))
        runner_setup.running(run, "a")
        runner_setup.run_store.states.event(run.key, Event.LOSE)
    assert runner_setup.end(run).status is Status.FAILED
    assert runner_setup.steps(run) == {"a": "canceled", "b": "canceled"}


def test_an_input_that_is_gone_is_no_empty_one(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"COPY": ""})
    order = Order(1, "20261121-074416-ffffffff", "api", "curl", "bob", chain("a"), "in-gone")
    with runner_setup.working():
        run = runner_setup.end(runner_setup.run_store.queue.submit(order))
    assert (run.status, run.output) == (Status.FAILED, None)
