"""The leaves of a preview are those that would be there if its texts were stored, for every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.services.previews import PreviewLeaves, StoredInPreview
from tests.kit.world import StoredWorld
from vfs.ports.leaves import Leaf, Leaves, digest_of

RELS = ("content", "config/type", "config/axis/ticks", "data", "name")
TEXTS = st.dictionaries(st.sampled_from(RELS), st.text("ab\n", max_size=4), max_size=5)
FOLDERS = st.sampled_from(("", "config", "config/axis", "content"))


class Stored(NamedTuple):
    """The leaves of a world, and the two items in it."""

    leaves: Leaves
    here: int
    there: int

    @property
    def both(self) -> tuple[int, int]:
        return self.here, self.there


def stored(here: Mapping[str, str], there: Mapping[str, str], author: str) -> Stored:
    """Two items of ann's with these texts; all that is `here` was written by an author."""
    world = StoredWorld()
    one, other = (world.items.create("plot", "ann", name).id for name in ("here", "there"))
    for item, texts, writer in ((one, here, author), (other, there, "ann")):
        for rel, text in texts.items():
            world.leaves.put(item, rel, text, writer)
    return Stored(world.leaves, one, other)


def said(leaves: Sequence[Leaf | None]) -> list[tuple[str, str | None, str | None]]:
    return [(leaf.rel, leaf.text, leaf.author) for leaf in leaves if leaf is not None]


@given(TEXTS, TEXTS, TEXTS, FOLDERS, st.lists(st.sampled_from(RELS)), st.none() | st.integers(0, 3))
def test_a_preview_answers_as_if_its_texts_were_stored(
    here: Mapping[str, str],
    there: Mapping[str, str],
    tried: Mapping[str, str],
    folder: str,
    rels: list[str],
    largest: int | None,
) -> None:
    before, after = stored(here, there, "ann"), stored({**here, **tried}, there, "bob")
    assert before.both == after.both
    preview = PreviewLeaves(before.leaves, before.here, tried, "bob")
    for item in before.both:
        for rel in RELS:
            assert said([preview.get(item, rel)]) == said([after.leaves.get(item, rel)])
            assert preview.signature(item, rel) == after.leaves.signature(item, rel)
        shown, meant = (leaves.texts(item, folder, largest) for leaves in (preview, after.leaves))
        assert said(shown) == said(meant)
        listed, meant_marks = (leaves.under(item, folder) for leaves in (preview, after.leaves))
        assert [mark.rel for mark in listed] == [mark.rel for mark in meant_marks]
    for items in ([before.there], before.both):
        below, meant_below = (leaves.texts_below(items, folder) for leaves in (preview, after.leaves))
        assert {id: said(some) for id, some in below.items() if some} == {
            id: said(some) for id, some in meant_below.items()
        }
        assert preview.texts_of(items, rels) == after.leaves.texts_of(items, rels)
        assert preview.digests_of(items, rels, folder) == after.leaves.digests_of(items, rels, folder)


def test_nothing_is_stored() -> None:
    kept = stored({}, {}, "ann")
    preview = PreviewLeaves(kept.leaves, kept.here, {"name": "tried"}, "bob")
    signature = preview.signature(kept.here, "name")
    assert signature is not None and signature.digest == digest_of("tried")
    for act in (
        lambda: preview.put(kept.here, "name", "x", "bob"),
        lambda: preview.clear(kept.here, "name"),
        lambda: preview.move(kept.here, "name", "other"),
    ):
        with pytest.raises(StoredInPreview):
            act()
    assert kept.leaves.get(kept.here, "name") is None
