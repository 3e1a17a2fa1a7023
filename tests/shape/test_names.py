"""Modules and packages are named for what they hold, and each says so in a sentence."""

import ast
import re
from pathlib import Path

from tests.kit.sources import PACKAGES, offenders, sources

VAGUE = {"util", "utils", "helper", "helpers", "common", "base", "manager", "misc", "tools", "core", "lib"}
SECOND_SENTENCE = re.compile(r"\.\s+[A-Z]")
BANNER = re.compile(r"^\s*#\s*[-=#*_~]{4,}", re.MULTILINE)
ALL = sources(*PACKAGES, "tests")


def test_a_module_has_a_telling_name() -> None:
    assert not offenders({source.name: VAGUE & {*Path(source.name).with_suffix("").parts} for source in ALL})


def test_a_class_has_a_telling_name() -> None:
    vague = re.compile(r"^Abstract|^Base|Manager$|Helper")
    found = {
        source.name: [name for name in source.classes() if vague.search(name)]
        for source in sources(*PACKAGES)
    }
    assert not offenders(found)


def test_a_module_says_in_one_sentence_what_lives_there() -> None:
    def lacks(docstring: str) -> bool:
        first = docstring.partition("\n\n")[0].strip()
        return not first.endswith((".", ":")) or bool(SECOND_SENTENCE.search(first))

    said = {source.name: ast.get_docstring(source.tree) or "" for source in ALL}
    assert not offenders(
        {name: lacks(docstring) and (docstring or "nothing") for name, docstring in said.items()}
    )


def test_every_package_of_the_house_says_who_lives_there() -> None:
    folders = {Path(source.name).parent for source in sources(*PACKAGES)}
    named = {
        Path(source.name).parent for source in sources(*PACKAGES) if source.name.endswith("/__init__.py")
    }
    assert folders == named


def test_a_file_has_no_banners() -> None:
    assert not offenders({source.name: BANNER.findall(source.text) for source in ALL})
