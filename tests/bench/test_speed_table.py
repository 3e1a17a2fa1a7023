"""A run of some rows renews these in the chapter on speed, and leaves the others."""

from __future__ import annotations

from tests.bench.figures import Figure
from tests.bench.speed_table import renew_table

HERE, ELSEWHERE = "a machine, 2 cores", "another, 64 cores"
ORDER = ("a", "b", "r1")
FIRST = renew_table(
    "",
    HERE,
    "2026-01-01",
    [
        Figure("b", "of b", 2),
        Figure("a", "of a", 1, bound=3),
        Figure("r1", "at 1", 4),
        Figure("r1", "at 8", 5),
    ],
    ORDER,
)


def days(table: str) -> list[tuple[str, str, str]]:
    """Row, figure and day of each line."""
    lines = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    return [(cells[0].removeprefix("| "), cells[2], cells[-1].removesuffix(" |")) for cells in lines]


def test_rows_are_in_the_order_of_the_bench_below_the_machine() -> None:
    assert FIRST.startswith(f"{HERE}.\n\n| row | what |")
    assert days(FIRST) == [
        ("a", "1 ms", "2026-01-01"),
        ("b", "2 ms", "2026-01-01"),
        ("r1", "4 ms", "2026-01-01"),
        ("r1", "5 ms", "2026-01-01"),
    ]


def test_rows_that_were_measured_take_the_place_of_all_of_theirs() -> None:
    table = renew_table(FIRST, HERE, "2026-02-02", [Figure("r1", "at 64", 6)], ORDER)
    assert days(table) == [*days(FIRST)[:2], ("r1", "6 ms", "2026-02-02")]
    assert renew_table(table, HERE, "2026-03-03", [], ORDER) == table


def test_rows_of_another_machine_and_rows_that_are_gone_do_not_stay() -> None:
    assert days(renew_table(FIRST, ELSEWHERE, "2026-02-02", [Figure("b", "of b", 1)], ORDER)) == [
        ("b", "1 ms", "2026-02-02")
    ]
    assert [row for row, _, _ in days(renew_table(FIRST, HERE, "2026-02-02", [], ("b", "r1")))] == [
        "b",
        "r1",
        "r1",
    ]
