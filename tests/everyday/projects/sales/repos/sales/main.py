"""Sum up the sales of a CSV file: rows for a chart, one number, and a report."""

from pathlib import Path

import pandas as pd

sales = pd.read_csv("/input/sales.csv", parse_dates=["date"])
sales["month"] = sales["date"].dt.strftime("%B")
months = sales.pivot_table("amount", index="month", columns="region", aggfunc="sum", sort=False)
regions = sales.groupby("region")["amount"].sum().sort_values(ascending=False)
total = sales["amount"].sum()

out = Path("/output")
months.to_csv(out / "chart.csv")
(out / "total.txt").write_text(f"{total:.2f}")
(out / "report.md").write_text(f"""# Sales of the quarter

Sold for {total:,.2f} in all, most of it in the {regions.index[0]}.

{regions.to_markdown(floatfmt=",.2f")}

{{{{ vis ref: /p/sales }}}}
""")
