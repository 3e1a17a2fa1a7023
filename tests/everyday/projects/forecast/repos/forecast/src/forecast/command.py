"""The command `forecast`."""

import json
from pathlib import Path

from tabulate import tabulate

from forecast.trend import next_of


def main() -> None:
    """Read the numbers of the input, and leave a table of the next three."""
    numbers = json.loads(Path("/input/input.json").read_text())["numbers"]
    rows = enumerate(next_of(numbers, 3), len(numbers) + 1)
    table = tabulate(rows, headers=("month", "forecast"), tablefmt="github", floatfmt=".1f")
    Path("/output/forecast.md").write_text(table + "\n")
