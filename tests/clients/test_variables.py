"""Values read as the published client shows them beside comments."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some
from novem.cli.gql import _format_var_value

from handlers.words.variables import format_value

VALUES = some.one_of(some.floats(-1e12, 1e12).map(str), some.sampled_from(["", "soon", "7", "-0.5", "1e3"]))
MARKS = some.lists(some.sampled_from(["+", ",", ".0", ".1", ".3", "%", "f", "x"]), max_size=4).map("".join)
FORMATS = some.one_of(MARKS, some.sampled_from(["st", "$2m", "€0m", "£1m", "%d %b", "$2", "2m"]))


@given(VALUES, FORMATS, some.sampled_from(["number", "relative", "text"]))
def test_a_value_reads_as_in_the_published_client(value: str, format: str, kind: str) -> None:
    assert format_value(value, kind, format) == _format_var_value(value, format, kind, None)
