"""`curlew docs`: the manual in a terminal."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from handlers.__main__ import main
from handlers.reference.manual import ABOUT


def docs(*names: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["docs", *names])
    return done.exit_code, done.output


def test_without_a_name_it_lists_the_chapters() -> None:
    code, said = docs()
    assert code == 0
    assert [line.split()[0] for line in said.splitlines()] == ["name", *ABOUT]


@pytest.mark.parametrize("name", ABOUT)
def test_it_prints_a_chapter(name: str) -> None:
    code, said = docs(name)
    assert code == 0
    assert said.startswith("path " if name == "api" else "# ")
    assert re.search("<!-- (begin|end) ", said) is None


def test_an_unknown_chapter_is_refused_with_the_names_of_all() -> None:
    code, said = docs("nothing")
    assert code == 2
    assert all(name in said for name in ABOUT)
