"""Names of axes: lines of `x` or `y` and the words that stand at its end."""

from __future__ import annotations

from handlers.render.plots.look.setting_lines import LONGEST_SHOWN, BadSetting

LONGEST = 80


def read_axis_names(text: str) -> dict[str, str]:
    """The names by `x` and `y`. Raises BadSetting."""
    names = dict[str, str]()
    for number, line in enumerate(text.splitlines(), 1):
        axis, _, name = line.strip().partition(" ")
        if not axis:
            continue
        if axis not in ("x", "y"):
            said = line.strip()[:LONGEST_SHOWN]
            raise BadSetting(number, 1, f'"{said}" names no axis: write x or y before it, such as x Month')
        name = " ".join(name.split())
        if len(name) > LONGEST:
            raise BadSetting(number, 3, f"the name of an axis has up to {LONGEST} characters: shorten it")
        names[axis] = name
    return names
