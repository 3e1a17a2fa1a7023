"""Queries over tables, and charts for browsers."""

import altair
import duckdb
import openpyxl
import plotly.express
import polars
import pyarrow as pa
import pyarrow.parquet
import xlsxwriter

table = polars.DataFrame({"month": ["May", "June", "June"], "birds": [3, 4, 5]})
assert table.group_by("month").agg(polars.col("birds").sum()).sort("month")["birds"].to_list() == [9, 3]
pyarrow.parquet.write_table(pa.table({"n": list(range(1000))}), "/output/n.parquet")
assert duckdb.sql("select sum(n) from '/output/n.parquet'").fetchall() == [(499500,)]

with xlsxwriter.Workbook("/output/book.xlsx") as book:
    sheet = book.add_worksheet()
    sheet.write_column("A1", [1, 2, 3])
    chart = book.add_chart({"type": "line"})
    chart.add_series({"values": "=Sheet1!$A$1:$A$3"})
    sheet.insert_chart("C1", chart)
assert openpyxl.load_workbook("/output/book.xlsx").active["A3"].value == 3
assert "vega-lite" in altair.Chart(altair.InlineData([{"x": 1}])).mark_bar().encode(x="x:Q").to_json()
assert "plotly" in plotly.express.line(x=[1, 2], y=[3, 4]).to_html()
print("all well")
