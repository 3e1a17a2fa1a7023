"""A command of a recipe sees the repository by bind mounts, in every form of them."""

from __future__ import annotations

import pytest

from chains.builds.references import PREFIX
from chains.engine.port import BuildOrder
from tests.kit.podman import Bench

pytestmark = pytest.mark.podman

SEEN = {
    "a file": "source=requirements.txt,target=/m/requirements.txt",
    "a file, read-only by name": "source=requirements.txt,target=/m/requirements.txt,ro",
    "a file, with the long words": "src=requirements.txt,destination=/m/requirements.txt,readonly",
    "a file, writable": "source=requirements.txt,target=/m/requirements.txt,rw",
    "a folder": "source=parts,target=/m",
    "a folder below another": "source=parts/deeper,target=/m",
    "all of it": "target=/m",
    "all of it, by a dot": "source=.,target=/m",
    "a folder of a stage": "from=stage,source=/parts,target=/m",
    "a file of another image": "from={other},source=/requirements.txt,target=/m/requirements.txt",
}


def test_every_form_of_a_bind_mount_builds(podman_bench: Bench) -> None:
    context = podman_bench.folder("context")
    (context / "parts/deeper").mkdir(parents=True)
    for folder in (".", "parts", "parts/deeper"):
        (context / folder / "requirements.txt").write_text("six==1.16.0\n")
    plain = "FROM localhost/busybox\nCOPY requirements.txt /\n"
    (context / "Dockerfile").write_text(plain)
    image = podman_bench.builder.build(BuildOrder(62, context, "Dockerfile", "o", {}), lambda line: None).id
    other = f"{PREFIX}:{image}"
    recipe = ["FROM localhost/busybox AS stage", "COPY parts /parts", "FROM localhost/busybox"]
    for number, (name, words) in enumerate(SEEN.items()):
        mount = f"type=bind,{words.format(other=other)}"
        recipe.append(f"RUN --mount={mount} grep -q six /m/requirements.txt && echo {number} {name}")
    recipe += [
        "RUN --mount=type=bind,target=/m ! touch /m/new 2>/dev/null && echo kept",
        "RUN --mount=type=bind,target=/m,rw touch /m/new && echo more >> /m/requirements.txt && echo written",
        "",
    ]
    (context / "Dockerfile").write_text("\n".join(recipe))
    lines: list[str] = []
    order = BuildOrder(61, context, "Dockerfile", "mounts", {}, {other: image})
    podman_bench.builder.build(order, lines.append)
    expected = [f"{number} {name}" for number, name in enumerate(SEEN)] + ["kept", "written"]
    assert [line for line in lines if line in expected] == expected
    assert (context / "requirements.txt").read_text() == "six==1.16.0\n"
