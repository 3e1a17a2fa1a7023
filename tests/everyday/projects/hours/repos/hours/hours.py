# /// script
# requires-python = ">=3.11"
# dependencies = ["python-dateutil", "tabulate"]
# ///
"""Sum up the hours of a time sheet by week."""

import collections
import csv
from pathlib import Path

from dateutil.parser import parse
from tabulate import tabulate

weeks = collections.Counter()
with open("/input/hours.csv") as file:
    for row in csv.DictReader(file):
        begin, end = parse(row["begin"]), parse(row["end"])
        weeks[f"{begin:%G-W%V}"] += (end - begin).total_seconds() / 3600
table = tabulate(sorted(weeks.items()), headers=("week", "hours"), floatfmt=".2f")
Path("/output/hours.txt").write_text(table + "\n")
