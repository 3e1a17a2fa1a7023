"""What a step's container must look like, and that no difference passes unseen."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chains.engine.port import Limits, Mount, Network, StepSpec
from chains.podman.confinement import Confinement, profile_text, refusal, step_container
from chains.podman.container_spec import create_request
from chains.podman.found_container import differences

Json = dict[str, Any]

NEW_NAMESPACES = 0x7E020000


@pytest.fixture
def confinement(tmp_path: Path) -> Confinement:
    profile = tmp_path / "seccomp.json"
    profile.write_text(profile_text())
    return Confinement(profile)


STEP = StepSpec(
    run="r",
    step="work",
    image="abc",
    env={"A": "1"},
    mounts=(Mount(Path("/srv/in"), "/input"), Mount(Path("/srv/out"), "/output", writable=True)),
    output=Path("/srv/out"),
    limits=Limits(memory=1 << 28, cpus=0.5, pids=64),
)


def made(confinement: Confinement) -> tuple[Json, Json]:
    """Inspection and OCI configuration of a container that is as wanted, in the shape of Podman 4."""
    ids = [{"containerID": 0, "hostID": 100_000, "size": 65_536}]
    inspected = {
        "HostConfig": {
            "Privileged": False,
            "NetworkMode": "none",
            "LogConfig": {"Type": "k8s-file"},
            "Init": True,
        },
        "NetworkSettings": {"Networks": {}},
    }
    tmpfs = ["mode=1777", "nosuid", "nodev", "notmpcopyup", f"size={64 << 20}", "rw"]
    config = {
        "process": {
            "user": {"uid": 65_532, "gid": 65_532},
            "args": ["/run/podman-init", "--", "true"],
            "capabilities": {},
            "noNewPrivileges": True,
            "rlimits": [
                {"type": "RLIMIT_NOFILE", "hard": 1024, "soft": 1024},
                {"type": "RLIMIT_NPROC", "hard": 4096, "soft": 4096},
                {"type": "RLIMIT_FSIZE", "hard": 1 << 30, "soft": 1 << 30},
                {"type": "RLIMIT_CORE", "hard": 0, "soft": 0},
            ],
        },
        "root": {"path": "/merged", "readonly": True},
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc", "options": ["nosuid"]},
            {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": list(tmpfs)},
            {"destination": "/dev/shm", "type": "tmpfs", "source": "tmpfs", "options": list(tmpfs)},
            {
                "destination": "/input",
                "type": "bind",
                "source": "/srv/in",
                "options": ["ro", "nosuid", "nodev", "rbind"],
            },
            {
                "destination": "/output",
                "type": "bind",
                "source": "/srv/out",
                "options": ["rw", "nosuid", "nodev", "rbind"],
            },
        ],
        "linux": {
            "uidMappings": copy.deepcopy(ids),
            "gidMappings": copy.deepcopy(ids),
            "resources": {
                "memory": {"limit": 1 << 28, "swap": 1 << 28},
                "cpu": {"period": 100_000, "quota": 50_000},
                "pids": {"limit": 64},
            },
            "namespaces": [{"type": t} for t in ("pid", "network", "ipc", "uts", "mount", "user")],
            "maskedPaths": ["/proc/kcore", "/proc/keys"],
            "readonlyPaths": ["/proc/sys", "/proc/sysrq-trigger"],
            "seccomp": json.loads(profile_text()),
        },
    }
    return inspected, config


def test_a_container_as_wanted_has_no_difference(confinement: Confinement) -> None:
    assert differences(step_container(STEP, confinement, "feed"), *made(confinement)) == []


def loosened() -> Iterator[tuple[str, Callable[[Json, Json], object]]]:
    """Each way in which a container may be less confined, with a word of the complaint."""
    yield "privileged", lambda i, c: i["HostConfig"].update(Privileged=True)
    yield "network", lambda i, c: i["HostConfig"].update(NetworkMode="host")
    yield "its networks", lambda i, c: i["NetworkSettings"].update(Networks={"podman": {}})
    yield "log driver", lambda i, c: i["HostConfig"].update(LogConfig={"Type": "journald"})
    yield "init process", lambda i, c: i["HostConfig"].pop("Init")
    yield "init process", lambda i, c: c["process"].update(args=["true"])
    yield "user", lambda i, c: c["process"].update(user={"uid": 0, "gid": 65_532})
    yield "capabilities", lambda i, c: c["process"].update(capabilities={"bounding": ["CAP_CHOWN"]})
    yield "no-new-privileges", lambda i, c: c["process"].pop("noNewPrivileges")
    yield "ulimits", lambda i, c: c["process"]["rlimits"].pop()
    yield "ulimits", lambda i, c: c["process"]["rlimits"][2].update(hard=1 << 40)
    yield "read-only root", lambda i, c: c["root"].pop("readonly")
    yield "map of users", lambda i, c: c["linux"].pop("uidMappings")
    yield "map of groups", lambda i, c: c["linux"]["gidMappings"][0].update(hostID=0)
    yield "memory limit", lambda i, c: c["linux"]["resources"]["memory"].pop("limit")
    yield "memory and swap", lambda i, c: c["linux"]["resources"]["memory"].update(swap=-1)
    yield "processor share", lambda i, c: c["linux"]["resources"].pop("cpu")
    yield "limit of processes", lambda i, c: c["linux"]["resources"]["pids"].update(limit=0)
    yield "devices", lambda i, c: c["linux"].update(devices=[{"path": "/dev/kvm"}])
    yield "seccomp", lambda i, c: c["linux"].pop("seccomp")
    yield "seccomp", lambda i, c: c["linux"]["seccomp"]["syscalls"][0]["names"].append("unshare")
    yield "seccomp", lambda i, c: c["linux"]["seccomp"].update(defaultAction="SCMP_ACT_ALLOW")
    yield "namespaces", lambda i, c: c["linux"]["namespaces"].pop()
    yield "unmasked", lambda i, c: c["linux"]["maskedPaths"].remove("/proc/kcore")
    yield "writable paths", lambda i, c: c["linux"].pop("readonlyPaths")
    yield "mounts", lambda i, c: c["mounts"][3].update(options=["rw", "nosuid", "nodev"])
    yield "mounts", lambda i, c: c["mounts"][4].update(options=["rw", "nodev"])
    yield "mounts", lambda i, c: c["mounts"][1].update(options=["nosuid", "nodev"])
    yield "mounts", lambda i, c: c["mounts"].pop(1)
    yield (
        "/etc is mounted unasked",
        lambda i, c: c["mounts"].append({**c["mounts"][3], "destination": "/etc"}),
    )
    yield (
        "/proc is mounted twice",
        lambda i, c: c["mounts"].append({**c["mounts"][3], "destination": "/proc"}),
    )


@pytest.mark.parametrize(("word", "loosen"), list(loosened()))
def test_every_way_to_be_less_confined_is_seen(
    confinement: Confinement, word: str, loosen: Callable[[Json, Json], object]
) -> None:
    inspected, config = made(confinement)
    loosen(inspected, config)
    assert any(
        word in difference
        for difference in differences(step_container(STEP, confinement, "feed"), inspected, config)
    )


def test_nothing_of_the_environment_but_the_steps_own_goes_in(confinement: Confinement) -> None:
    body = create_request(step_container(STEP, confinement, "feed"), "name")
    assert body["env"] == {"HOME": "/tmp"}
    assert body["secret_env"] == {"A": "name.0"}
    step = replace(STEP, env={"A": "1", "B": "2", "NONE": "", "HOME": "/h"}, public=frozenset({"B"}))
    body = create_request(step_container(step, confinement, "feed"), "name")
    assert body["env"] == {"B": "2", "NONE": ""}
    assert body["secret_env"] == {"A": "name.0", "HOME": "name.1"}
    assert body["labels"] == {"curlew.run": "r", "curlew.step": "work", "curlew.instance": "feed"}
    assert body["image_volume_mode"] == "ignore"
    assert body["netns"] == {"nsmode": "none"}
    assert "networks" not in body


@pytest.mark.parametrize("network", [Network.OUTBOUND, Network.API])
def test_podman_gives_no_container_a_network(confinement: Confinement, network: Network) -> None:
    spec = step_container(replace(STEP, network=network), confinement, "feed")
    body = create_request(spec, "name")
    assert spec.network == (confinement.network if network is Network.OUTBOUND else confinement.api)
    assert body["netns"] == {"nsmode": "none"}
    assert body["sysctl"]["net.ipv6.conf.all.disable_ipv6"] == "1"
    inspected, config = made(confinement)
    assert differences(spec, inspected, config) == []
    inspected["NetworkSettings"] = {"Networks": {confinement.network: {}}}
    assert differences(spec, inspected, config) != []


def test_a_step_with_outbound_network_gets_its_name_server(confinement: Confinement) -> None:
    known = replace(confinement, resolv_conf=Path("/srv/resolv.conf"))
    for network in Network:
        spec = step_container(replace(STEP, network=network), known, "feed")
        added = Mount(Path("/srv/resolv.conf"), "/etc/resolv.conf")
        assert (added in spec.mounts) is (network is Network.OUTBOUND)


def test_without_a_map_of_users_the_owner_is_the_user_itself(tmp_path: Path) -> None:
    plain = Confinement(tmp_path / "seccomp.json", first_id=None)
    assert plain.owner == 65_532
    assert create_request(step_container(STEP, plain, "i"), "n")["userns"] == {"nsmode": "host"}
    assert Confinement(tmp_path / "seccomp.json").owner == 165_532


def test_the_profile_admits_no_namespace_mount_or_trace() -> None:
    profile = json.loads(profile_text())
    admitted = {
        name for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]
    }
    never = "unshare setns mount umount2 pivot_root clone3 ptrace bpf keyctl io_uring_setup kexec_load"
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert admitted.isdisjoint(never.split())
    clone = [rule["args"] for rule in profile["syscalls"] if "clone" in rule["names"]]
    assert clone == [[{"index": 0, "value": NEW_NAMESPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}]]


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("abc: image not known", "curlew repo rebuild"),
        ("no command or entrypoint provided", "add CMD or ENTRYPOINT"),
        ("out of luck", "out of luck"),
    ],
)
def test_a_refusal_says_what_to_do(reason: str, advice: str) -> None:
    assert "work" in refusal(STEP, reason)
    assert advice in refusal(STEP, reason)
