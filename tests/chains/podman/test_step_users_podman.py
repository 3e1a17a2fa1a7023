"""A step runs as the user whom its image names, and reads what is that user's alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chains.engine.port import BuildFailed, BuildOrder, Exit, Line
from chains.host.host import HostSettings, PodmanHost
from tests.kit.podman import Bench, texts, wipe

pytestmark = pytest.mark.podman

SCRIPT = """#!/bin/sh
id -u; id -g; cat /app/own /input/word; stat -c %u:%g /app/own /output
echo out > /output/o; echo more 2>/dev/null > /app/own || echo kept; kill -0 1 && echo alive
"""
MADE = (
    "RUN chmod 700 run.sh && chmod 600 own && echo app:x:1000:1000::/app:/bin/sh >> /etc/passwd && "
    "echo staff:x:70:app >> /etc/group\n"
)


def built(bench: Bench, recipe: str) -> str:
    """The image of a repository with a program and a file."""
    context = bench.folder("context")
    (context / "run.sh").write_text(SCRIPT)
    (context / "own").write_text("own\n")
    (context / "Dockerfile").write_text(
        f'FROM localhost/busybox\nWORKDIR /app\nCOPY run.sh own ./\n{MADE}{recipe}\nENTRYPOINT ["./run.sh"]\n'
    )
    lines: list[str] = []
    image = bench.builder.build(BuildOrder(63, context, "Dockerfile", "users", {}), lines.append).id
    for_root = recipe in ("", "USER root", "USER 0:0")
    assert ("steps run as the USER of the image" in lines) is not for_root
    return image


def played(bench: Bench, image: str) -> tuple[Exit, list[str]]:
    """The end of a step and what it says; what it wrote belongs to the user that steps are on the host."""
    spec = replace(bench.step("true"), image=image)
    (spec.mounts[0].source / "word").write_text("in\n")
    (spec.mounts[0].source / "word").chmod(0o600)
    by_hand = bench.engine.command(spec)
    handle, lines = bench.engine.prepare(spec), list[Line]()
    assert "--uidmap" in by_hand
    assert by_hand == bench.engine.command(spec), "it is the same before a step was prepared here"
    bench.engine.start(handle)
    ended = bench.engine.wait(handle, lines.append)
    bench.engine.remove(handle)
    made, owner = (spec.output / "o").stat(), bench.host.confinement.owner
    assert (made.st_uid, made.st_gid) == (owner, owner)
    return ended, texts(lines)


@pytest.mark.parametrize(
    ("named", "user", "group"),
    [
        ("app", 1000, 1000),
        ("app:staff", 1000, 70),
        ("1000:70", 1000, 70),
        ("1:0", 1, 0),
        ("65535", 65535, 0),
        ("65532:65534", 65532, 65534),
    ],
)
def test_a_step_is_the_user_of_its_image(podman_bench: Bench, named: str, user: int, group: int) -> None:
    image = built(podman_bench, f"RUN chown {user}:{group} run.sh own\nUSER {named}")
    ended, said = played(podman_bench, image)
    assert ended.succeeded
    owns = f"{user}:{group}"
    # A user may write to its own file, and no one to the root of a step.
    assert said == [str(user), str(group), "own", "in", owns, owns, "kept", "alive"]


@pytest.mark.parametrize("named", ["", "USER root", "USER 0:0"])
def test_of_an_image_for_root_all_is_read_by_a_step_that_is_not(podman_bench: Bench, named: str) -> None:
    ended, said = played(podman_bench, built(podman_bench, named))
    assert ended.succeeded
    assert said == ["65532", "65532", "own", "in", "0:0", "65532:65532", "kept", "alive"]


def test_what_belongs_to_root_alone_is_not_read_by_another_user(podman_bench: Bench) -> None:
    image = built(podman_bench, "RUN chmod 755 run.sh\nUSER app")
    _, said = played(podman_bench, image)
    assert "own" not in said


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("nobody-known", "USER nobody-known is not in the image's /etc/passwd: make it before USER"),
        ("app:nothing", "the group nothing of USER is not in the image's /etc/group"),
        ("70000", "USER 70000 has the number 70000, and none above 65535 is mapped"),
    ],
)
def test_a_user_that_no_step_can_be_is_refused(podman_bench: Bench, named: str, reason: str) -> None:
    with pytest.raises(BuildFailed, match=reason):
        built(podman_bench, f"USER {named}")


def test_where_users_are_not_mapped_a_step_is_nobody_who_reads_all_and_the_build_says_so(
    tmp_path: Path,
) -> None:
    settings = HostSettings(folder=tmp_path / "host", base_image="localhost/not-wanted-here", userns=False)
    host = PodmanHost(settings)
    host.ensure()
    bench = Bench(host, tmp_path)
    try:
        context = bench.folder("context")
        (context / "run.sh").write_text("#!/bin/sh\nid -u; cat /app/own\n")
        (context / "own").write_text("own\n")
        (context / "Dockerfile").write_text(
            "FROM localhost/busybox\nWORKDIR /app\nCOPY run.sh own ./\n"
            "RUN chown 1000 run.sh own && chmod 700 run.sh && chmod 600 own\n"
            'USER 1000\nENTRYPOINT ["./run.sh"]\n'
        )
        lines: list[str] = []
        image = bench.builder.build(BuildOrder(1, context, "Dockerfile", "x", {}), lines.append).id
        assert any(line.startswith("warning: steps run as user 65532, not as the USER") for line in lines)
        handle, said = bench.engine.prepare(replace(bench.step("true"), image=image)), list[Line]()
        bench.engine.start(handle)
        bench.engine.wait(handle, said.append)
        bench.engine.remove(handle)
        assert texts(said) == ["65532", "own"]
    finally:
        bench.engine.close()
        bench.builder.close()
        bench.podman.close()
        wipe(host)
