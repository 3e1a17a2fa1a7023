"""What a box is made of: its profile, its configuration, and that a difference from it is seen."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from chains.buildbox import disk
from chains.buildbox.box import CAPABILITIES, FIRST_ID, BuildLimits, profile, require_success, write_etc
from chains.engine.port import Cause, EngineError, Exit, Mount
from chains.podman.confinement import Confinement, profile_text
from chains.podman.container_spec import create_request
from tests.kit.podman import Bench

NEW_USERS = 0x10000000


def test_a_box_may_mount_in_separate_namespaces_and_no_more(tmp_path: Path) -> None:
    steps, box = json.loads(profile_text()), json.loads(profile())

    def allowed(found: dict[str, list[dict[str, object]]]) -> set[str]:
        rules = [rule for rule in found["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW"]
        return {name for rule in rules for name in rule["names"]}  # type: ignore[attr-defined]

    more = {"chroot", "mount", "umount2", "pivot_root", "sethostname", "setdomainname", "unshare"}
    assert allowed(box) - allowed(steps) == more
    (rule,) = [rule for rule in box["syscalls"] if "unshare" in rule["names"]]
    assert rule["args"][0]["value"] & NEW_USERS
    assert box["defaultAction"] == "SCMP_ACT_ERRNO"


def test_the_ids_of_boxes_and_of_steps_are_apart() -> None:
    steps = Confinement(Path("seccomp.json"))
    assert steps.first_id is not None
    assert steps.first_id + steps.ids <= FIRST_ID
    assert {"CAP_SYS_PTRACE", "CAP_MKNOD", "CAP_NET_RAW", "CAP_NET_ADMIN"}.isdisjoint(CAPABILITIES)


@pytest.mark.parametrize(
    ("registries", "accepted"),
    [((), None), (("docker.io",), {"docker.io"}), (None, {""})],
)
def test_only_named_registries_are_accepted(
    tmp_path: Path, registries: tuple[str, ...] | None, accepted: set[str] | None
) -> None:
    write_etc(tmp_path, "/vol/store", registries)
    policy = json.loads((tmp_path / "policy.json").read_text())
    assert policy["default"] == [{"type": "reject"}]
    assert set(policy["transports"]) <= {"docker", "containers-storage"}
    assert (set(policy["transports"]["docker"]) if "docker" in policy["transports"] else None) == accepted


def test_a_host_without_loop_devices_gets_advice(tmp_path: Path) -> None:
    (tmp_path / "no-file-system").write_bytes(bytes(1 << 16))
    with pytest.raises(EngineError, match="loop devices: apt-get install e2fsprogs"):
        disk.mount(tmp_path / "no-file-system", tmp_path / "place", writable=True)
    assert disk.allocated_bytes(tmp_path / "absent") == 0
    with pytest.raises(OSError, match="Not a directory"):
        disk.allocated_bytes(tmp_path / "no-file-system/below")


def test_a_disk_is_of_its_size_and_takes_what_is_written_alone(tmp_path: Path) -> None:
    file = tmp_path / "disk"
    disk.make(file, 64 << 20, FIRST_ID)
    with disk.temporary_mount(file, tmp_path / "place") as place:
        assert place.stat().st_uid == FIRST_ID
        assert disk.is_attached(file)
        (place / "full").write_bytes(bytes(32 << 20))
        assert 0.4 < disk.usage(place) < 0.7
    assert not disk.is_attached(file)
    assert disk.allocated_bytes(file) < file.stat().st_size
    with pytest.raises(FileExistsError):
        disk.make(file, 64 << 20, FIRST_ID)


def test_a_box_of_ours_that_fails_says_its_last_words() -> None:
    with pytest.raises(EngineError, match=r"no store \(exit, exit code 1\): out of luck"):
        require_success(Exit(1, Cause.EXIT), ["out of luck"], "no store")


@pytest.mark.podman
@pytest.mark.parametrize("loosened", ["memory", "first_id", "mounts", "capabilities"])
def test_a_box_that_is_not_as_wanted_never_runs(podman_bench: Bench, loosened: str, tmp_path: Path) -> None:
    """The container is made by another request than the one it is compared with."""
    box = podman_bench.builder.workshop.ensure().box
    wanted = box.container_spec("true", (), BuildLimits(), ())
    changes: dict[str, object] = {
        "memory": wanted.memory * 2,
        "first_id": 300_000,
        "mounts": (Mount(tmp_path, "/host", writable=True),),
        "capabilities": (*CAPABILITIES, "CAP_NET_ADMIN"),
    }
    other = replace(wanted, **{loosened: changes[loosened]})  # type: ignore[arg-type]
    containers = box.containers.api
    containers.create(create_request(other, name := f"curlew-loose-{loosened}"))
    try:
        containers.initialise(name)
        with pytest.raises(EngineError, match="not confined as it must be"):
            box.containers.compare(wanted, name)
    finally:
        containers.remove(name)
