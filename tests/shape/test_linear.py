"""No regular expression takes more than linear time, whatever text is sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.kit.growth import Growth, growth
from tests.kit.patterns import used_patterns
from tests.kit.pumps import pumps
from tests.kit.sources import sources


def use_of(pattern: re.Pattern[Any], way: str) -> Callable[[str], object]:
    """The use of a pattern, with all that it finds."""
    is_bytes, method = isinstance(pattern.pattern, bytes), getattr(pattern, way)
    empty: str | bytes = b"" if is_bytes else ""

    def use(text: str) -> object:
        sent = text.encode("latin-1", "replace") if is_bytes else text
        if way in ("sub", "subn"):
            return method(empty, sent)
        return sum(1 for _ in method(sent)) if way == "finditer" else method(sent)

    return use


def growth_of(pattern: re.Pattern[Any], way: str) -> Growth | None:
    """The text that makes a use of a pattern slow."""
    return growth(use_of(pattern, way), dict.fromkeys(pumps(pattern)))


def test_no_pattern_takes_more_than_linear_time() -> None:
    patterns = used_patterns()
    assert len(patterns) > 400
    found = [
        f"{place}: {way} of {pattern.pattern!r}: {slow}"
        for pattern, ways in patterns.items()
        for way, place in ways.items()
        if (slow := growth_of(pattern, way)) is not None
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "pattern,way",
    [
        (r"\s*\bband$", "sub"),
        (r"(?m)^\s*RUN\b", "search"),
        (r"\S*\{(?:Env|Request):.*\}", "sub"),
        (r'\s*(?:"([^"]*)"|(\S.*?))\s*[\s:=,;]\s*([^\s:=,;]+)[\s,;]*', "fullmatch"),
        (r"\s*([A-Za-z0-9]+)\s*=\s*>\s*([^,]*?)\s*((?:,.*)?)", "fullmatch"),
        (r"\s*(?:->|<-)(?:\s*(?:->|<-))+\s*", "finditer"),
        (r"[=~—–-]+>+|\|", "finditer"),
        (r"\s*\{(?!/|ref:)([^{}]*)\}\s*$", "search"),
        (r"(?<!\S)[\u200b\u200d]+|[\u200b\u200d]+(?!\S)", "sub"),
        (r"(a|a)+b", "match"),
    ],
)
def test_slow_patterns_are_found(pattern: str, way: str) -> None:
    assert growth_of(re.compile(pattern), way) is not None


def test_one_module_normalises_texts_in_linear_time() -> None:
    found = [
        source.name
        for source in sources("vfs", "chains", "storage", "handlers")
        if "unicodedata.normalize" in source.text
    ]
    assert found == ["vfs/normal_form.py"]
