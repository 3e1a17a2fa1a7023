"""Add what is left of each budget to a workbook, and a chart of it."""

from openpyxl import load_workbook
from openpyxl.chart import BarChart, Reference

book = load_workbook("/input/budget.xlsx")
sheet = book.active
sheet["D1"] = "left"
for row in range(2, sheet.max_row + 1):
    sheet.cell(row, 4).value = sheet.cell(row, 2).value - sheet.cell(row, 3).value

chart = BarChart()
chart.title = "What is left"
chart.add_data(Reference(sheet, min_col=4, min_row=1, max_row=sheet.max_row), titles_from_data=True)
chart.set_categories(Reference(sheet, min_col=1, min_row=2, max_row=sheet.max_row))
sheet.add_chart(chart, "F2")
book.save("/output/budget.xlsx")
