"""Queries choose options of renders; what is no value of an option leaves it at its default."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.rules.render_options import FORM_OPTIONS, options_of, query_help

WORDS = st.sampled_from(["m", "mode", "scale", "tbg", "h", "c", "width", "height", "cols", "rows", "x"])


@pytest.mark.parametrize(
    "query, option, value",
    [
        ({}, "mode", "light"),
        ({"m": "d"}, "mode", "dark"),
        ({"mode": "dark"}, "mode", "dark"),
        ({"mode": "sepia"}, "mode", "light"),
        ({"scale": "3"}, "scale", 3),
        ({"scale": "9"}, "scale", 1),
        ({"s": "3"}, "scale", 1),
        ({"h": "f"}, "include_header", False),
        ({"include_caption": "false"}, "include_caption", False),
        ({"tbg": "true"}, "transparent_background", True),
        ({"width": "400"}, "width", 400),
        ({"width": "119"}, "width", 900),
        ({"width": "-400"}, "width", 900),
        ({"width": "٤٠٠"}, "width", 900),
        ({"height": "4000"}, "height", 4000),
        ({"height": "99999999999"}, "height", 0),
    ],
)
def test_a_query_sets_options(query: dict[str, str], option: str, value: object) -> None:
    assert options_of("png", query)[option] == value


@given(st.sampled_from(sorted(FORM_OPTIONS)), st.dictionaries(WORDS, st.text(max_size=8)))
def test_options_are_whole_and_bounded(form: str, query: dict[str, str]) -> None:
    options = options_of(form, query)
    assert options.keys() == FORM_OPTIONS[form].keys()
    for name, option in FORM_OPTIONS[form].items():
        assert type(options[name]) is type(option.default)
        if option.range is not None and options[name] != option.default:
            assert option.range[0] <= int(options[name]) <= option.range[1]


def test_forms_without_options_have_none() -> None:
    assert (options_of("csv", {"m": "d"}), query_help("csv")) == ({}, {})
    assert set(query_help("ansi")) == {"cols", "rows", "m"}
