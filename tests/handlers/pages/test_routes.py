"""Parts of the pages: each word that stands for a sentence stands for one alone."""

from __future__ import annotations

from collections import Counter

from handlers.pages.result import DONE
from handlers.pages.routes import PARTS


def test_no_word_stands_for_two_sentences() -> None:
    words = Counter([*DONE]) + Counter(word for part in PARTS for word in part.done)
    assert [word for word, times in words.items() if times > 1] == []
