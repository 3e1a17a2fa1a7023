"""A text for another owner, or after a rename, keeps its references, and is unchanged elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.parts import part_requests, reference_places
from handlers.render.mails.mail_html import read_mail
from handlers.rules.kinds import by_name
from handlers.services.documents.part_requests import PartPath, PartPaths, part_paths
from handlers.trees.visuals.docs import KIND as DOC
from handlers.trees.visuals.grids import KIND as GRID
from handlers.trees.visuals.mails import KIND as MAIL
from handlers.trees.visuals.plots import KIND as PLOT
from handlers.words.references import ReferencePlace, dump_places, load_places

KINDS = by_name((DOC, GRID, MAIL, PLOT))
READERS: dict[str, Callable[[str], Document]] = {
    "doc": read_document,
    "mail": lambda text: read_mail(text).document,
}
SHOWN = st.sampled_from(
    ["/p/sales", "p/sales", "/g/board", "g/board/", "/p/sales?m=d", "https://h.example/p/sales", "/u/bob/p/x"]
    + ["u/bob/g/x", "x1m2b", "https://h.example/u/bob/p/x", "/p/p", "/p/u", "/s/x", "/p/s.x", '"/p/sales"']
    + ["'/g/board'", '"\\\\x2fp/sales"', "/P/sales", ""]
)
ASSETS = st.sampled_from(
    [
        "logo.png",
        "/u/bob/p/x/a/l.png",
        "/p/sales/a/l.png",
        "/d/me/a/l.png",
        "/d/me/v/x",
        "p/sales/a/l.png",
        "/p/sales",
    ]
)
FORMS = st.one_of(
    st.builds("{{{{ vis ref: {} }}}}".format, SHOWN),
    st.builds("{{{{ vis\nref: {}\nwidth: 50%\n}}}}".format, SHOWN),
    st.builds("{{{{ visualisation ref: {}, caption: see ![x]({}) }}}}".format, SHOWN, ASSETS),
    st.builds("{{{{ vis\nref: >-\n  {}\nb:\n  - l3 blue-500\n}}}}".format, SHOWN),
    st.builds("{{{{ page ref: {} }}}}".format, SHOWN),
    st.builds('{{{{ img ref: {}, caption: "![a]({})" }}}}'.format, ASSETS, ASSETS),
    st.builds("![a]({}) and ![b][l]".format, ASSETS),
    st.builds("[l]: {}".format, ASSETS),
    st.builds("`{{{{ vis ref: {} }}}}` [go]({})".format, SHOWN, ASSETS),
    st.builds("```\n{{{{ vis ref: {} }}}}\n```".format, SHOWN),
    st.builds("    {{{{ vis ref: {} }}}}".format, SHOWN),
    st.builds("> {{{{ vis ref: {} }}}}".format, SHOWN),
    st.builds("| a |\n|---|\n| ![x]({}) |".format, ASSETS),
    st.builds("{{{{/* {} */}}}}\n{{{{ html }}}}<b>{}</b>{{{{ /html }}}}".format, SHOWN, ASSETS),
    st.builds("words {} {{{{/u/bob/p/x/v/rate}}}} {}".format, SHOWN, SHOWN),
    st.sampled_from(
        ["{{ callout }}", "{{ /callout }}", "{{ preview }}p/sales{{ /preview }}", "---\nref: /p/sales\n---"]
    ),
)
TEXTS = st.lists(
    st.tuples(FORMS, st.sampled_from(["\n", "\n\n", "\r\n", "\r", " "])).map("".join), max_size=8
)


def referents(read: Callable[[str], Document], text: str, owner: str) -> list[PartPath]:
    """Return the items that a text of an owner refers to."""
    paths: PartPaths = part_paths(part_requests(read(text), "doc"), PartPath("doc", owner, "me"), KINDS)
    # The pictures of an item are copied with it.
    return sorted({path for path in paths.all if (path.owner, path.name) != (owner, "me")})


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["", "\ufeff", "---\ntitle: /p/sales\n---\n"]), TEXTS, st.sampled_from(sorted(READERS))
)
def test_a_text_for_another_owner_refers_to_the_same(start: str, pieces: list[str], kind: str) -> None:
    text, read = start + "".join(pieces), READERS[kind]
    places = reference_places(text, read)
    assert load_places(dump_places(places)) == places
    made = places.with_owner(text, "alice")
    if not places.unreached_refs():
        meant = referents(read, text, "alice")
        own = PartPath("doc", "alice", "me")
        assert [path for path in referents(read, made, "zoe") if path.item != own] == meant
    assert made.replace("u/alice/", "") == text.replace("u/alice/", "")


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["", "\ufeff", "---\ntitle: /p/sales\n---\n"]), TEXTS, st.sampled_from(sorted(READERS))
)
def test_a_text_follows_a_name(start: str, pieces: list[str], kind: str) -> None:
    """Every reference to the renamed item has its new name, and no other reference is changed."""
    text, read = start + "".join(pieces), READERS[kind]
    places = reference_places(text, read)
    for name, letter, owner in (("sales", "p", "alice"), ("x", "p", "bob"), ("board", "g", "alice")):
        was = ReferencePlace(0, owner, letter, name)
        made = places.with_name(text, was, "zz9")
        if not places.unreached_refs(was):
            old = PartPath({"p": "plot", "g": "grid"}[letter], owner, name)
            meant = [
                path._replace(name="zz9") if path.item == old else path
                for path in referents(read, text, owner)
            ]
            assert referents(read, made, owner) == sorted(meant)
        assert made.replace("/zz9", f"/{name}") == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# A\n\nwords of /p/sales",
        "```\n{{ vis ref: /p/sales }}\n```",
        "`{{ vis ref: /p/sales }}`",
        "[a](/p/sales)",
    ],
)
def test_words_and_code_are_not_references(text: str) -> None:
    assert reference_places(text, read_document) == ((), ())


def test_a_reference_that_cannot_be_changed_is_reported() -> None:
    """A name with numeric character references is understood, but its place in the text is not found."""
    places = reference_places("![a](/p/s&#97;les/a/l.png)", read_document)
    assert places == ((), ("/p/sales/a/l.png",))


def test_equal_words_beside_a_reference_are_unchanged() -> None:
    text = "/p/sales `/p/sales`\n\n{{ vis ref: /p/sales }}\n\n    /p/sales\n"
    made = reference_places(text, read_document).with_owner(text, "ann")
    assert made == text.replace("ref: /p", "ref: /u/ann/p")


def test_very_many_places_are_bounded() -> None:
    text = "{{ vis ref: /p/a }}\n\n" + "p/a " * 100_000
    assert [one.start for one in reference_places(text, read_document).found] == [13]
