"""Readiness warns of a runner that is late and of images that are gone."""

from __future__ import annotations

from pathlib import Path

from handlers.http.health import Health
from handlers.processes.watching.readiness import checks
from handlers.settings.settings import Settings
from tests.handlers.service_world import ServiceWorld

LEASE = 30.0


def test_a_late_runner_and_lost_images_are_concerns(tmp_path: Path) -> None:
    home = ServiceWorld(Settings(data=str(tmp_path)))
    try:
        leases, found = home.world.code.runs.leases, checks(home.live_world)
        leases.enlist("first", "here", LEASE)
        results = found()
        assert (results["runner"].health, results["images"].health) == (Health.PASS, Health.PASS)
        home.clock.forward(LEASE + 1)
        assert "no runner works; first is late since" in found()["runner"].output
        leases.heartbeat("first", LEASE)
        assert found()["runner"].health is Health.PASS
        home.world.code.builds.lose("image-count")
        images = checks(home.live_world)()["images"]
        assert (images.health, "1 labels" in images.output) == (Health.WARN, True)
        assert "curlew repo rebuild --all" in images.output
    finally:
        home.live_world.close()
