"""Names of attachments are untrusted text, and become safe file names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.files.names import refusal
from handlers.mail.inbound.message_parts import free_name
from tests.kit.file_trees import FAMILY, PERSIAN, file_names


@pytest.mark.parametrize(
    "name", [PERSIAN, FAMILY, "हिन्दी रिपोर्ट.pdf", "Übersicht (1).pdf", "見積書 2026.xlsx"]
)
def test_names_of_all_scripts_stay_as_they_are(name: str) -> None:
    assert free_name(name, 1, set()) == name


@pytest.mark.parametrize(
    "said,name",
    [
        ("", "part-7"),
        ("..", "part-7"),
        ("a/b\\c.txt", "c.txt"),
        ("a\u202eb\u0085c.txt", "a b c.txt"),
        ("$(rm -rf *);`x`|'\".txt", "_(rm -rf _)__x____.txt"),
        ("\udcff.txt", "_.txt"),
    ],
)
def test_names_that_a_folder_or_a_shell_would_interpret_are_changed(said: str, name: str) -> None:
    assert free_name(said, 7, set()) == name


@given(st.lists(st.text(max_size=300) | file_names, min_size=1, max_size=6))
def test_every_name_is_one_by_the_rule_and_like_no_other(said: list[str]) -> None:
    others: set[str] = set()
    names = [free_name(one, number, others) for number, one in enumerate(said, 1)]
    assert [refusal(name) for name in names] == [None] * len(names)
    assert all("/" not in name for name in names)
    assert len({name.casefold() for name in names}) == len(names)
