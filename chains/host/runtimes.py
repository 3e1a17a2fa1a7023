"""Choice of the container runtime that works here, kept for the next start."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from chains.engine.port import EngineError
from chains.host.config import PATH, Runtime

NAMES = ("crun", "runc")
"""In Podman's own order of preference."""


class RuntimeChoice:
    """The runtime of a host, `chosen` by trying and recorded in `file`.

    Candidates are the runtime `name`, or all installed ones (None), with user namespaces if `userns` is set.
    """

    def __init__(self, file: Path, name: str | None, *, userns: bool) -> None:
        self._file = file
        self._name = name
        self._userns = userns
        self.chosen: Runtime | None = None

    @property
    def proven(self) -> Runtime | None:
        """The runtime that was found earlier for the same settings."""
        if self.chosen:
            return self.chosen
        with suppress(OSError, ValueError, KeyError):
            found = json.loads(self._file.read_text())
            if found["wanted"] == [self._name, self._userns]:
                return Runtime(found["name"], found["userns"])
        return None

    def require(self) -> Runtime:
        """Return the runtime that works here. Raises EngineError before the host was prepared."""
        if self.chosen is None:
            raise EngineError("the host was not made ready: call ensure() first")
        return self.chosen

    def choose(self, attempt: Callable[[Runtime, bool], str | None]) -> None:
        """Choose the first runtime with which `attempt` succeeds; it gets whether the runtime is proven.

        Raises EngineError if none works.
        """
        proven = self.proven
        candidates = self._candidates()
        failures = [] if candidates else ["none is installed"]
        for runtime in sorted(candidates, key=lambda candidate: candidate != proven):
            trouble = attempt(runtime, runtime == proven)
            if not trouble:
                self._keep(runtime)
                return
            failures.append(f"{runtime}: {trouble}")
        raise EngineError("no container runtime works here: " + "; ".join(failures))

    def _keep(self, runtime: Runtime) -> None:
        self.chosen = runtime
        wanted = [self._name, self._userns]
        self._file.write_text(json.dumps({"wanted": wanted, "name": runtime.name, "userns": runtime.userns}))

    def _candidates(self) -> list[Runtime]:
        """Return candidates in order: those with user namespaces before those without.

        Always by name: Podman's own choice changes when another runtime is installed.
        """
        names = [self._name] if self._name else [name for name in NAMES if shutil.which(name, path=PATH)]
        return [
            Runtime(name, userns) for userns in ([True, False] if self._userns else [False]) for name in names
        ]
