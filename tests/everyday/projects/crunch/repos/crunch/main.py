"""Work through many rows, with a bar of how far it is."""

import json
import time
from pathlib import Path

from tqdm import tqdm

rows = json.loads(Path("/input/input.json").read_text())["rows"]
total = 0
for row in tqdm(range(rows), desc="rows"):
    time.sleep(0.05)
    total += row
    if row % 20 == 0:
        tqdm.write(f"at row {row}")
Path("/output/total.txt").write_text(f"{total}\n")
