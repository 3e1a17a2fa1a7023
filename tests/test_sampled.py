"""What of the suite runs on which day: every test has its day."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.sampled import cases_of, part
from tests.shares import DAYS, DURATIONS, Took, days_of, durations, is_sampled, parts_of, running, turn

seconds = st.floats(0, 400)
files = st.sampled_from(sorted(durations(DURATIONS)))
tables = st.dictionaries(files, st.builds(Took, seconds, seconds))


@given(st.lists(st.text(), unique=True), st.integers(1, 9))
def test_all_parts_together_are_everything_once(names: list[str], parts: int) -> None:
    tried = [list(part(names, day, parts)) for day in range(min(parts, len(names)))]
    assert sorted(name for each in tried for name in each) == sorted(names)
    assert all(len(names) // parts <= len(each) <= len(names) // parts + 1 for each in tried)
    assert list(part(names, 0, parts)) or not names


@given(st.lists(st.text(), unique=True, max_size=9), st.integers(3, 9), st.integers(0, 1 << 32))
def test_tests_too_few_for_each_day_run_on_as_many_as_they_are(
    names: list[str], parts: int, first: int
) -> None:
    tried = [list(part(names, first + day, parts, parts)) for day in range(parts)]
    assert sorted(name for each in tried for name in each) == sorted(names)
    assert sum(map(bool, tried)) == min(len(names), parts)


@given(tables, st.integers(0, 1 << 20))
def test_each_file_runs_on_one_day_of_so_many(took: dict[str, Took], first: int) -> None:
    days = [running(took, first + day) for day in range(DAYS)]
    for file, each in took.items():
        runs = sum(file in day for day in days)
        assert runs == (DAYS // days_of(file) if is_sampled(file, each) else DAYS)


@given(st.builds(Took, seconds, seconds), st.integers(0, 1 << 20), files)
def test_all_turns_of_a_dear_file_are_its_parts(took: Took, first: int, file: str) -> None:
    turns = [turn(file, first + day) for day in range(parts_of(file, took) * days_of(file))]
    assert {often % parts_of(file, took) for often, runs in turns if runs} == {*range(parts_of(file, took))}


def test_twelve_days_try_every_case_of_a_table_in_its_order() -> None:
    cases = [(who, f"/v1/{place}") for place in range(30) for who in ("alice", None)]
    days = [cases_of(cases, number) for number in range(12)]
    assert sorted(repr(case) for day in days for case in day) == sorted(map(repr, cases))
    assert all(day == [case for case in cases if case in day] for day in days)
