"""Samples of tables: accounts, a long list with a sum, codes and years, key figures."""

from __future__ import annotations

from tests.look.samples import Sample

ACCOUNTS = """Item,Q1,Q2,Q3,Q4,2025,2024,Change
Revenue,4120,4388,4502,5210,18220,16005,13.8%
Cost of sales,(1830),(1911),(1987),(2260),(7988),(7310),9.3%
Gross profit,2290,2477,2515,2950,10232,8695,17.7%
Sales and marketing,(1040),(1102),(1091),(1230),(4463),(4120),8.3%
Research and development,(690),(702),(715),(731),(2838),(2604),9%
General and administration,(310),(305),(322),(318),(1255),(1201),4.5%
Restructuring,(80),0,(12),0,(92),0,
Operating result,170,368,375,671,1584,770,106%
"""
TOWNS = ("Oslo", "Bergen", "Lower Northern Europe", "Trondheim and surroundings")
PLACES = "".join(
    f"{at},{TOWNS[at * 3 % 4]},{10000 + at * 37},{1990 + at * 13 % 36},{at * at * 977},"
    f"{at * 131 % 900 / 10}\n"
    for at in range(1, 201)
)
ARTICLES = """item,article,year,price,stock,note
Bolt with hexagon head,004711,2019,1.5,120000,Sold by the hundred and kept in the store in the north
Nut,004712,2021,0.25,98000,
Donaudampfschifffahrtsgesellschaft washer,004713,2022,12,450,See the catalogue of 2022
Bearing,104714,2023,1204.5,1376048943,east_asia_pacific
"""
FIGURES = """figure,2024,2025
Revenue,16005123,18220475
Margin,12.5,13.25
Employees,1204,1310
Earnings per share,1.23,1.4
Year founded,1987,1987
"""
TABLE_SAMPLES = (
    Sample(
        "table", ACCOUNTS, "The year turned in the fourth quarter", "Income statement, € thousands",
        config={"table/cell/text": "3 : b\n-1 : b", "table/cell/border": "3 : t 1\n-1 : t 2"},
    ),
    Sample(
        "table", f"no,place,zip,opened,people,rate\n{PLACES}Total,,,,2627493700,44.9\n",
        "Two hundred places, and their sum",
    ),
    Sample("table", ARTICLES, "Codes and years stay as they are"),
    Sample("table", FIGURES, "Figures of several kinds"),
)  # fmt: skip
