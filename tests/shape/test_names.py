"""Modules are named for what they hold, and each says so in a sentence."""

import ast
import re
from pathlib import Path

import pytest

from tests.kit.sources import PACKAGES, Source, sources

VAGUE = {"util", "utils", "helper", "helpers", "common", "base", "manager", "misc", "tools", "core", "lib"}
SECOND_SENTENCE = re.compile(r"\.\s+[A-Z]")
BANNER = re.compile(r"^\s*#\s*[-=#*_~]{4,}", re.MULTILINE)


@pytest.mark.parametrize("source", sources(*PACKAGES, "tests"), ids=str)
def test_a_module_has_a_telling_name(source: Source) -> None:
    assert not VAGUE & set(Path(source.name).with_suffix("").parts)


@pytest.mark.parametrize("source", sources(*PACKAGES), ids=str)
def test_a_class_has_a_telling_name(source: Source) -> None:
    classes = [node.name for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]
    assert [name for name in classes if re.search(r"^Abstract|^Base|Manager$|Helper", name)] == []


@pytest.mark.parametrize("source", sources(*PACKAGES, "tests"), ids=str)
def test_a_module_says_in_one_sentence_what_lives_there(source: Source) -> None:
    first = (ast.get_docstring(source.tree) or "").partition("\n\n")[0].strip()
    assert first.endswith((".", ":"))
    assert not SECOND_SENTENCE.search(first)


@pytest.mark.parametrize("source", sources(*PACKAGES, "tests"), ids=str)
def test_a_file_has_no_banners(source: Source) -> None:
    assert BANNER.findall(source.text) == []
