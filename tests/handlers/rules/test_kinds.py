"""Letters in words, for each kind."""

from __future__ import annotations

import pytest

from handlers.rules.kinds import in_words, offered_rights
from handlers.trees import KINDS


@pytest.mark.parametrize(
    "kind, letters, said",
    [
        ("plot", "x", "see the picture"),
        ("plot", "wr", "edit"),
        ("plot", "rwd", "edit and delete"),
        ("job", "xr", "run and read"),
        ("job", "rwdx", "run, read, edit and delete"),
        ("repo", "rwdx", "push, use and delete"),
        ("space", "x", "use"),
        ("plot", "rd", "read and delete"),
        ("plot", "rwx", "read, write and use"),
        ("plot", "", "nothing"),
    ],
)
def test_letters_in_words(kind: str, letters: str, said: str) -> None:
    assert in_words(KINDS[kind], letters) == said


@pytest.mark.parametrize("kind", KINDS)
def test_rights_that_are_offered_have_words(kind: str) -> None:
    offered = dict(offered_rights(KINDS[kind]))
    assert offered and all(in_words(KINDS[kind], letters) == words for letters, words in offered.items())
    assert all(len(words) > 2 for words in offered.values())
