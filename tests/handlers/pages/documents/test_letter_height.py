"""The guessed height of a mail in its frame: near what a browser makes of it, and never without an end."""

from __future__ import annotations

from random import Random
from time import process_time

import pytest
from playwright.sync_api import Browser

from handlers.pages.letter_height import LARGEST, TALLEST, letter_height
from handlers.render.mails.mail_content import read_mail
from handlers.render.mails.mail_html import mail_html
from tests.handlers.render.mails.mail_samples import sample_content, sample_look, sample_parts

WORDS = [
    "north",
    "counted",
    "curlews",
    "along",
    "a",
    "shore",
    "in",
    "spring",
    "売上高",
    "and",
    "of",
    "them",
    "went",
]
WIDTHS = (1_100, 345)


def blocks(random: Random) -> str:
    """A mail of some blocks of every form that text has."""

    def words(most: int) -> str:
        return " ".join(random.choices(WORDS, k=random.randint(1, most)))

    def table() -> str:
        rows = [f"| {words(2)} | {random.randint(1, 9_999)} |" for _ in range(random.randint(1, 6))]
        return "\n".join(["| What | Tons |", "|---|---:|", *rows])

    made = {
        "text": lambda: words(120),
        "heading": lambda: f"{'#' * random.randint(1, 3)} {words(8)}",
        "list": lambda: "\n".join(f"- {words(20)}" for _ in range(random.randint(1, 5))),
        "numbers": lambda: "\n".join(f"1. {words(20)}" for _ in range(random.randint(1, 5))),
        "table": table,
        "code": lambda: "```\n" + "\n".join(words(5) for _ in range(random.randint(1, 6))) + "\n```",
        "callout": lambda: f"{{{{ callout note, title: {words(3)} }}}}\n{words(30)}\n{{{{ /callout }}}}",
        "said": lambda: f"> {words(40)}",
        "rule": lambda: "---",
        "terms": lambda: f"{words(3)}\n: {words(30)}",
    }
    return "\n\n".join(made[random.choice(list(made))]() for _ in range(random.randint(1, 12)))


def compare(browser: Browser, html: str) -> list[tuple[int, int]]:
    """The heights of a mail at both widths: guessed, and as a browser has it."""
    told = []
    for width in WIDTHS:
        page = browser.new_page(viewport={"width": width, "height": 10})
        page.set_content(html)
        told.append((letter_height(html, width), page.evaluate("document.documentElement.scrollHeight")))
        page.close()
    return told


def test_it_is_near_what_a_browser_makes_of_mails(browser: Browser) -> None:
    mails = [sample_content(), *(read_mail(blocks(Random(seed))) for seed in range(20))]
    for content in mails:
        html = mail_html(content, sample_parts(), sample_look(), inlined=True).html
        for guessed, real in compare(browser, html):
            assert 0.88 * real - 30 < guessed < 1.15 * real + 40, (guessed, real, html)


@pytest.mark.parametrize(
    "html", ["", "<p", "</p></td>", "<td>x</tr></table>", "<div>" * 40_000, "</b>" * 40_000, "<p>x" * 50_000]
)
def test_what_is_no_mail_has_a_height_too_and_takes_no_time(html: str) -> None:
    begun = process_time()
    assert 0 <= letter_height(html, 300) <= TALLEST
    assert process_time() - begun < 5


def test_what_is_too_long_is_not_guessed() -> None:
    assert letter_height("x" * (LARGEST + 1), 600) == 0
    assert letter_height(f'<img width="10" height="40" src="{"x" * LARGEST}">', 600) == 40
