"""A visual is drawn in its own language, else in that of its document, else in that of its account."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import replace
from pathlib import Path

import pytest

from handlers.rendering.forms import render_order
from handlers.rendering.port import Rendering, RenderOrder
from storage.bytes.renders import RenderStore
from tests.handlers.service_world import ServiceWorld
from vfs.access import Verb
from vfs.call import KeptBytes
from vfs.errors import Invalid

PLOT, DOC, GRID = "/v1/vis/plots/one", "/v1/vis/docs/report", "/v1/vis/grids/board"
LANGUAGE = "/v1/admin/profile/language"


class Drawing:
    """A renderer that really draws, in the process of the test."""

    def render(self, order: RenderOrder) -> Rendering:
        return render_order(order)


@pytest.fixture
def home(service_world: ServiceWorld, tmp_path: Path) -> ServiceWorld:
    """A plot of months, and a document and a grid that show it."""
    kept = RenderStore(tmp_path / "renders", 8 << 20)
    visuals = replace(service_world.world.visuals, renderer=Drawing(), kept=kept)
    service_world.world = replace(service_world.world, visuals=visuals)
    for path in (PLOT, DOC, GRID):
        service_world.call("alice", Verb.CREATE, path)
    service_world.write("alice", f"{PLOT}/data", "month,n\n2026-03,1204.5\n2026-05,1300.5\n")
    service_world.write("alice", f"{DOC}/content", "# R\n\n{{ vis ref: /p/one }}\n")
    service_world.write("alice", f"{GRID}/layout", "+-----+\n| {A} |\n+-----+\n")
    service_world.write("alice", f"{GRID}/mapping", "A => /p/one\n")
    return service_world


def drawn(home: ServiceWorld, path: str) -> str:
    """The text of a form."""
    value = home.call("alice", Verb.READ, path).value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        text = file.read().decode()
    pictures = re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", text)
    return text + "".join(b64decode(picture).decode() for picture in pictures)


def months(home: ServiceWorld) -> list[str]:
    """The language of the month of May as it stands in a plot, a document and a grid."""
    texts = (drawn(home, f"{path}") for path in FILES)
    words = {"Maj": "da", "maj": "sv", "Mai": "de", "mai": "fr", "mag": "it", "May": "en"}
    return [next((tag for word, tag in words.items() if f">{word}<" in text), "") for text in texts]


FILES = (f"{PLOT}/files/plot.svg", f"{DOC}/files/doc.html", f"{GRID}/files/grid.svg")


def test_the_nearest_language_holds_and_no_render_leaks(home: ServiceWorld) -> None:
    assert months(home) == ["en", "en", "en"]
    home.write("alice", LANGUAGE, "de")
    assert months(home) == ["de", "de", "de"]
    assert '<html lang="de">' in drawn(home, FILES[1])
    home.write("alice", f"{DOC}/content", "---\nlang: fr\n---\n# R\n\n{{ vis ref: /p/one }}\n")
    assert months(home) == ["de", "fr", "de"]
    home.write("alice", f"{PLOT}/config/lang", "it")
    assert months(home) == ["it", "it", "it"]
    home.write("alice", f"{PLOT}/config/lang", "")
    home.write("alice", LANGUAGE, "")
    assert months(home) == ["en", "fr", "en"]


def test_the_language_of_a_reader_does_not_matter(home: ServiceWorld) -> None:
    home.call("alice", Verb.CREATE, f"{PLOT}/shared/public")
    home.write("bob", LANGUAGE, "de")
    value = home.call("bob", Verb.READ, "/v1/users/alice/vis/plots/one/files/plot.svg").value
    assert isinstance(value, KeptBytes)
    with value.open() as file:
        assert ">May<" in file.read().decode()


@pytest.mark.parametrize("path", [LANGUAGE, f"{PLOT}/config/lang"])
def test_an_unknown_language_is_refused_with_those_that_work(home: ServiceWorld, path: str) -> None:
    for text in ("german", "xx", "de_DE"):
        with pytest.raises(Invalid, match=r"da, de, en, es, fr, .*pt-BR"):
            home.write("alice", path, text)
    home.write("alice", path, "pt-BR")
    assert home.read("alice", path) == "pt-BR"
