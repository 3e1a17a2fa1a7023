"""Mails are made of everything that they show, in the mode of their theme, with the words around them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from handlers.words.document_parts import load_parts
from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.documents.stage import PNG, REPORT, Reader, put_asset, refs
from vfs.access import Verb
from vfs.call import Data, KeptBytes
from vfs.errors import Denied, Invalid

MAIL = "/v1/vis/mails/letter"
Order = Callable[..., tuple[dict[str, str], list[str]]]


@pytest.fixture
def order(service_world: ServiceWorld, renderer: Reader) -> Order:
    """Return the texts of a form of alice's mail, and the modes of its charts."""
    service_world.call("alice", Verb.CREATE, MAIL)
    service_world.write("alice", f"{MAIL}/content", REPORT.replace("/d/report", "/m/letter"))
    put_asset(service_world, "mail", "letter", "logo.png", PNG)

    def ask(form: str = "html", path: str = MAIL, user: str = "alice") -> tuple[dict[str, str], list[str]]:
        value = service_world.call(user, Verb.READ, f"{path}/files/mail.{form}").value
        assert isinstance(value, KeptBytes)
        with value.open() as file:
            texts = json.load(file)["texts"]
        return texts, sorted(
            {mode for part in load_parts(texts["parts"]).visuals.values() for mode in part.pictures}
        )

    return ask


def test_a_mail_shows_what_its_owner_may_see(order: Order) -> None:
    texts, modes = order()
    parts = load_parts(texts["parts"])
    assert refs(parts) == ["/p/one", "/u/alice/g/board"] and "logo.png" in parts.assets
    assert (texts["sender"], texts["name"], modes) == ("@alice", "letter", ["light"])


@pytest.mark.parametrize(("theme", "modes"), [("novem-dark", ["dark"]), ("+x/y", ["dark", "light"])])
def test_a_theme_says_the_mode(
    service_world: ServiceWorld, order: Order, theme: str, modes: list[str]
) -> None:
    service_world.write("alice", f"{MAIL}/config/theme", theme)
    assert order()[1] == modes


def test_every_word_around_it_makes_another_version(service_world: ServiceWorld, order: Order) -> None:
    before = service_world.call("alice", Verb.READ, f"{MAIL}/files/mail.html").value
    service_world.write("alice", f"{MAIL}/config/subject", "News")
    after = service_world.call("alice", Verb.READ, f"{MAIL}/files/mail.html").value
    assert isinstance(before, KeptBytes) and isinstance(after, KeptBytes)
    assert before.tag != after.tag and after.is_framed and order()[0]["config/subject"] == "News"


def test_recipients_change_whole_or_not_at_all_and_are_for_writers(
    service_world: ServiceWorld, order: Order
) -> None:
    service_world.write("alice", f"{MAIL}/recipients/to", "bob@birds.example\n@bob")
    with pytest.raises(Invalid) as raised:
        service_world.write("alice", f"{MAIL}/recipients/to", "bob@birds.example\nnobody")
    assert raised.value.members["rejected"][0]["line"] == "nobody"
    assert service_world.read("alice", f"{MAIL}/recipients/to") == "bob@birds.example\n@bob"
    service_world.call("alice", Verb.CREATE, f"{MAIL}/shared/@bob~r")
    theirs = "/v1/users/alice/vis/mails/letter"
    assert service_world.read("bob", f"{theirs}/content")
    with pytest.raises(Denied):
        service_world.read("bob", f"{theirs}/recipients/to")


def test_the_log_tells_what_readers_cannot_open(service_world: ServiceWorld, order: Order) -> None:
    service_world.call("alice", Verb.CREATE, f"{MAIL}/shared/@bob~r")
    found = service_world.call("alice", Verb.READ, f"{MAIL}/log").value
    assert isinstance(found, Data) and "/p/one is not shared with @bob" in found.text(found.value)  # type: ignore[misc]
