"""Read the prices of a shop from its pages."""

import csv
import os
from urllib.parse import urljoin

import requests
from bs4 import BeautifulSoup

rows, page = [], os.environ["SHOP"]
while page:
    answer = requests.get(page, timeout=20)
    answer.raise_for_status()
    soup = BeautifulSoup(answer.content, "lxml")
    for item in soup.select("li.item"):
        price = item.select_one(".price").get_text(strip=True)
        rows.append((item.h2.get_text(strip=True), float(price.removeprefix("€ "))))
    following = soup.select_one("a[rel=next]")
    page = urljoin(page, following["href"]) if following else None

with open("/output/prices.csv", "w", newline="") as file:
    csv.writer(file, lineterminator="\n").writerows([("article", "price"), *sorted(rows)])
print(f"{len(rows)} articles")
