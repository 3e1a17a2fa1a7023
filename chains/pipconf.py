"""The host's pip configuration in the form in which image builds may see it."""

from __future__ import annotations

import configparser
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PASSED = frozenset({
    *("index-url", "extra-index-url", "find-links", "no-index", "trusted-host"),
    *("cert", "client-cert", "proxy", "retries", "timeout", "default-timeout"),
})  # fmt: skip
"""Options that say where packages come from; the rest of a host's configuration is about the host."""


@dataclass(frozen=True, slots=True)
class PipConfiguration:
    """A configuration file's text, and the host's paths it names with where a build finds them."""

    text: str
    paths: Mapping[Path, str]


def configuration(files: Iterable[Path], variables: Mapping[str, str]) -> PipConfiguration | None:
    """What `files` (later ones win) and PIP_* `variables` (which
    win over files) say of package sources; None when nothing.
    """
    options: dict[str, str] = {}
    for file in files:
        parser = configparser.RawConfigParser()
        try:
            parser.read(file)
        except (configparser.Error, UnicodeDecodeError):
            continue
        for section in ("global", "install"):
            options |= dict(parser.items(section)) if parser.has_section(section) else {}
    options |= {
        k.removeprefix("PIP_").lower().replace("_", "-"): v
        for k, v in variables.items()
        if k.startswith("PIP_")
    }
    kept = {key: value.split() for key, value in sorted(options.items()) if key in PASSED and value.strip()}
    paths: dict[Path, str] = {}
    lines = [f"{key} = " + " ".join(_moved(value, paths) for value in values) for key, values in kept.items()]
    return PipConfiguration("\n".join(["[global]", *lines, ""]), paths) if lines else None


def _moved(value: str, paths: dict[Path, str]) -> str:
    """`value` as a build has to name it: a path of the host gets a place of its own there."""
    path = Path(value)
    if not path.is_absolute() or not path.exists():
        return value
    return paths.setdefault(path, f"/run/curlew-pip/{len(paths)}{path.suffix if path.is_file() else ''}")
