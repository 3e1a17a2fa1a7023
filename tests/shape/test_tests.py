"""Tests use the fakes that ship, and none of them is put aside."""

import ast
import re

import pytest

from tests.shape.sources import Source, sources

# Spelled in pieces, or this file would find itself.
FORBIDDEN = re.compile(
    "|".join([r"unittest\." + "mock", "monkeypatch" + r"\.setattr", r"mark\." + "skip", r"pytest\." + "skip",
              "importor" + "skip", r"mark\." + "xfail", r"pytest\." + "xfail", r"unittest\." + "skip"])
)  # fmt: skip


@pytest.mark.parametrize("source", sources("tests", "vfs/testing", "chains"), ids=str)
def test_nothing_is_mocked_or_skipped(source: Source) -> None:
    assert FORBIDDEN.findall(source.text) == []


@pytest.mark.parametrize(
    "source", [source for source in sources("tests") if "/test_" in source.name], ids=str
)
def test_a_test_module_tests_something(source: Source) -> None:
    classes = [node.name for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]
    functions = [name for name, _ in source.functions()]
    assert any(name.startswith(("test_", "Test")) for name in functions + classes)
