"""What the doctor says of versions: known escapes are a warning, and no failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from chains.buildbox.doctor import versions
from chains.engine.port import EngineError
from chains.host.config import HostFolders, Runtime
from chains.host.doctor import observe_host, users
from chains.host.host import HostSettings, PodmanHost
from chains.host.program import PodmanProgram
from tests.kit.podman import release


class Aged(PodmanProgram):
    """Programs of given versions."""

    def __init__(self, layout: HostFolders, **said: str) -> None:
        super().__init__(layout, {})
        self._said = said

    def version_of(self, program: str) -> str:
        """As Program.version_of."""
        name = program.rpartition("/")[2]
        if name not in self._said:
            raise EngineError(f"{name} cannot be run")
        return self._said[name]


@pytest.mark.parametrize(
    ("podman", "runc", "open_to"),
    [
        (
            "podman version 4.3.1",
            "runc version 1.1.5+ds1",
            ["CVE-2024-1753", "CVE-2024-9675", "CVE-2024-21626"],
        ),
        ("podman version 5.2.4", "runc version 1.1.12", ["CVE-2024-9675"]),
        ("podman version 5.4.2", "runc version 1.2.0", []),
        ("podman of no known version", "runc version 1.3", []),
    ],
)
def test_known_escapes_are_named(tmp_path_factory: pytest.TempPathFactory, podman: str, runc: str,
                                 open_to: list[str]) -> None:  # fmt: skip
    layout = HostFolders(tmp_path_factory.mktemp("a"), tmp_path_factory.mktemp("b"))
    program = Aged(layout, podman=podman, runc=runc, buildah="buildah version 1.39.3")
    checks = list(versions(program, Runtime("runc", userns=True)))
    assert [check.name for check in checks] == ["podman's age", "runc's age", "buildah's age"]
    assert all(check.ok for check in checks)
    said = " ".join(check.detail for check in checks)
    assert [cve for cve in open_to if cve not in said] == []
    assert any(check.warning for check in checks) is bool(open_to)


def test_a_program_that_is_not_there_is_said(tmp_path_factory: pytest.TempPathFactory) -> None:
    layout = HostFolders(tmp_path_factory.mktemp("a"), tmp_path_factory.mktemp("b"))
    first, *_ = versions(Aged(layout), Runtime("crun", userns=True))
    assert (first.ok, first.warning, first.detail) == (True, False, "podman cannot be run")


def test_a_host_that_no_process_runs_is_observed_without_being_started(tmp_path: Path) -> None:
    host = PodmanHost(HostSettings(folder=tmp_path / "folder", state=tmp_path / "state"))
    release(host.instance)
    found = {check.name: check for check in observe_host(host)}
    assert {name for name, check in found.items() if not check.ok} >= {"engine", "network", "api"}
    assert str(tmp_path / "state") in found["engine"].detail
    assert not (tmp_path / "state").exists()


def test_a_host_that_maps_no_users_though_it_should_is_not_well() -> None:
    assert [users(wanted, Runtime("runc", False), 100_000).ok for wanted in (True, False)] == [False, True]
