"""The mask of logs: no spelling of a secret that a program's library makes is left in a line."""

from __future__ import annotations

import base64
import html
import json
import textwrap
from collections.abc import Callable
from time import process_time
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chains.runs.mask import MASK, SHORTEST, Mask

SECRETS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=SHORTEST, max_size=60
)
AROUND = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("%\\&+;u0a#x"), max_size=20)


def core(secret: str, ahead: int, alphabet: Callable[[bytes], bytes]) -> str:
    """The signs of Base64 that only the secret decides, after this number of bytes."""
    return alphabet(b"x" * ahead + secret.encode()).decode()[
        (8 * ahead + 5) // 6 : 8 * (ahead + len(secret.encode())) // 6
    ]


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "hex": lambda secret: secret.encode().hex(),
    "HEX": lambda secret: secret.encode().hex().upper(),
    "base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "base64, URLs": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode(),
    "quote": quote,
    "quote all": lambda secret: quote(secret, safe=""),
    "quote, small": lambda secret: quote(secret, safe="").lower() if secret.islower() else quote(secret),
    "quote_plus": quote_plus,
    "form": lambda secret: urlencode({"k": secret}).removeprefix("k="),
    "encodeURIComponent": lambda secret: quote(secret, safe="!'()*~"),
    "json": lambda secret: json.dumps(secret)[1:-1],
    "json, UTF-8": lambda secret: json.dumps(secret, ensure_ascii=False)[1:-1],
    "html": html.escape,
    "html, text": lambda secret: html.escape(secret, quote=False),
}


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
@given(secret=SECRETS, before=AROUND, behind=AROUND)
@example("s3cr3t/pa ss&word+1", "%", "%")
@example("ab12cdé\n'\"<>", "\\", "\\u")
def test_no_spelling_of_a_secret_is_left(
    spell: Callable[[str], str], secret: str, before: str, behind: str
) -> None:
    spelled = spell(secret)
    masked = Mask([secret])(f"{before}{spelled}{behind}")
    assert MASK in masked
    assert spelled not in masked.replace(MASK, "\0")


@given(secret=SECRETS, ahead=st.integers(0, 2), user=st.text("abc", max_size=5), behind=st.binary(max_size=5))
def test_nothing_of_a_secret_is_left_in_base64_of_more(
    secret: str, ahead: int, user: str, behind: bytes
) -> None:
    for alphabet in (base64.b64encode, base64.urlsafe_b64encode):
        whole = alphabet(b"u" * ahead + f"{user}:{secret}".encode() + behind).decode()
        masked = Mask([secret])(f"Authorization: Basic {whole}")
        assert MASK in masked
        assert core(secret, (ahead + len(user) + 1) % 3, alphabet) not in masked


@given(st.binary(min_size=60, max_size=400), st.sampled_from((64, 76)))
def test_long_secrets_are_hidden_where_base64_is_wrapped(octets: bytes, width: int) -> None:
    secret = octets.hex()
    lines = textwrap.wrap(base64.b64encode(secret.encode()).decode(), width)
    assert {mask for line in lines[:-1] for mask in [Mask([secret])(line)]} == {MASK}


@given(st.lists(st.text("QXZ%&\\+/", min_size=SHORTEST, max_size=20)), st.text("abc1 =;\n", max_size=80))
def test_other_text_stays(secrets: list[str], text: str) -> None:
    assert Mask(secrets)(text) == text


@given(
    st.lists(st.text("abcdefgh \n", min_size=SHORTEST, max_size=20), max_size=4),
    st.text("abcdefgh \n", max_size=200),
)
def test_no_secret_stays_in_a_line(secrets: list[str], text: str) -> None:
    masked = Mask(secrets)(text)
    for secret in secrets:
        assert secret not in masked


def test_mixed_escapes_are_read() -> None:
    mask = Mask(["a/b\"c'd e"])
    for line in (
        r"a\/b\"c'd e",
        "a%2fb%22c%27d e",
        "a/b&#34;c&apos;d e",
        r"a\x2fb\u0022c\'d\x20e",
        "a/b%22c%27d+e",
    ):
        assert mask(f"<{line}>") == f"<{MASK}>"


def test_values_of_fewer_than_six_letters_stay() -> None:
    assert Mask(["short", "", "12345\n123456"])("short 12345 123456") == f"short 12345 {MASK}"


@pytest.mark.parametrize("line", ["a" * 10, "%61" * 4, "\\u0061" * 2, "&#97;" * 2, "+\\&%", "YWFh" * 3])
def test_work_grows_with_the_line(line: str) -> None:
    mask = Mask(["a" * 200 + "b", "%61" * 60 + "b", "secret"])

    def seconds(count: int) -> float:
        text, took = line * count, []
        for _ in range(3):
            began = process_time()
            mask(text)
            took.append(process_time() - began)
        return min(took)

    assert seconds(8_000) < 6 * max(seconds(2_000), 0.002)
