"""The rendering service of a data folder: one at a time, and what doctor and readiness say of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest

from handlers.commands.doctor_checks import check_renders
from handlers.http.health import Health
from handlers.processes.render import run
from handlers.processes.watching.readiness import checks
from handlers.processes.world import build
from handlers.rendering.port import RendererBusy
from handlers.rendering.socket_service import SOCKET, RemoteRenderer
from handlers.settings.settings import Settings
from tests.kit.clocks import until
from tests.kit.suites.rendering import order, workers_of
from vfs.errors import Unavailable

SECONDS = 60.0


@contextmanager
def running(settings: Settings) -> Iterator[Event]:
    """A service in a thread, and the event by which it says that it is ready."""
    stop, ready = Event(), Event()
    thread = Thread(target=run, args=(settings, stop, ready.set))
    thread.start()
    try:
        yield ready
    finally:
        stop.set()
        thread.join(SECONDS)
        assert not thread.is_alive()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=str(tmp_path / "data"), render_processes=1)


def test_a_second_service_waits_for_the_end_of_the_first(settings: Settings) -> None:
    remote = RemoteRenderer(settings.folder / SOCKET)
    with running(settings) as first:
        assert first.wait(SECONDS)
        with running(settings) as second:
            assert not second.wait(0.3)
            assert remote.count_orders() == 0
        assert remote.count_orders() == 0
    with pytest.raises(RendererBusy):
        remote.count_orders()
    with running(settings) as third:
        assert third.wait(SECONDS)
        assert remote.count_orders() == 0


def test_a_service_is_ready_with_a_process_that_draws_the_first_picture(tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path / "data"), render_processes=2)
    others = set(workers_of(os.getpid()))
    remote = RemoteRenderer(settings.folder / SOCKET)
    with running(settings) as ready:
        until((settings.folder / SOCKET).is_socket, bool)
        with pytest.raises(RendererBusy, match="starting"):
            remote.count_orders()
        early = remote.render(order())
        assert early.body
        assert ready.wait(SECONDS)
        (warm,) = set(workers_of(os.getpid())) - others
        assert remote.render(order("png")).body
        assert set(workers_of(os.getpid())) - others == {warm}


def test_readiness_warns_while_no_service_answers(settings: Settings) -> None:
    live_world = build(settings)
    try:
        found = checks(live_world)()["render"]
        assert (found.health, "start curlew render" in found.output) == (Health.WARN, True)
        with running(settings) as ready:
            assert ready.wait(SECONDS)
            assert checks(live_world)()["render"].health is Health.PASS
    finally:
        live_world.close()


def test_doctor_draws_and_counts_what_is_kept(settings: Settings) -> None:
    confined, drawn, letters, kept = check_renders(settings)
    assert letters.ok
    assert "Arabic" in letters.detail or "emoji" in letters.detail
    assert (confined.ok, drawn.ok, kept.ok) == (True, True, True)
    assert "a chart in" in drawn.detail
    assert kept.detail == "0 kept, 0 MiB of at most 1024"
    with running(settings) as ready:
        assert ready.wait(SECONDS)
        assert "the service answers" in [*check_renders(settings)][1].detail


def test_doctor_says_why_nothing_is_drawn(settings: Settings) -> None:
    slow = replace(settings, render_seconds=0)
    _, drawn, *_ = check_renders(slow)
    assert (drawn.ok, "longer than 0 seconds" in drawn.detail) == (False, True)


def test_a_folder_that_cannot_be_made_is_reported_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="cannot be made"):
        run(Settings(data=str(tmp_path / "file")), Event(), lambda: None)
