"""Commands in shell form get the shell of their recipe."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.builds.recipe_words import spell_out_shells

SHELL = 'SHELL ["/bin/bash", "-c"]'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"FROM x\n{SHELL}\nCMD echo  $A\n", 'FROM x\n%s\nCMD ["/bin/bash", "-c", "echo  $A"]\n'),
        (f"FROM x\n{SHELL}\nCMD a \\\n# b\n  c\n", 'FROM x\n%s\nCMD ["/bin/bash", "-c", "a   c"]\n'),
        (f"FROM x AS y\n{SHELL}\nFROM Y\ncmd a", 'FROM x AS y\n%s\nFROM Y\nCMD ["/bin/bash", "-c", "a"]'),
    ],
)
def test_it_is_written_as_a_list(before: str, after: str) -> None:
    assert spell_out_shells(before) == after.replace("%s", SHELL)


@pytest.mark.parametrize(
    "text",
    [
        "FROM x\nCMD a b\n",
        f'FROM x\n{SHELL}\nCMD ["a"]\n',
        f"FROM x\n{SHELL}\nRUN a\n",
        f"FROM x AS y\n{SHELL}\nFROM z\nCMD a",
    ],
)
def test_other_recipes_stay_as_they_are(text: str) -> None:
    assert spell_out_shells(text) == text


@given(
    st.text(
        st.characters(codec="utf-8", exclude_characters="\n\r\\", exclude_categories=["Z", "C"]), min_size=1
    )
)
def test_every_command_is_kept_to_the_letter(command: str) -> None:
    if command.startswith("["):
        return
    *_, last = spell_out_shells(f"FROM x\n{SHELL}\nCMD {command}").split("\n")
    assert json.loads(last.removeprefix("CMD ")) == ["/bin/bash", "-c", command]
