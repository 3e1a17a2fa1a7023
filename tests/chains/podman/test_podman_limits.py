"""What confines a step on PodmanEngine: its limits, its owner, and the comparison before it may run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from chains.engine.port import Cause, EngineError, Exit, Handle, Mount
from chains.podman.api import ApiResponse, Podman, Verb
from chains.podman.engine import PodmanEngine
from tests.chains.played import play
from tests.kit.podman import Bench, texts

pytestmark = pytest.mark.podman


def test_a_kill_by_the_step_itself_is_not_a_want_of_memory(podman_bench: Bench) -> None:
    assert play(podman_bench, podman_bench.step("kill -9 $$"))[0] == Exit(137)


@pytest.mark.parametrize(
    "script",
    [
        "i=0; while :; do head -c 300000 /dev/zero > /output/$i; i=$((i+1)); done",
        "head -c 20000000 /dev/zero > /output/one",
        "trap '' XFSZ; head -c 20000000 /dev/zero > /output/one; exit 1",
    ],
)
def test_the_output_is_a_limit(podman_bench: Bench, script: str) -> None:
    spec = podman_bench.step(script, output=2 << 20)
    assert play(podman_bench, spec)[0].cause is Cause.OUTPUT


@pytest.mark.parametrize(
    "script",
    [
        "i=0; while :; do head -c 4000000 /dev/zero > /mnt/n/$i; i=$((i+1)); done",
        "dd if=/dev/zero of=/mnt/n/one bs=1 count=1 seek=40000000 && sleep 30",
        "head -c 40000000 /dev/zero > /mnt/n/quick",
    ],
)
def test_what_a_mount_may_grow_by_is_a_limit(podman_bench: Bench, script: str) -> None:
    spec, folder = podman_bench.step(script), podman_bench.folder("space")
    (folder / "there").write_bytes(bytes(30 << 20))
    spec = replace(spec, mounts=(*spec.mounts, Mount(folder, "/mnt/n", writable=True, growth=1 << 20)))
    ended, _ = play(podman_bench, spec)
    assert (ended.cause, ended.detail) == (Cause.MOUNT, "/mnt/n")


def test_a_mount_may_grow_as_far_as_it_may(podman_bench: Bench) -> None:
    spec, folder = podman_bench.step("head -c 4000000 /dev/zero > /mnt/n/one"), podman_bench.folder("space")
    spec = replace(spec, mounts=(*spec.mounts, Mount(folder, "/mnt/n", writable=True, growth=4_000_000)))
    assert play(podman_bench, spec)[0] == Exit(0)


def test_processes_are_limited_and_the_step_may_go_on(podman_bench: Bench) -> None:
    script = "sh -c 'for i in $(seq 200); do sleep 1 & done'; echo went on"
    ended, lines = play(podman_bench, podman_bench.step(script, pids=24))
    assert ended == Exit(0)
    # Both streams are read at once, so that their lines may come in either order.
    assert "went on" in texts(lines)
    assert any("can't fork" in text for text in texts(lines))


def test_another_curlew_on_the_same_podman_sweeps_only_its_own(podman_bench: Bench) -> None:
    host = podman_bench.host
    other = PodmanEngine(Podman(host.socket), host.confinement, host.exits, "0" * 12, host.networks.connect)
    handle = podman_bench.engine.prepare(podman_bench.step("true", run="ours"))
    assert other.sweep(lambda run: False) == []
    podman_bench.engine.remove(handle)
    other.close()


class Forgetful(Podman):
    """A connection that loses an option of the container without a word, as clients have done."""

    option: str

    def call(
        self,
        verb: Verb,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | bytes | None = None,
        once: bool = False,
    ) -> ApiResponse:
        if isinstance(body, Mapping):
            body = {key: value for key, value in body.items() if key != self.option}
        return super().call(verb, path, query=query, body=body, once=once)


@pytest.mark.parametrize(
    "option",
    [
        *(
            "cap_drop",
            "no_new_privileges",
            "read_only_filesystem",
            "seccomp_profile_path",
            "init",
            "user",
            "userns",
        ),
        *("resource_limits", "r_limits", "mounts", "netns"),
    ],
)
def test_a_container_that_is_not_as_wanted_never_runs(podman_bench: Bench, option: str) -> None:
    host = podman_bench.host
    lossy = Forgetful(host.socket)
    lossy.option = option
    engine = PodmanEngine(lossy, host.confinement, host.exits, host.instance, host.networks.connect)
    with pytest.raises(EngineError, match="not confined as it must be"):
        engine.prepare(podman_bench.step("true", run=f"lossy-{option}"))
    assert engine.sweep(lambda run: False) == []
    engine.close()


def test_a_handle_of_an_unknown_container_is_refused(podman_bench: Bench) -> None:
    unknown = Handle("0" * 64, podman_bench.step("true"))
    podman_bench.engine.stop(unknown, 1)
    podman_bench.engine.remove(unknown)
    with pytest.raises(EngineError, match="was removed"):
        podman_bench.engine.wait(unknown, lambda line: None)
