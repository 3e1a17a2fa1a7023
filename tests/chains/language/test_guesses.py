"""Guesses at marks of a chain are told the mark that does what they mean."""

from __future__ import annotations

import pytest

from chains.language.chain import parse
from chains.language.guesses import FAN_OUT, GUESSES, HELP, HOLD, advice_for
from chains.language.mistake import Mistake


@pytest.mark.parametrize(
    "text, advice",
    [
        ("words [fan_out]", FAN_OUT),
        ("fan_out words", FAN_OUT),
        ("words -> fan_out(top)", FAN_OUT),
        ("words -> top [hold]", HOLD),
        ("words -> hold(top)", HOLD),
        ("help me", HELP),
        ("--help", HELP),
    ],
)
def test_a_refused_guess_is_told_the_mark(text: str, advice: str) -> None:
    with pytest.raises(Mistake) as refused:
        parse(text)
    assert refused.value.detail.endswith(f"; {advice}")


def test_other_mistakes_are_told_nothing_more() -> None:
    with pytest.raises(Mistake) as refused:
        parse("hold -> top -> hold")
    assert refused.value.detail.endswith("remove one of these edges")
    assert advice_for("words [twice]  # hold") is None


@pytest.mark.parametrize("name", sorted(GUESSES))
def test_a_guess_may_be_the_name_of_a_repo(name: str) -> None:
    assert parse(name).steps[0].label == name
