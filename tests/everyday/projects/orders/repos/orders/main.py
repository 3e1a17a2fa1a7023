"""Keep the orders of a CSV file in a database, and sum them up by customer."""

import csv
import os

from sqlalchemy import create_engine, func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


class Table(DeclarativeBase):
    pass


class Order(Table):
    __tablename__ = "orders"

    number: Mapped[int] = mapped_column(primary_key=True)
    customer: Mapped[str]
    pieces: Mapped[int]


engine = create_engine(os.environ["DATABASE_URL"])
Table.metadata.create_all(engine)
with open("/input/orders.csv") as file, Session(engine) as session:
    for row in csv.DictReader(file):
        session.merge(Order(number=int(row["number"]), customer=row["customer"], pieces=int(row["pieces"])))
    session.commit()
    sums = select(Order.customer, func.sum(Order.pieces)).group_by(Order.customer).order_by(Order.customer)
    with open("/output/customers.csv", "w") as out:
        print("customer,pieces", file=out)
        for customer, pieces in session.execute(sums):
            print(customer, pieces, sep=",", file=out)
