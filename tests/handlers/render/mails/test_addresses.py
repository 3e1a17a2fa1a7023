"""Long addresses in mails: whole in the text, broken in the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.mails.mail_html import mail_html, mail_text, read_mail
from handlers.render.mails.mail_medium import MailLook
from handlers.words.document_parts import DocumentParts

FRAMES = ("See {} now", "# {}", "- {}\n- x", "| a | b |\n|---|---|\n| {} | 1 |", "> {}", "x[^1]\n\n[^1]: {}",
          "`{}`", "<{}>", "[words]({})", "T\n: {}", "{{{{ callout }}}}\n{}\n{{{{ /callout }}}}",
          "<details>\n<summary>s</summary>\n\n{}\n</details>")  # fmt: skip


@given(st.lists(st.sampled_from(FRAMES), min_size=1, max_size=3), st.integers(1, 300), st.integers(30, 100))
def test_no_address_is_cut_in_the_text_of_a_mail(frames: list[str], size: int, columns: int) -> None:
    address = f"https://example.org/{'aB1/-' * size}".rstrip("/-")
    text = "\n\n".join(frame.format(address) for frame in dict.fromkeys(frames))
    made = mail_text(read_mail(text), DocumentParts(), MailLook(subject="x"), columns)
    assert made.count(address) == len(set(frames))
    words = [line for line in made.split("\n") if address not in line]
    assert all(len(line) <= columns for line in words)


@pytest.mark.parametrize(
    "address", ["mailto:ann@example.org", "ann@example.org", "www.example.org/", "http://x.org/"]
)
def test_every_kind_of_address_is_whole(address: str) -> None:
    long = address.replace("ann", "a" * 90).replace("org/", "org/" + "a" * 90)
    assert long in mail_text(read_mail(f"See {long}."), DocumentParts(), MailLook(subject="x"), 40)
    assert "w" * 41 not in mail_text(read_mail("w" * 90), DocumentParts(), MailLook(subject="x"), 40)


def test_words_of_the_page_may_be_broken() -> None:
    page = mail_html(read_mail("w" * 300), DocumentParts(), MailLook(subject="x"))
    assert "overflow-wrap:anywhere" in page.html
