"""Reading: what the settings of a plot say about how its data are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Reading(NamedTuple):
    """The notation of data as their plot states it; None: as the data suggest it.

    `comma` is whether a comma is the decimal mark, `day_first` whether days stand before months in dates such
    as 1/2/2026, `header` whether the first row has the names of the columns.
    """

    comma: bool | None = None
    day_first: bool | None = None
    header: bool = True


BY_DATA = Reading()


def reading_of(config: Mapping[str, str]) -> Reading:
    """Return the reading that settings by their path below `config` state."""
    said = {name: config.get(f"reading/{name}", "").strip() for name in ("decimal", "dates", "header")}
    comma, day_first = {"comma": True, "point": False}, {"day": True, "month": False}
    return Reading(comma.get(said["decimal"]), day_first.get(said["dates"]), said["header"] != "none")
