"""The fake, the pool of confined processes, and the service on its socket meet the contract of a renderer."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from handlers.rendering.pool import RenderPool, SingleFlight
from handlers.rendering.port import Renderer, RendererBusy, RenderFailed, RenderLate, RenderOrder
from handlers.rendering.render_process import PoolLimits
from handlers.rendering.socket_service import RemoteRenderer, RenderServer
from tests.kit.fake_renderer import FakeRenderer
from tests.kit.suites.rendering import RendererPromises, order


@pytest.fixture(scope="module")
def pool() -> Iterator[RenderPool]:
    pool = RenderPool(PoolLimits(processes=2))
    yield pool
    pool.close()


class TestFakeRenderer(RendererPromises):
    @pytest.fixture
    def renderer(self) -> Renderer:
        return FakeRenderer()


class TestRenderPool(RendererPromises):
    @pytest.fixture
    def renderer(self, pool: RenderPool) -> Renderer:
        return pool


class TestSingleFlight(RendererPromises):
    @pytest.fixture
    def renderer(self, pool: RenderPool) -> Renderer:
        return SingleFlight(pool)


class TestRemoteRenderer(RendererPromises):
    @pytest.fixture
    def renderer(self, pool: RenderPool, tmp_path: Path) -> Iterator[Renderer]:
        with RenderServer(tmp_path / "render.sock", pool) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            yield RemoteRenderer(tmp_path / "render.sock")


def test_a_render_that_takes_too_long_is_ended_and_the_next_is_made() -> None:
    pool = RenderPool(PoolLimits(processes=1, seconds=0.02))
    large = RenderOrder("plot", "png", order().texts, {"width": 2000, "scale": 3})
    try:
        with pytest.raises(RenderFailed, match=r"it took longer than 0\.02 seconds"):
            pool.render(large)
        pool.limits = PoolLimits(processes=1)
        assert pool.render(order()).body
    finally:
        pool.close()


def test_a_render_that_takes_too_much_memory_is_ended_and_the_next_is_made() -> None:
    pool = RenderPool(PoolLimits(processes=1, memory=1))
    huge = RenderOrder("plot", "png", order().texts, {"width": 4000, "height": 8000, "scale": 3})
    try:
        with pytest.raises(RenderFailed, match=r"memory|broke"):
            pool.render(huge)
        assert pool.render(order()).body
    finally:
        pool.close()


def test_a_renderer_that_does_not_listen_is_busy(tmp_path: Path) -> None:
    with pytest.raises(RendererBusy, match="does not answer"):
        RemoteRenderer(tmp_path / "none.sock").render(order())


def test_only_the_service_s_own_account_may_order(tmp_path: Path) -> None:
    with RenderServer(tmp_path / "render.sock", FakeRenderer()):
        assert (tmp_path / "render.sock").stat().st_mode & 0o777 == 0o600


def test_a_render_takes_no_longer_than_it_is_given_and_is_late_only_after_a_fair_time() -> None:
    pool = RenderPool(PoolLimits(processes=1, seconds=2.0))
    slow = RenderOrder("doc", "pdf", {"content": "# a\n\n" + "many words, one after another. " * 8_000})
    try:
        for seconds, kind in ((0.5, RendererBusy), (1.5, RenderLate), (-1.0, RendererBusy)):
            pool.render(order())
            began = time.monotonic()
            with pytest.raises(kind, match=r"time was over|longer than 2 seconds"):
                pool.render(replace(slow, seconds=seconds))
            assert time.monotonic() - began < max(seconds, 0) + 1.0
        assert pool.render(replace(order(), seconds=60.0)).body
    finally:
        pool.close()
