"""Filters: addresses with a changed part, and filters of a list."""

from __future__ import annotations

from handlers.pages.finding.list_pages import Filter
from handlers.pages.items.item_head import tag_label


def test_parts_are_changed_and_dropped_from_the_beginning() -> None:
    chosen = Filter("/plots", {"q": "a b", "tag": "fav", "after": "x~1", "odd": "1"})
    assert chosen.address(after="y~2") == "/plots?q=a+b&tag=fav&after=y~2"
    assert [(one.says, one.without) for one in chosen.chosen] == [
        ("“a b”", "/plots?tag=fav"),
        ("Favourites", "/plots?q=a+b"),
    ]
    assert chosen.first == "/plots?q=a+b&tag=fav"
    assert Filter("/plots", {}).address() == "/plots"
    assert Filter("/plots", {}).first == ""
    assert tag_label("+weekly") == "weekly"
