"""The reason of a failure is found in a log, with the last lines of the part that failed alone."""

from __future__ import annotations

from handlers.rules.run_failures import LAST_LINES, LONGEST_LINE, RunFailure, failure_of


def test_the_reason_is_the_last_error_and_its_parts_own_lines() -> None:
    log = [
        ("info", "Chain: a"),
        ("info", "a: @ann/words:latest"),
        ("warning", "a[1]: mine"),
        ("info", "a[0]: not mine"),
        ("warning", "a[1]: KeyError: 'rows'"),
        ("error", "a[1]: birds.csv: ended with exit code 1 after 0.18 s"),
        ("info", "a[1]: later"),
    ]
    assert failure_of(log) == RunFailure(log[5][1], ("mine", "KeyError: 'rows'"))


def test_lines_that_the_runner_repeated_are_taken_once() -> None:
    log = [
        ("info", "a: early"),
        ("warning", "a: late"),
        ("info", "a: what it printed last:"),
        ("info", "a:   early"),
        ("info", "a:   late"),
        ("error", "a: ended with exit code 1"),
    ]
    assert failure_of(log).printed == ("early", "late")


def test_the_plan_at_the_head_of_a_log_was_printed_by_no_part() -> None:
    step, error = ("info", "b: @ann/top:latest (commit 1f)"), ("error", "b: ended with exit code 1")
    plan = [("info", "Chain: a -> b"), ("info", "a: @ann/words:latest"), step]
    assert failure_of([*plan, error]) == RunFailure(error[1])
    assert failure_of([*plan, step, error]).printed == ("@ann/top:latest (commit 1f)",)


def test_lines_are_few_and_short() -> None:
    log = [("info", f"a: {number} " + "x" * 2 * LONGEST_LINE) for number in range(50)]
    found = failure_of([*log, ("error", "a: ended with exit code 1")])
    assert len(found.printed) == LAST_LINES
    assert {len(line) for line in found.printed} == {LONGEST_LINE}
    assert found.printed[-1].startswith("49 ")


def test_without_an_error_the_last_line_is_the_reason() -> None:
    assert failure_of([("info", "The run waits.")]) == RunFailure("The run waits.")
    assert failure_of([]) == RunFailure("its log is empty")


def test_a_sentence_of_the_runner_names_no_part() -> None:
    assert failure_of([("info", "a: b"), ("error", "Podman broke off")]) == RunFailure("Podman broke off")


def test_a_failure_tells_of_the_step_that_its_reason_begins_with() -> None:
    assert [step for step in ("a", "ab", "b") if RunFailure("ab[1]: x: was lost").tells_of(step)] == ["ab"]
    assert RunFailure("a: was lost").tells_of("a")
    assert not RunFailure("The runner itself failed here").tells_of("The runner")
