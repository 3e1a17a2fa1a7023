"""PodmanEngine against its written contract (chains.engine.port.Engine), with real containers."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from chains.engine.port import BuildOrder, Cause, EngineError, Exit, Line
from chains.podman.engine import PodmanEngine
from tests.chains.played import Running, play
from tests.kit.podman import Bench, texts

pytestmark = pytest.mark.podman


def test_lines_carry_the_moment_at_which_they_were_written(podman_bench: Bench) -> None:
    before = datetime.now(UTC)
    _, lines = play(podman_bench, podman_bench.step("echo now"))
    written = datetime.fromisoformat(lines[0].time)
    assert lines[0].time.endswith("Z")
    assert before <= written <= datetime.now(UTC)


def test_input_may_change_until_the_start_and_private_files_are_readable(podman_bench: Bench) -> None:
    spec = podman_bench.step("cat /input/deep/late.txt")
    handle = podman_bench.engine.prepare(spec)
    deep = spec.mounts[0].source / "deep"
    deep.mkdir(mode=0o700)
    (deep / "late.txt").write_text("late\n")
    (deep / "late.txt").chmod(0o600)
    (deep / "away").symlink_to("/etc/shadow")
    lines: list[Line] = []
    podman_bench.engine.start(handle)
    assert podman_bench.engine.wait(handle, lines.append) == Exit(0)
    podman_bench.engine.remove(handle)
    assert texts(lines) == ["late"]
    assert os.stat("/etc/shadow").st_uid == 0


def test_input_is_read_only(podman_bench: Bench) -> None:
    spec = podman_bench.step("echo x > /input/x")
    assert play(podman_bench, spec)[0].code == 1
    assert not (spec.mounts[0].source / "x").exists()


def test_a_command_that_cannot_be_executed_is_code_127(podman_bench: Bench) -> None:
    context = podman_bench.folder("context")
    (context / "Dockerfile").write_text('FROM localhost/busybox:latest\nCMD ["/no/such/program"]\n')
    image = podman_bench.builder.build(
        BuildOrder(1, context, "Dockerfile", "no-program", {}), lambda line: None
    )
    ended, lines = play(podman_bench, replace(podman_bench.step("true"), image=image.id))
    assert ended == Exit(127)
    assert "No such file or directory" in lines[-1].text


def test_an_image_that_is_not_there_is_the_engines_error_and_nothing_is_pulled(podman_bench: Bench) -> None:
    spec = replace(podman_bench.step("true"), image="f" * 64)
    missed: list[str] = []
    host = podman_bench.host
    engine = PodmanEngine(
        podman_bench.podman,
        host.confinement,
        host.exits,
        "0" * 12,
        host.networks.connect,
        missed=missed.append,
    )
    with pytest.raises(EngineError, match="curlew repo rebuild"):
        engine.prepare(spec)
    assert missed == [spec.image]


def test_an_image_without_a_command_is_reported(podman_bench: Bench) -> None:
    context = podman_bench.folder("context")
    (context / "x").write_text("")
    (context / "Dockerfile").write_text("FROM scratch\nCOPY x /x\n")
    image = podman_bench.builder.build(
        BuildOrder(1, context, "Dockerfile", "no-command", {}), lambda line: None
    )
    with pytest.raises(EngineError, match="add CMD or ENTRYPOINT"):
        podman_bench.engine.prepare(replace(podman_bench.step("true"), image=image.id))


def test_what_an_image_asks_for_does_not_loosen_its_confinement(podman_bench: Bench) -> None:
    context = podman_bench.folder("context")
    (context / "Dockerfile").write_text(
        "FROM localhost/busybox:latest\nUSER root\nVOLUME /data /input\nSTOPSIGNAL SIGUSR1\nENV HOME=/root\n"
        "HEALTHCHECK CMD touch /output/healthy\nEXPOSE 80\n"
        'ENTRYPOINT ["sh", "-c"]\nCMD ["id -u; touch /data/x || echo kept; pwd"]\nWORKDIR /srv\n'
    )
    image = podman_bench.builder.build(
        BuildOrder(1, context, "Dockerfile", "greedy-image", {}), lambda line: None
    )
    ended, lines = play(podman_bench, replace(podman_bench.step("true"), image=image.id))
    assert ended == Exit(0)
    assert [line.text for line in lines if line.stream == "stdout"] == ["65532", "kept", "/srv"]
    assert any(line.startswith("touch: /data/x:") for line in texts(lines))


def test_each_of_many_lines_arrives_in_order(podman_bench: Bench) -> None:
    _, lines = play(
        podman_bench, podman_bench.step("i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done")
    )
    assert texts(lines) == [str(n) for n in range(20_000)]


def test_odd_output_becomes_lines_of_text(podman_bench: Bench) -> None:
    script = r"printf 'bad \377 and \000 end\n'; head -c 200000 /dev/zero | tr '\0' x; echo; printf 'no end'"
    _, lines = play(podman_bench, podman_bench.step(script))
    assert lines[0].text == "bad \ufffd and \ufffd end"
    assert "".join(texts(lines[1:-1])) == "x" * 200_000
    assert lines[-1].text == "no end"


def test_a_step_that_is_stopped_may_clean_up(podman_bench: Bench) -> None:
    script = "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done"
    step = Running(podman_bench, podman_bench.step(script))
    step.says("ready")
    podman_bench.engine.stop(step.handle, 30)
    podman_bench.engine.stop(step.handle, 30)
    assert step.ends() == Exit(0, Cause.STOPPED)
    assert texts(step.lines)[-1] == "bye"
    podman_bench.engine.stop(step.handle, 1)
    podman_bench.engine.remove(step.handle)


def test_a_step_that_knows_nothing_of_signals_ends_at_sigterm(podman_bench: Bench) -> None:
    step = Running(podman_bench, podman_bench.step("echo ready; exec sleep 60"))
    step.says("ready")
    begun = time.monotonic()
    podman_bench.engine.stop(step.handle, 30)
    assert step.ends() == Exit(143, Cause.STOPPED)
    assert time.monotonic() - begun < 20
    podman_bench.engine.remove(step.handle)


def test_a_step_stopped_the_moment_it_starts_does_not_miss_the_signal(podman_bench: Bench) -> None:
    for _ in range(5):
        handle = podman_bench.engine.prepare(podman_bench.step("exec sleep 60"))
        podman_bench.engine.start(handle)
        podman_bench.engine.stop(handle, 30)
        begun = time.monotonic()
        assert podman_bench.engine.wait(handle, lambda line: None).cause is Cause.STOPPED
        assert time.monotonic() - begun < 20
        podman_bench.engine.remove(handle)
