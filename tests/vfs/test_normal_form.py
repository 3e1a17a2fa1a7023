"""Normal forms are those of unicodedata, and take time that is linear in the text."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.growth import growth
from tests.kit.pumps import Pump
from vfs.normal_form import SHORT, normalize

MARKS = "\u0301\u0316\u0344\u0f73\u0f75\u0f81\u05b0\u3099\u0345\u1100\u1161\u11a8"
SIGNS = st.text(st.sampled_from(MARKS + "aeﬁẛ한ç½ \u212b\u1e9b") | st.characters(exclude_categories=("Cs",)))
FORMS = ("NFC", "NFD", "NFKD")


@given(SIGNS, st.sampled_from(FORMS), st.integers(0, SHORT))
def test_a_normal_form_is_that_of_unicodedata(
    text: str, form: Literal["NFC", "NFD", "NFKD"], before: int
) -> None:
    long = f"{'é' * before}{text * 9}{'x' * SHORT}{text}"
    assert normalize(form, long) == unicodedata.normalize(form, long)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0f73", "\u0344\u0316", "\u05b0\u0301\u3099"])
def test_many_marks_take_linear_time(form: Literal["NFC", "NFD", "NFKD"], marks: str) -> None:
    assert growth(lambda text: normalize(form, text), [Pump("a", marks, "")]) is None
