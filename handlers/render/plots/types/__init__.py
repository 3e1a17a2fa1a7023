"""Types of plots, one module for each or for some that share a base; new modules are found automatically.

Each module has `TYPES`: all types that it declares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules

from handlers.render.plots.plot_type import PlotType


def _find_types() -> Iterator[PlotType]:
    """Yield the types of all modules of this package."""
    for module in iter_modules(__path__):
        yield from import_module(f"{__name__}.{module.name}").TYPES


_ALL = sorted(_find_types(), key=lambda kind: kind.order)
TYPES: Mapping[str, PlotType] = {kind.word: kind for kind in _ALL if not kind.table}
(TABLE,) = (kind for kind in _ALL if kind.table)
