"""Tell the busiest stations of many bicycle trips, and how long trips take by the hour."""

import duckdb
import polars as pl

duckdb.sql("""
    COPY (
        SELECT station, count(*) AS trips, max(minutes) AS longest
        FROM '/input/trips.csv' GROUP BY station ORDER BY trips DESC, station
    ) TO '/output/stations.csv'
""")

trips = pl.scan_csv("/input/trips.csv", try_parse_dates=True)
hours = trips.group_by(pl.col("started").dt.hour().alias("hour")).agg(pl.len().alias("trips"), pl.sum("minutes"))
table = hours.sort("hour").collect()
table.write_csv("/output/hours.csv")
print(table)
