"""Promises of every Engine: subclass, give `engine()` and `spec()`, and let a test runner collect it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from chains.engine.port import Cause, Engine, EngineError, Exit, Handle, Limits, Line, Mount, StepSpec
from tests.kit.suites.chains import at_once

# What an image's command must do to be played with: the words of FakeEngine, for a POSIX shell.
SCRIPT = r"""
[ -z "$IGNORE_TERM" ] || trap '' TERM
[ -z "$ECHO" ] || printf '%s\n' "$ECHO"
[ -z "$STDERR" ] || printf '%s\n' "$STDERR" >&2
for name in $PRINTENV; do eval "printf '%s\n' \"$name=\$$name\""; done
[ -z "$SLEEP" ] || sleep "$SLEEP"
if [ "${COPY+given}" ]; then
    cp -r /input/. /output/
    [ -z "$COPY" ] || find /output -type f -exec sh -c 'printf "%s\n" "$2" >> "$1"' sh {} "$COPY" \;
fi
IFS=';'
for entry in $WRITE; do
    mkdir -p "$(dirname "/output/${entry%%=*}")"
    printf '%s' "${entry#*=}" > "/output/${entry%%=*}"
done
for name in $LINK; do ln -s /etc/passwd "/output/$name"; done
[ -z "$OOM" ] || exec tail /dev/zero
exit "${EXIT:-0}"
"""

LONG = "30"


class Running:
    """A step that runs in a thread, with its lines as they come."""

    def __init__(self, engine: Engine, spec: StepSpec) -> None:
        self.lines: list[Line] = []
        self.handle = engine.prepare(spec)
        self._said = threading.Condition()
        self._ends: list[Exit] = []
        engine.start(self.handle)
        self._thread = threading.Thread(
            target=lambda: self._ends.append(engine.wait(self.handle, self._tell))
        )
        self._thread.start()

    def _tell(self, line: Line) -> None:
        with self._said:
            self.lines.append(line)
            self._said.notify_all()

    def says(self, text: str) -> None:
        """Return once the step printed a line."""
        with self._said:
            assert self._said.wait_for(lambda: any(line.text == text for line in self.lines), 30)

    def ends(self) -> Exit:
        """Wait for its end."""
        self._thread.join(60)
        return self._ends[0]


class EngineSuite:
    """The promises of chains.engine.port.Engine.

    A subclass gives `engine()` and `spec(**words)`: a step of run `1` with separate folders, one of them
    mounted at /input and one at /output, whose command does what the words of FakeEngine say.
    """

    def engine(self) -> Engine:
        """The engine."""
        raise AssertionError("a subclass gives the engine")

    def spec(self, **words: str) -> StepSpec:
        """A step that does what the words say."""
        raise AssertionError("a subclass gives the step")

    def play(self, spec: StepSpec) -> tuple[Exit, list[Line]]:
        """Run a step from its preparation to its removal."""
        engine = self.engine()
        running = Running(engine, spec)
        try:
            return running.ends(), running.lines
        finally:
            engine.remove(running.handle)

    def play_with_limits(self, spec: StepSpec, change: Callable[[Limits], Limits]) -> Exit:
        """The end of a step whose limits are changed."""
        return self.play(replace(spec, limits=change(spec.limits)))[0]

    def test_a_step_reads_input_writes_output_and_says_what_it_does(self) -> None:
        spec = self.spec(COPY="copied", WRITE="deep/x=1;y=2", ECHO="one\ntwo", STDERR="oops")
        (_input(spec).source / "birds.txt").write_text("curlew\n")
        ended, lines = self.play(spec)
        assert ended == Exit(0)
        assert ended.succeeded
        assert [line.text for line in lines if line.stream == "stdout"] == ["one", "two"]
        assert [line.text for line in lines if line.stream == "stderr"] == ["oops"]
        assert (spec.output / "birds.txt").read_text() == "curlew\ncopied\n"
        assert (spec.output / "deep" / "x").read_text() == "1"

    def test_a_step_is_shown_as_a_shell_command_without_secrets(self) -> None:
        spec = self.spec(BIRD="whimbrel and godwit")
        line = self.engine().command(spec)
        assert "podman run --rm " in line
        assert " --env=BIRD " in line
        assert line.endswith(f" {spec.image}")
        assert "whimbrel" not in line
        assert not any(str(mount.source) in line for mount in spec.mounts)

    def test_the_environment_is_the_steps(self) -> None:
        _, lines = self.play(self.spec(PRINTENV="BIRD", BIRD="whimbrel and godwit"))
        assert [line.text for line in lines] == ["BIRD=whimbrel and godwit"]

    def test_the_exit_code_is_that_of_the_command(self) -> None:
        ended, _ = self.play(self.spec(EXIT="7"))
        assert ended == Exit(7)
        assert not ended.succeeded

    def test_nothing_runs_before_the_start(self) -> None:
        engine, spec = self.engine(), self.spec(COPY="")
        handle = engine.prepare(spec)
        (_input(spec).source / "late.txt").write_text("put there after the preparation")
        assert list(spec.output.iterdir()) == []
        engine.start(handle)
        assert engine.wait(handle, lambda line: None).succeeded
        engine.remove(handle)
        assert [path.name for path in spec.output.iterdir()] == ["late.txt"]

    def test_lines_arrive_while_the_step_runs(self) -> None:
        engine = self.engine()
        running = Running(engine, self.spec(ECHO="soon", SLEEP=LONG))
        running.says("soon")
        engine.stop(running.handle, 5)
        assert running.ends().cause is Cause.STOPPED
        engine.remove(running.handle)

    def test_a_step_that_ignores_sigterm_is_killed_after_the_grace(self) -> None:
        engine = self.engine()
        running = Running(engine, self.spec(ECHO="deaf", SLEEP=LONG, IGNORE_TERM="1"))
        running.says("deaf")
        stopped = time.monotonic()
        engine.stop(running.handle, 0.3)
        engine.stop(running.handle, 0.3)
        assert running.ends() == Exit(137, Cause.STOPPED)
        assert 0.3 <= time.monotonic() - stopped < 10
        engine.remove(running.handle)

    def test_a_step_stopped_before_its_start_runs_nothing(self) -> None:
        engine, spec = self.engine(), self.spec(WRITE="x=1", SLEEP="0.1")
        handle = engine.prepare(spec)
        engine.stop(handle, 0.2)
        engine.start(handle)
        assert engine.wait(handle, lambda line: None).cause is Cause.STOPPED
        engine.remove(handle)
        assert list(spec.output.iterdir()) == []

    def test_a_stop_after_the_end_changes_nothing(self) -> None:
        engine = self.engine()
        running = Running(engine, self.spec(EXIT="3"))
        assert running.ends() == Exit(3)
        engine.stop(running.handle, 1)
        engine.remove(running.handle)
        engine.remove(running.handle)
        engine.stop(running.handle, 1)

    def test_removing_ends_what_runs(self) -> None:
        engine = self.engine()
        running = Running(engine, self.spec(ECHO="on", SLEEP=LONG))
        running.says("on")
        engine.remove(running.handle)
        assert not running.ends().succeeded

    def test_limits_of_time_output_log_and_memory_end_a_step(self) -> None:
        cases: list[tuple[StepSpec, Callable[[Limits], Limits], Cause]] = [
            (self.spec(SLEEP=LONG), lambda limits: replace(limits, seconds=0.5), Cause.TIME),
            (self.spec(WRITE="x=" + "y" * 9000), lambda limits: replace(limits, output=4000), Cause.OUTPUT),
            (self.spec(ECHO="y" * 9000), lambda limits: replace(limits, log=4000), Cause.LOG),
            (self.spec(OOM="1"), lambda limits: replace(limits, memory=32 << 20), Cause.MEMORY),
        ]
        for spec, change, cause in cases:
            ended = self.play_with_limits(spec, change)
            assert ended.cause is cause
            assert not ended.succeeded

    def test_what_is_not_there_is_the_engines_error(self) -> None:
        spec = self.spec()
        gone = Mount(spec.output / "gone", "/input")
        for wrong in (
            replace(spec, image="sha256:" + "0" * 64),
            replace(spec, mounts=(gone, spec.mounts[1])),
        ):
            assert isinstance(at_once(partial(self.engine().prepare, wrong))[0], EngineError | OSError)

    def test_sweeping_removes_what_nobody_keeps(self) -> None:
        engine = self.engine()
        handles = [engine.prepare(replace(self.spec(), run=run)) for run in ("7", "8")]
        assert engine.sweep(lambda run: run == "8") == ["7"]
        assert engine.sweep(lambda run: run == "8") == []
        engine.start(handles[1])
        assert engine.wait(handles[1], lambda line: None).succeeded
        for handle in handles:
            engine.remove(handle)
        assert isinstance(at_once(lambda: _run(engine, handles[0]))[0], EngineError)


def _input(spec: StepSpec) -> Mount:
    return next(mount for mount in spec.mounts if mount.target == "/input")


def _run(engine: Engine, handle: Handle) -> Exit:
    engine.start(handle)
    return engine.wait(handle, lambda line: None)
