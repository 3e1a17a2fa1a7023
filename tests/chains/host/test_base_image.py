"""The base image that is made here: anew when it is made otherwise, with the time of places."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chains.engine.port import BuildOrder, Line
from chains.host.host import PodmanHost
from chains.host.program import BASE_VARIABLES, MADE_BY, MADE_LABEL
from chains.host.rootfs import busybox_tree
from tests.chains.podman.test_podman_host import bare
from tests.kit.podman import Bench, texts

__all__ = ["bare"]

pytestmark = pytest.mark.podman


def test_a_base_image_that_was_made_otherwise_before_is_made_anew_and_an_operators_own_stays(
    bare: PodmanHost,
) -> None:
    def said(image: str) -> str:
        return bare.program.run("image", "inspect", "--format", "{{.Id}} {{.Labels}}", image).stdout

    bare.prepare()
    settings = [*(f"ENV {variable}" for variable in BASE_VARIABLES), 'CMD ["python3"]']
    for name, command in (
        ("localhost/python:3-slim", settings),
        ("localhost/own:1", [*settings, "ENV MORE=1"]),
    ):
        bare.program.ensure_made(name, busybox_tree, command)
        before = said(name)
        host = PodmanHost(replace(bare.settings, base_image=name))
        for _ in range(2):
            host.ensure_base()
        assert (said(name) == before) is (name == "localhost/own:1")
    assert f"{MADE_LABEL}:{MADE_BY}" in said("localhost/python:3-slim")


ZONED = (
    "import time, zoneinfo; zone = zoneinfo.ZoneInfo('Europe/Oslo'); print(zone, time.localtime(0).tm_hour, "
    "len(zoneinfo.available_timezones()) > 500)"
)


def test_a_step_knows_the_time_of_places(podman_bench: Bench) -> None:
    context = podman_bench.folder("context")
    (context / "Dockerfile").write_text(
        f'FROM python:3-slim\nENTRYPOINT ["sh", "-c", "date -d @0 +%H%z; python3 -c \\"{ZONED}\\""]\n'
    )
    image = podman_bench.builder.build(BuildOrder(64, context, "Dockerfile", "zoned", {}), print).id
    spec = replace(podman_bench.step("true"), image=image, env={"TZ": "Europe/Oslo"})
    handle, lines = podman_bench.engine.prepare(spec), list[Line]()
    podman_bench.engine.start(handle)
    podman_bench.engine.wait(handle, lines.append)
    podman_bench.engine.remove(handle)
    assert texts(lines) == ["01+0100", "Europe/Oslo 1 True"]
