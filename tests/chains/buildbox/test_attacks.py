"""What a hostile recipe tries, and what it gets: nothing of the host, of other repos, of the base store."""

from __future__ import annotations

from contextlib import suppress

import pytest

from chains.engine.port import BuildFailed, BuildOrder, Line, Mount
from tests.kit.podman import Bench, texts

pytestmark = pytest.mark.podman

SECRET = "hunter2-private-source"


def attempt(bench: Bench, recipe: str, repo: int = 2) -> str:
    """All that a build says, its reason included when it failed."""
    context = bench.folder("hostile")
    (context / "Dockerfile").write_text(recipe)
    lines: list[str] = []
    try:
        bench.builder.build(BuildOrder(repo, context, "Dockerfile", f"hostile-{repo}", {}), lines.append)
    except BuildFailed as failed:
        lines.append(str(failed))
    return "\n".join(line for line in lines if not line.startswith("STEP "))


def test_the_root_of_a_box_with_all_its_rights_does_not_change_the_shared_store(podman_bench: Bench) -> None:
    shop = podman_bench.builder.workshop
    ready = shop.ensure()
    lines: list[Line] = []
    ready.box.run(
        "mount -o remount,rw,bind /base; touch /base/x; mount -o remount,rw /base; touch /base/x; "
        "mount --bind /base /tmp; mount -o remount,rw,bind /tmp; touch /tmp/x; "
        "for f in /etc/containers/*; do mount -o remount,rw,bind $f; echo x >> $f; done; "
        "echo x > /run/podman-init; mknod /tmp/sda b 8 0; echo c > /proc/sysrq-trigger; id -u",
        (Mount(ready.base.place, "/base"), *ready.etc),
        shop.limits,
        tell=lines.append,
    )
    assert "0" in texts(lines)
    assert not (ready.base.place / "x").exists()
    assert all(mount.source.read_bytes()[-2:].strip() != b"x" for mount in ready.etc)
    with suppress(OSError):
        (ready.base.place / "x").touch()
        raise AssertionError("the base store can be written by the host's root even")


def test_no_store_is_a_link_that_a_build_left(podman_bench: Bench) -> None:
    """The host's root gives the store away at the next build."""
    shop = podman_bench.builder.workshop
    victim = podman_bench.folder("victim")
    contents = {shop.ensure().base.version}
    with shop.volumes.lend(23, contents) as volume:
        (volume.place / "store").symlink_to(victim)
        (volume.place / "context").symlink_to(victim)
    attempt(podman_bench, "FROM localhost/busybox\nRUN true\n", repo=23)
    assert victim.stat().st_uid == 0
    assert list(victim.iterdir()) == []
