"""Empty texts over others: said at the write, to who may read what was there."""

from __future__ import annotations

from typing import Any

import pytest

from vfs.access import Verb
from vfs.body import NoBody, TextBody
from vfs.errors import Advice

BOX = "/me/boxes/toolbox"
ADVICE = Advice(methods={"remove": "DELETE"}, emptied="your pen is dry")


def emptied(kernel: Any, path: str, who: str = "ann") -> Any:
    return kernel.ask(who, Verb.WRITE, path, TextBody("")).value


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("label", "is empty now: DELETE clears it too; your pen is dry\n"),
        ("length", "is empty now: DELETE brings back what it says by default; your pen is dry\n"),
        ("note", "is empty now: DELETE clears it too; your pen is dry\n"),
        ("even", "0 letters\n{path} is empty now: DELETE clears it too; your pen is dry\n"),
    ],
)
def test_an_empty_text_says_what_is_empty_now(kernel: Any, name: str, sentence: str) -> None:
    kernel.tree.advice = ADVICE
    path = f"{BOX}/{name}"
    kernel.ask("ann", Verb.WRITE, path, "text")
    spelled = sentence.format(path=path)
    assert emptied(kernel, path) == (spelled if "{path}" in sentence else f"{path} {sentence}")
    assert kernel.read("ann", path) == ""
    assert "is empty now" not in emptied(kernel, path)


def test_it_is_said_of_a_default_and_in_the_words_of_no_protocol(kernel: Any) -> None:
    assert emptied(kernel, f"{BOX}/length") == (
        f"{BOX}/length is empty now: remove brings back what it says by default\n"
    )


def test_it_is_said_of_what_a_hook_keeps_after_what_that_says(kernel: Any) -> None:
    path = f"{BOX}/kept"
    assert emptied(kernel, path) == f"kept\n{path} is empty now\n"
    kernel.tree.advice = ADVICE
    assert emptied(kernel, f"{BOX}/mute") == f"{BOX}/mute is empty now: your pen is dry\n"


def test_nothing_is_said_where_nothing_was_or_nothing_may_be_read(kernel: Any) -> None:
    assert emptied(kernel, f"{BOX}/env/key") == f"created {BOX}/env/key\n"
    assert emptied(kernel, f"{BOX}/env/key") == ""
    kernel.share("@bob", "w")
    label = "/users/ann/boxes/toolbox/label"
    assert emptied(kernel, label, "bob") == ""
    assert kernel.ask("ann", Verb.CREATE, label, NoBody()).value.endswith("nothing was changed\n")
    assert emptied(kernel, f"{BOX}/drawn") == ""
