"""Checks of a plot's settings: what cannot be read is refused with its line, its column and what to write."""

from __future__ import annotations

from collections.abc import Callable

from handlers.render.plots.look.setting_lines import BadSetting
from vfs.errors import Invalid
from vfs.nodes import Check


def check_of(read: Callable[[str], object]) -> Check:
    """The check by which a text is kept as it was sent, if it can be read."""

    def check(sent: str) -> str:
        try:
            read(sent)
        except BadSetting as wrong:
            where = {"line": wrong.line, "column": wrong.column, "reason": wrong.reason}
            said = f"line {wrong.line}, column {wrong.column}: {wrong.reason}"
            raise Invalid(said, rejected=[where]) from None
        return sent

    return check
