"""Containers that a power cut ended: Podman has no record of them, but their layers are on the disk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chains.host.host import HostSettings, PodmanHost
from chains.podman.leftovers import reap, unmount
from tests.kit.podman import Bench, wipe

pytestmark = pytest.mark.podman


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[PodmanHost]:
    """A separate host, ready but without a base image."""
    host = PodmanHost(HostSettings(folder=tmp_path / "host", base_image="localhost/not-wanted-here"))
    yield host
    wipe(host)


def test_a_container_that_a_power_cut_ended_keeps_no_image(bare: PodmanHost, tmp_path: Path) -> None:
    bare.prepare()
    bare.start()
    bench = Bench(bare, tmp_path)
    image = bench.image("sleep 60")
    bench.engine.start(bench.engine.prepare(replace(bench.step("sleep 60"), image=image)))
    bench.engine.close()
    bench.builder.close()
    layers = bare.folders.store / "overlay-layers/layers.json"
    assert "-layer" in layers.read_text()
    bare.program.run("kill", "--all")
    bare._service.stop()
    reap(bare.exits, tuple)
    unmount(bare.folders.folder)
    again = PodmanHost(bare.settings)
    again.prepare()
    again.start()
    assert "-layer" not in layers.read_text()
    assert again.program.trouble("rmi", image) is None
    assert len(json.loads(layers.read_text())) == 1, "busybox"
    again.stop()
