"""Documents are made of everything that they show, and are stale when any of it changes."""

from __future__ import annotations

import pytest

from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.documents.stage import (
    DOC,
    PNG,
    REPORT,
    Reader,
    put_asset,
    refs,
    render,
)


def test_everything_that_the_owner_may_see_comes_along(service_world: ServiceWorld, renderer: Reader) -> None:
    _, parts = render(service_world)
    assert refs(parts) == ["/p/one", "/u/alice/g/board"]
    (one, _) = (parts.visuals[key] for key in sorted(parts.visuals))
    assert set(one.pictures) == {"light"} and one.description == "Of one & co" and one.plot is None
    assert {name: (part.media, part.body) for name, part in parts.assets.items()} == {
        "logo.png": ("image/png", PNG),
        "/u/alice/p/one/a/mark.png": ("image/png", PNG),
    }
    (total,) = parts.variables.values()
    assert (total.value, total.kind, total.format) == ("0.113", "relative", "+,.1%")
    assert not parts.reasons and not parts.authors


def test_pages_for_screens_show_charts_in_both_modes_and_slides_their_data(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    _, screen = render(service_world, "html")
    assert all(set(part.pictures) == {"light", "dark"} for part in screen.visuals.values())
    _, slides = render(service_world, "pptx")
    plots = {key.partition("@")[0]: part.plot for key, part in slides.visuals.items()}
    assert plots["/u/alice/g/board"] is None
    assert plots["/p/one"] is not None and plots["/p/one"].data == "one"


def test_grids_have_descriptions_and_signs_in_text_forms(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    for form in ("md", "html"):
        _, parts = render(service_world, form)
        boards = [part for key, part in parts.visuals.items() if key.startswith("/u/alice/g/board")]
        assert {(board.description, bool(board.signs)) for board in boards} == {
            ("Of the grid & co", form != "html")
        }


def test_an_unchanged_document_orders_and_parses_nothing(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    tag, _ = render(service_world)
    assert sorted(renderer.names()) == ["grid", "one", "one", "pdf", "requests"]
    assert render(service_world)[0] == tag
    assert renderer.names() == []
    render(service_world, "pptx")
    assert renderer.names() == ["pptx"]


def test_only_what_changed_is_made_again(service_world: ServiceWorld, renderer: Reader) -> None:
    tag, _ = render(service_world)
    renderer.names()
    service_world.write("alice", f"{DOC}/content", REPORT + "\nMore.\n")
    assert render(service_world)[0] != tag
    assert renderer.names() == ["requests", "pdf"]
    service_world.write("alice", f"{DOC}/content", REPORT)
    assert render(service_world)[0] == tag
    assert renderer.names() == []


@pytest.mark.parametrize(
    "path,text",
    [
        (f"{DOC}/config/theme", "custom"),
        (f"{DOC}/config/custom/custom.css", "h1 { color: red }"),
        (f"{DOC}/config/type", "pres"),
        (f"{DOC}/vars/total/value", "0.2"),
        ("/v1/vis/plots/one/data", "other"),
        ("/v1/vis/plots/one/config/title", "Birds"),
        ("/v1/vis/grids/board/mapping", "A => /p/none\n"),
    ],
)
def test_all_that_it_shows_makes_a_document_stale(
    service_world: ServiceWorld, renderer: Reader, path: str, text: str
) -> None:
    tag, _ = render(service_world)
    service_world.write("alice", path, text)
    assert render(service_world)[0] != tag


def test_another_picture_of_an_asset_makes_a_document_stale(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    tag, _ = render(service_world)
    put_asset(service_world, "plot", "one", "mark.png", PNG + b"\1")
    other, parts = render(service_world)
    assert other != tag and parts.assets["/u/alice/p/one/a/mark.png"].body == PNG + b"\1"


def test_changes_of_things_that_it_does_not_show_make_no_document_stale(
    service_world: ServiceWorld, renderer: Reader
) -> None:
    tag, _ = render(service_world)
    service_world.write("alice", f"{DOC}/description", "long")
    service_world.write("alice", "/v1/vis/plots/one/description", "long")
    put_asset(service_world, "doc", "report", "other.png", PNG)
    assert render(service_world)[0] == tag
