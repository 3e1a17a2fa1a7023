"""Wishes for the data of a chart: the order of its rows, and stacks that are shares of a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from handlers.render.plots.data.order import RowOrder
from handlers.render.plots.look.setting_lines import BadSetting, word_of

ORDERS = tuple(RowOrder)
STACKS = ("sum", "share")
SORT, STACK = "config/axis/sort", "config/axis/stack"


@dataclass(frozen=True, slots=True)
class DataWishes:
    """Wishes of settings for the data, with sentences about what was not understood."""

    order: RowOrder = RowOrder.DATA
    shares: bool = False
    notes: tuple[str, ...] = ()


def read_order(text: str) -> RowOrder:
    """The order that `axis/sort` asks for. Raises BadSetting."""
    return RowOrder(word_of(text, ORDERS) or RowOrder.DATA)


def read_stack(text: str) -> bool:
    """Whether `axis/stack` asks for shares. Raises BadSetting."""
    return word_of(text, STACKS) == "share"


def read_data_wishes(config: Mapping[str, str]) -> DataWishes:
    """The wishes of settings by their path below `config`; one that cannot be read is noted."""
    notes = list[str]()
    order, shares = RowOrder.DATA, False
    try:
        order = read_order(config.get("axis/sort", ""))
    except BadSetting as wrong:
        notes.append(f"{SORT}: {wrong.reason}")
    try:
        shares = read_stack(config.get("axis/stack", ""))
    except BadSetting as wrong:
        notes.append(f"{STACK}: {wrong.reason}")
    return DataWishes(order, shares, tuple(notes))
