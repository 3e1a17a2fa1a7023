"""Find number and sum in the texts of invoices, and make one table of them."""

import re
from pathlib import Path

with open("/output/invoices.csv", "w") as table:
    print("file,number,total", file=table)
    for file in sorted(Path("/input").glob("*.txt")):
        text = file.read_text()
        number = re.search(r"Invoice (\d+)", text)[1]
        total = re.search(r"Total: ([\d.]+)", text)[1]
        print(file.stem, number, total, sep=",", file=table)
