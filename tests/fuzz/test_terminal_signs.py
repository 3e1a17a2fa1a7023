"""No text that the service makes hands control signs to a terminal, whatever people wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handlers.processes.web import tree_and_pages
from handlers.trees import ROOT
from tests.fuzz.empty_world import ITEMS, NAME, EmptyWorld, open_world
from tests.kit.client import Answer
from vfs.access import Credential
from vfs.call import Signs
from vfs.nodes import Derived, File, Link, Subtree
from vfs.route import Route

pytestmark = pytest.mark.no_cover

TREE = tree_and_pages(ROOT)[0]
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
OWN_COLORS = re.compile("\x1b\\[[0-9;]*m")
THEIR_COLOR = "\x1b[35;7m"
SIGNS = [chr(sign) for sign in (*range(1, 32), *range(0x7F, 0xA0))]
TRICKS = (
    "\x1b]0;PWN\x07", "\x1b[2J", "\x9b2J", "\x9d0;PWN\x9c", "\x1b\x1b[m[31m", "\x1bP1;2|x\x1b\\", "\b\b",
    "\r", THEIR_COLOR, "&#27;[35;7m", "&#x9b;35;7m", "\\u001b[35;7m", "<b>\x1b</b>",
    "| a\x1b | b |\n|--|--|\n| \x9b | c |",
)  # fmt: skip
HOSTILE = st.lists(
    st.sampled_from([*SIGNS, *TRICKS])
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
    min_size=1,
    max_size=6,
).map("".join)
EVERY = "".join(f"a{sign}" for sign in SIGNS) + "".join(TRICKS)
PRINTED = [f"a{sign}b" for sign in SIGNS if sign != "\n"] + ["\x1b]0X\x07", "\x1b[1mr"]
"""Lines of a step, too short to be masked as a secret's."""

NOT_TEXT = re.compile(r"image/|pdf|openxml|html")
LEFT_ALONE = re.compile(
    r"password|email|username|/status$|/config/(env|access|chains|spaces)|/auth|/token|/public$"
)
KEPT_AS_BYTES = re.compile(
    r"/runs/:run/output$|/message\.eml$|/u/:user/(img|banner)$|/o/:group/(img|banner)$"
)
"""Files that are made of nothing, and answered with bytes that were brought."""


@pytest.fixture(scope="module")
def tree_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmptyWorld]:
    """The service with something in every place, whose runs print and fail with every sign."""
    with open_world(tmp_path_factory.mktemp("world")) as empty_world:
        empty_world.service.arrange("group", ["@fuzz~flock", "+fuzz", "+fuzz~flock"], [])
        empty_world.populate()
        for path in ITEMS.values():
            for name in ("threads/talk", "threads/@fuzz~talk/comments/first", "vars/size"):
                empty_world.ask("PUT", f"{path}/{name}")
        empty_world.ask("POST", f"{ITEMS['jobs']}/config/env/ECHO", "\n".join(PRINTED).encode(), "text/plain")
        empty_world.ask("POST", f"{ITEMS['jobs']}/config/env/EXIT", b"3", "text/plain")
        empty_world.ask("POST", f"{ITEMS['jobs']}/data", b"{}", "application/json")
        empty_world.populate()
        empty_world.known |= NAMES
        yield empty_world


NAMES = {
    "group": ["flock"],
    "org": ["fuzz"],
    "member": ["fuzz"],
    "topic": ["@fuzz~talk"],
    "comment": ["@fuzz~first"],
    "var": ["size"],
}


def filled(route: Route, tree_world: EmptyWorld) -> str:
    """A path of the route with names that are there."""
    return re.sub(r":([a-z_]+)", lambda found: tree_world.known.get(found[1], [NAME])[0], route.template)


def written() -> Iterator[Route]:
    """Every route that takes a text and harms nobody by it."""
    for route in TREE.routes():
        node = route.node
        if not isinstance(node, File) or node.fixed or node.silent or node.wants != "text":
            continue
        if node.credential is Credential.TOKEN and not LEFT_ALONE.search(route.template):
            yield route


def made() -> Iterator[Route]:
    """Every route whose answer is a text that is made here: all but those that keep what was brought."""
    for route in TREE.routes():
        node = route.node
        # What a link answers is answered at its target, too.
        if isinstance(node, Subtree | Link) or (isinstance(node, File) and (not node.fixed or node.silent)):
            continue
        media = " ".join(node.media) if isinstance(node, File | Derived) else ""
        if not NOT_TEXT.search(media) and not KEPT_AS_BYTES.search(route.template):
            yield route


def require_safe(answer: Answer, path: str, *, colors: bool = False) -> None:
    """Fail when a terminal would obey anything in an answer but a colour of our own."""
    if NOT_TEXT.search(answer.headers.get("content-type", "")):
        return
    text = answer.body.decode()
    if colors:
        assert THEIR_COLOR not in text, (path, text)
        text = OWN_COLORS.sub("", text)
    found = CONTROL.search(text)
    assert found is None, (path, found, text[-400:])


def is_colored(route: Route) -> bool:
    node = route.node
    return route.template.endswith((".ansi", "/ansi")) or (
        isinstance(node, File) and node.signs is Signs.COLORS
    )


def read_all(tree_world: EmptyWorld) -> int:
    """Read every text that is made, in each of its faces; how many there were."""
    texts = 0
    for route in made():
        path = filled(route, tree_world)
        for accept in ("text/plain", "*/*", "application/json"):
            answer = tree_world.ask_with("GET", path, ("Accept", accept))
            require_safe(answer, path, colors=is_colored(route))
            texts += answer.status == 200
    return texts


@given(HOSTILE)
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_what_people_wrote_is_harmless_in_every_text_that_is_made_of_it(
    tree_world: EmptyWorld, text: str
) -> None:
    taken = 0
    for route in written():
        path = filled(route, tree_world)
        answer = tree_world.ask_with(
            "POST", path, ("Content-Type", "text/plain"), ("Accept", "text/plain"), body=text.encode()
        )
        require_safe(answer, path)
        if answer.status < 300:
            taken += 1
            kept = tree_world.ask_with("GET", path, ("Accept", "text/plain"))
            if route.node.check is None and route.node.read is None:  # type: ignore[attr-defined]
                assert kept.body == text.encode(), path
    assert taken > 40
    assert read_all(tree_world) > 400


@pytest.mark.parametrize("text", [EVERY, *TRICKS])
def test_a_variable_is_harmless_in_either_form(tree_world: EmptyWorld, text: str) -> None:
    context = f"{ITEMS['plots']}/vars/size"
    tree_world.ask("POST", f"{context}/type", b"text", "text/plain")
    for at in range(0, len(text), 50):
        tree_world.ask("POST", f"{context}/value", text[at : at + 50].encode(), "text/plain")
        for form in ("txt", "ansi"):
            path = f"/v1/u/fuzz/p/{NAME}/v/size/{form}"
            answer = tree_world.ask("GET", path)
            assert answer.status == 200
            require_safe(answer, path, colors=form == "ansi")
        as_it_is = tree_world.ask("GET", f"{context}/value")
        assert as_it_is.body.decode() == text[at : at + 50]


def test_a_log_is_shown_escaped_and_complete_as_json(tree_world: EmptyWorld) -> None:
    [run, *_] = tree_world.known["run"]
    log = f"{ITEMS['jobs']}/runs/{run}/log"
    lines = json.loads(tree_world.ask_with("GET", log, ("Accept", "application/json")).body)
    assert {f"{NAME}: {line}" for line in PRINTED} <= {line["message"] for line in lines}
    for path in (log, f"{log}?follow=1", f"{ITEMS['jobs']}/log"):
        for accept in ("text/plain", "application/json", "text/event-stream"):
            answer = tree_world.ask_with("GET", path, ("Accept", accept))
            assert answer.status == 200
            assert "0X" in answer.body.decode()
            require_safe(answer, path)


@given(HOSTILE)
@settings(max_examples=50, deadline=None)
def test_a_refusal_is_harmless(tree_world: EmptyWorld, text: str) -> None:
    asks: tuple[tuple[str, str, bytes], ...] = (
        ("GET", f"/v1/users/{quote(text, safe='')}", b""),
        ("PUT", f"/v1/vis/docs/{quote(text, safe='')}", b""),
        ("GET", f"{ITEMS['plots']}/files/plot.txt?cols={quote(text)}", b""),
        ("GET", f"{ITEMS['jobs']}/log?after={quote(text)}", b""),
        ("POST", f"{ITEMS['jobs']}/config/chains", text.encode()),
        ("POST", f"{ITEMS['plots']}/config/type", text.encode()),
        ("POST", f"{ITEMS['jobs']}/schedule", text.encode()),
    )
    for method, path, body in asks:
        for accept in ("text/plain", "application/json"):
            headers: Any = (("Content-Type", "text/plain"), ("Accept", accept))
            require_safe(tree_world.ask_with(method, path, *headers, body=body), path)


@pytest.mark.parametrize("kind", ["plots", "spaces"])
def test_what_was_brought_stays_as_it_was_to_the_byte(tree_world: EmptyWorld, kind: str) -> None:
    path = f"{ITEMS['plots']}/data" if kind == "plots" else f"{ITEMS['spaces']}/content/signs.txt"
    method = "POST" if kind == "plots" else "PUT"
    tree_world.ask(method, path, EVERY.encode(), "text/plain")
    assert tree_world.ask("GET", path).body == EVERY.encode()
