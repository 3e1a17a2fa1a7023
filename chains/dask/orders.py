"""StepOrder: a step's order for a worker, sealed on its way through the scheduler."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from chains.engine.port import EngineError, Limits, Network
from vfs.errors import VfsError

OTHER_KEY = (
    "what it was sent does not open with its key file: every host of an installation has the same key_file"
)


class Seal(Protocol):
    """Encryption of texts, each bound to the context for which it was sealed."""

    def close(self, text: str, context: str) -> str:
        """Return the text sealed."""

    def open(self, sealed: str, context: str) -> str:
        """Return the opened text. Raise VfsError if it was sealed for another context or with another key."""


@dataclass(frozen=True, slots=True)
class SentFolder:
    """A step's mount in an order: a manifest of its files (empty: none), and its empty folders.

    `is_output` marks the folder that counts against the limit of /output.
    """

    target: str
    manifest: str
    empty: tuple[str, ...] = ()
    writable: bool = False
    growth: int | None = None
    is_output: bool = False


@dataclass(frozen=True, slots=True)
class StepOrder:
    """A step for a worker: a chains.engine.port.StepSpec whose folders are manifests."""

    run: str
    step: str
    image: str
    env: Mapping[str, str]
    public: tuple[str, ...]
    folders: tuple[SentFolder, ...]
    limits: Limits
    network: Network
    replica: int | None
    source: str
    account: str = ""

    def seal(self, seal: Seal, key: str) -> str:
        """Return the order sealed for a task's key. It cannot be opened with another key."""
        return seal.close(json.dumps(asdict(self)), _context(key))

    def on_host(self, own: Mapping[str, str | None]) -> StepOrder:
        """Return the order with the host's own values of the service's variables, not of the job's."""
        env = dict(self.env)
        for name, value in own.items():
            if name in self.public and env.pop(name, None) is not None and value is not None:
                env[name] = value
        return replace(self, env=env)


def open_order(sealed: str, seal: Seal, key: str) -> StepOrder:
    """Return the order that was sealed for a key. Raise EngineError for anything else."""
    try:
        said: dict[str, Any] = json.loads(seal.open(sealed, _context(key)))
    except VfsError as error:
        raise EngineError(OTHER_KEY) from error
    folders = (SentFolder(**{**row, "empty": tuple(row["empty"])}) for row in said.pop("folders"))
    limits, network = Limits(**said.pop("limits")), Network(said.pop("network"))
    public = tuple(said.pop("public"))
    return StepOrder(**said, folders=tuple(folders), limits=limits, network=network, public=public)


def _context(key: str) -> str:
    return f"dask order {key}"
