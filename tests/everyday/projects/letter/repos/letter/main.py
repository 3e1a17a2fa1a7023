"""Ask a database what a template of SQL asks for, and write a page of it."""

import csv
import sqlite3

from jinja2 import Environment, FileSystemLoader

templates = Environment(loader=FileSystemLoader("templates"), autoescape=True)
database = sqlite3.connect(":memory:")
database.execute("create table members (name text, city text, fee integer)")
with open("/input/members.csv") as file:
    database.executemany("insert into members values (:name, :city, :fee)", csv.DictReader(file))

columns = ["city", "fee"]
query = templates.get_template("members.sql").render(columns=columns)
rows = database.execute(query, {"least": 10}).fetchall()
with open("/output/members.html", "w") as page:
    page.write(templates.get_template("members.html").render(columns=["name", *columns], rows=rows))
