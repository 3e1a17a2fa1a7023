"""What a command of a recipe sees and reaches from inside the box in which an image is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from chains.engine.port import BuildOrder
from tests.kit.podman import Bench

pytestmark = pytest.mark.podman

PROBE = Path(__file__).parents[1] / "podman" / "probe.sh"
FACTS = 22
BASES = ("localhost/busybox:latest", "python:3-slim")


@pytest.mark.parametrize("base", BASES)
def test_a_build_passes_every_fact(podman_bench: Bench, base: str) -> None:
    context = podman_bench.folder("context")
    (context / "probe.sh").write_text(PROBE.read_text())
    (context / "Dockerfile").write_text(
        f"FROM {base}\nCOPY probe.sh /probe.sh\nRUN PLACE=build sh /probe.sh || true\n"
    )
    lines: list[str] = []
    podman_bench.builder.build(BuildOrder(60, context, "Dockerfile", "probe", {}), lines.append)
    assert [line for line in lines if line.startswith("not ok")] == []
    assert f"{FACTS} hold, 0 do not" in lines
