"""Promises of every Renderer, as a suite that an implementation's tests inherit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from handlers.rendering.port import Renderer, RenderFailed, RenderOrder
from handlers.rendering.render_kinds import MEDIA_TYPES, PLOT

SALES = "month,north\nJan,12\nFeb,15\n"


def order(form: str = "svg", **options: str | int | bool) -> RenderOrder:
    """An order for a small plot."""
    return RenderOrder("plot", form, {"data": SALES, "config/type": "bar", "name": "sales"}, options)


def workers_of(pid: int) -> list[int]:
    """The processes that draw for this one itself, not for a service that other tests have started."""
    children = (words_of(file) for file in Path(f"/proc/{pid}/task").glob("*/children"))
    alive = [int(word) for words in children for word in words]
    return [one for one in alive if b"handlers.rendering.worker" in command_of(one)]


def words_of(file: Path) -> list[str]:
    """The words of a file; none of one that has gone, as that of a thread that ended."""
    try:
        return file.read_text().split()
    except OSError:
        return []


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


class RendererPromises:
    """Promises of a renderer, which a subclass gives as the fixture `renderer`."""

    @pytest.mark.parametrize("form", sorted(PLOT.forms))
    def test_every_form_is_made_with_its_media_type(self, renderer: Renderer, form: str) -> None:
        made = renderer.render(order(form))
        assert made.media == MEDIA_TYPES[form]
        assert made.body

    def test_equal_orders_make_equal_bytes(self, renderer: Renderer) -> None:
        assert renderer.render(order("png")) == renderer.render(order("png"))

    def test_another_option_makes_another_render(self, renderer: Renderer) -> None:
        assert renderer.render(order(mode="dark")).body != renderer.render(order()).body

    @pytest.mark.parametrize("kind,form", [("plot", "gif"), ("nothing", "svg")])
    def test_what_there_is_not_fails_and_the_next_is_made(
        self, renderer: Renderer, kind: str, form: str
    ) -> None:
        with pytest.raises(RenderFailed, match="broke"):
            renderer.render(RenderOrder(kind, form, {}))
        assert renderer.render(order()).body

    def test_each_of_many_threads_gets_its_answer(self, renderer: Renderer) -> None:
        orders = [order(width=300 + 10 * index) for index in range(12)]
        with ThreadPoolExecutor(6) as threads:
            made = list(threads.map(renderer.render, orders))
        assert len({one.body for one in made}) == len(orders)
        assert made == [renderer.render(one) for one in orders]
