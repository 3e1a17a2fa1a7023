"""The command line in the log of a failed run does what the step did."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from chains.engine.port import Network, StepSpec
from tests.chains.podman.test_runner_podman import PodmanRunnerSetup, runner_setup
from tests.kit.podman import Bench
from tests.kit.suites.chains import chain

__all__ = ["runner_setup"]

pytestmark = pytest.mark.podman

SCRIPT = """
echo "$API_KEY: $(cat /input/birds.txt)" | tee /output/said
touch /elsewhere || echo "nothing else is written"
id -u
exit 3
"""


def by_hand(line: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a person sees who types a line of the log."""
    return subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_line_of_the_log_runs_the_step_again(runner_setup: PodmanRunnerSetup, tmp_path: Path) -> None:
    runner_setup.script("a", SCRIPT)
    runner_setup.env = {"API_KEY": "a very secret word"}
    log = runner_setup.log(runner_setup.run(chain("a"), {"birds.txt": "curlew"}))
    (line,) = [line for line in log if "to run it by hand: " in line]
    here = tmp_path / "by hand"
    (here / "input").mkdir(parents=True)
    (here / "input" / "birds.txt").write_text("curlew")
    done = by_hand(line.partition("by hand: ")[2], here, API_KEY="another word")
    assert (done.returncode, done.stdout) == (3, "another word: curlew\nnothing else is written\n65532\n")
    assert (here / "output" / "said").read_text() == "another word: curlew\n"
    assert [said for said in log if "a very secret word" in said] == []


@pytest.mark.parametrize("network", Network, ids=str)
def test_the_line_confines_as_the_step_was(podman_bench: Bench, network: Network, tmp_path: Path) -> None:
    step = podman_bench.step("cat /proc/self/status | grep -E 'Cap|Seccomp:|NoNewPrivs'; ls /sys/class/net")
    spec = StepSpec("1", "a", step.image, {}, step.mounts, step.output, step.limits, network)
    done = by_hand(podman_bench.engine.command(spec), tmp_path)
    assert done.returncode == 0, done.stderr
    status = dict(line.split(":\t") for line in done.stdout.splitlines() if ":\t" in line)
    assert {status[name] for name in status if name.startswith("Cap")} == {"0" * 16}
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    assert ("eth0" in done.stdout) is (network is not Network.NONE)
