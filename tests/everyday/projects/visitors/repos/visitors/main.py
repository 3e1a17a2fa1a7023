"""Count the visitors of each day, and draw them with the published client."""

import collections
import csv

from novem import Plot

with open("/input/visits.csv") as file:
    days = collections.Counter(row["day"] for row in csv.DictReader(file))

plot = Plot("visitors", type="bar", name="Visitors by day")
plot.data = "day,visitors\n" + "".join(f"{day},{count}\n" for day, count in days.items())
print(plot.url)
