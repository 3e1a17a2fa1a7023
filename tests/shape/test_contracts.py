"""Contracts of imports: the inside of every large package is ordered by one, none of its modules left out."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.kit.sources import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
MOST_WITHOUT = 10
"""Largest number of modules of a package that needs no documented order."""


def test_every_large_package_has_a_contract_of_all_its_modules() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    whole = {package for one in contracts if one.get("exhaustive") for package in one["containers"]}
    independent = {
        name.removesuffix(".*")
        for one in contracts
        if one["type"] == "independence"
        for name in one["modules"]
    }
    large = {name for name, members in packages() if len(members) > MOST_WITHOUT}
    assert large - whole - independent == set()


def packages() -> Iterator[tuple[str, list[Path]]]:
    """Every package by its name, with its modules and packages."""
    for start in (ROOT / name for name in PACKAGES):
        for place in start.rglob("__init__.py"):
            folder = place.parent
            parts = [one for one in folder.iterdir() if (one / "__init__.py").exists() or one.suffix == ".py"]
            members = [one for one in parts if one != place]
            yield ".".join(folder.relative_to(ROOT).parts), members
