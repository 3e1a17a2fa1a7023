"""Draw the temperatures of a week as a picture and as a PDF."""

import csv
from datetime import date

import matplotlib.pyplot as plt

with open("/input/temperatures.csv") as file:
    rows = list(csv.DictReader(file))
days = [date.fromisoformat(row["day"]) for row in rows]
low, high = ([float(row[name]) for row in rows] for name in ("low", "high"))

figure, axes = plt.subplots(figsize=(8, 4.5), dpi=100)
axes.plot(days, high, color="red", label="high")
axes.plot(days, low, color="blue", label="low")
axes.fill_between(days, low, high, color="0.9")
axes.set_title("Temperatures in Oslo")
axes.set_ylabel("°C")
axes.legend()
figure.autofmt_xdate()
figure.savefig("/output/weather.png")
figure.savefig("/output/weather.pdf")
