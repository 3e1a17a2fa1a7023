"""Sixteen ordinary projects: pushed by git, run by a job as steps of Podman, and what came out."""

from __future__ import annotations

import csv
import io
import re
import sqlite3
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import psycopg2
import pypdfium2
import pytest
from PIL import Image

from tests.everyday.workplace import Person, Site, expected_of, inputs_of, own_address, site
from tests.kit.command import serving
from tests.kit.postgres import Postgres

pytestmark = [pytest.mark.podman, pytest.mark.timeout(1800)]

Check = Callable[[Person, dict[str, bytes]], None]


@pytest.fixture(scope="module")
def alice() -> Iterator[Person]:
    """A person on a fresh server, whose steps reach the machine inside of the company."""
    with tempfile.TemporaryDirectory(prefix="curlew-everyday-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        settings = {"BASE_IMAGE": "", "NETWORK_ALLOW": own_address(), "BUILD_DISK": "8G"}
        with serving("serve", folder / "data", **settings) as service:
            yield Person(service, service.user("alice", "--email", "alice@birds.example"), folder)


@pytest.fixture(scope="module")
def company() -> Iterator[Site]:
    """A web server inside of the company."""
    with site() as web_site:
        yield web_site


def text_of(pdf: bytes) -> str:
    """The words of a PDF."""
    with pypdfium2.PdfDocument(pdf) as document:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)


def picture(content: bytes) -> Image.Image:
    """A picture as points."""
    with Image.open(io.BytesIO(content)) as found:
        return found.convert("RGB")


def reddest(image: Image.Image) -> int:
    """The number of its points that are red."""
    return sum(count for count, (r, g, b) in image.getcolors(1 << 24) or () if r > 200 and g < 60 and b < 60)


def sales(alice: Person, made: dict[str, bytes]) -> None:
    """The results are in a plot, a document, its variable, and its PDF as soon as the run is over."""
    pdf = alice.folder / "sales.pdf"
    words = ("--fail", "--retry", "20", "-o", str(pdf))
    assert alice.try_curl("vis/docs/sales/files/doc.pdf", *words).returncode == 0
    assert alice.curl("vis/plots/sales/data") == made["chart.csv"]
    assert alice.curl("vis/docs/sales/vars/total/value") == made["total.txt"]
    said = text_of(pdf.read_bytes())
    assert "Sold for 7,397.00 in all" in said and "2,300.75" in said
    assert "February" in said, "a name of the chart"


def weather(alice: Person, made: dict[str, bytes]) -> None:
    drawn = picture(made["weather.png"])
    assert drawn.size == (800, 450)
    assert reddest(drawn) > 200
    assert "Temperatures in Oslo" in text_of(made["weather.pdf"])


def budget(alice: Person, made: dict[str, bytes]) -> None:
    """The new column, the old ones as they were, and a chart of them."""
    sheet = openpyxl.load_workbook(io.BytesIO(made["budget.xlsx"])).active
    assert [*sheet.values] == [
        ("department", "planned", "spent", "left"),
        ("Field work", 12000, 8400, 3600),
        ("Travel", 3000, 3350, -350),
        ("Printing", 900, 410, 490),
    ]
    with zipfile.ZipFile(io.BytesIO(made["budget.xlsx"])) as book:
        assert "'Budget'!$D$2:$D$4" in book.read("xl/charts/chart1.xml").decode()


def thumbs(alice: Person, made: dict[str, bytes]) -> None:
    """One is turned as the camera was held, and none is made larger."""
    sizes = {name: picture(content).size for name, content in made.items()}
    assert sizes == {"dune.jpg": (96, 64), "mark.jpg": (64, 64), "reed.jpg": (72, 96)}
    r, g, b = picture(made["dune.jpg"]).getpixel((90, 60))  # type: ignore[misc]
    assert r > g > b
    assert alice.log("thumbs").count(" became ") == 3


def visitors(alice: Person, made: dict[str, bytes]) -> None:
    """The plot is there, and the log has the link to it that works outside, too."""
    assert alice.curl("vis/plots/visitors/data") == b"day,visitors\nMon,2\nTue,1\nWed,3\n"
    url = alice.curl("vis/plots/visitors/url").decode().strip()
    assert f"visitors: {url}" in alice.log("visitors")
    assert picture(alice.curl("vis/plots/visitors/files/plot.png")).width > 300


PROJECTS: dict[str, tuple[Check | None, tuple[str, ...]]] = {
    "sales": (sales, ("vis/plots/sales", "vis/docs/sales")),
    "weather": (weather, ()),
    "budget": (budget, ()),
    "invoices": (None, ()),
    "thumbs": (thumbs, ()),
    "visitors": (visitors, ()),
    "pages": (None, ()),
    "forecast": (None, ()),
    "hours": (None, ()),
    "letter": (None, ()),
}
"""What is looked at besides the files in `expected`, and what the project needs."""
CHEAP = {"pages", "forecast", "letter"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in CHEAP else pytest.mark.whole) for name in PROJECTS]
)
def test_a_project_does_its_work(alice: Person, name: str) -> None:
    check, needs = PROJECTS[name]
    alice.begin(name, *needs)
    made = alice.run(name, *inputs_of(name))
    if wanted := expected_of(name):
        assert made == wanted
    assert wanted or check
    if check:
        check(alice, made)


@pytest.mark.whole
def test_a_large_table_is_queried(alice: Person) -> None:
    file = alice.folder / "trips.csv"
    trips = [(f"S{n * n % 97}", f"2026-{n % 12 + 1:02}-11T{n % 24:02}:05:00", n % 50) for n in range(200_000)]
    with file.open("w", newline="") as written:
        csv.writer(written, lineterminator="\n").writerows([("station", "started", "minutes"), *trips])
    alice.begin("trips")
    made = alice.run("trips", str(file))
    stations = Counter(station for station, _, _ in trips)
    hours = Counter(int(started[11:13]) for _, started, _ in trips)
    found = [*csv.DictReader(io.StringIO(made["stations.csv"].decode()))]
    assert {row["station"]: int(row["trips"]) for row in found} == stations
    assert found[0]["trips"] == str(stations.most_common(1)[0][1])
    found = [*csv.DictReader(io.StringIO(made["hours.csv"].decode()))]
    assert {int(row["hour"]): int(row["trips"]) for row in found} == hours
    assert sum(int(row["minutes"]) for row in found) == sum(minutes for _, _, minutes in trips)


@pytest.mark.whole
def test_a_model_is_kept_in_a_space(alice: Person) -> None:
    learned, new = inputs_of("flowers")
    alice.begin("flowers", "code/spaces/models")
    assert alice.run("train", learned) == {}
    assert "right in 100% of the cases" in alice.log("train")
    assert len(alice.curl("code/spaces/models/content/flowers.joblib")) > 500
    assert alice.run("score", new) == expected_of("flowers")


@pytest.mark.whole
@pytest.mark.postgres
def test_orders_are_kept_in_sqlite_in_a_space_and_in_postgresql_of_the_company(alice: Person) -> None:
    job, rows = "code/jobs/orders", [(1, "Åse", 3), (2, "Bjørn", 2), (3, "Åse", 4)]
    alice.begin("orders", "code/spaces/shop")
    alice.write(f"{job}/config/spaces", "shop => /u/alice/s/shop,rw")
    alice.write(f"{job}/config/env/DATABASE_URL", "sqlite:////mnt/shop/orders.db", "-X", "PUT")
    for _ in range(2):
        assert alice.run("orders", *inputs_of("orders")) == expected_of("orders")
    kept = alice.folder / "orders.db"
    kept.write_bytes(alice.curl("code/spaces/shop/content/orders.db"))
    with sqlite3.connect(kept) as database:
        assert database.execute("select * from orders order by number").fetchall() == rows
    database.close()
    server = Postgres(address=own_address())
    try:
        outside = f"postgresql+psycopg2://test@{own_address()}:{server.port}/postgres"
        alice.write(f"{job}/config/env/DATABASE_URL", outside, "-X", "PUT")
        assert alice.run("orders", *inputs_of("orders")) == expected_of("orders")
        connection = psycopg2.connect(server.url("postgres"))
        with connection.cursor() as cursor:
            cursor.execute("select * from orders order by number")
            assert cursor.fetchall() == rows
        connection.close()
    finally:
        server.stop()


@pytest.mark.whole
def test_pages_of_the_company_are_read(alice: Person, company: Site) -> None:
    alice.begin("prices")
    alice.write("code/jobs/prices/config/env/SHOP", company.address, "-X", "PUT")
    assert alice.run("prices") == expected_of("prices")


@pytest.mark.whole
def test_a_long_run_is_followed_and_canceled(alice: Person) -> None:
    long, short = inputs_of("crunch")
    alice.begin("crunch")
    assert alice.run("crunch", f"{short};filename=input.json") == {"total.txt": b"1770\n"}
    assert [line.count("60/60") for line in alice.log("crunch").splitlines() if "%|" in line] == [1]
    sent = ("-F", f"file=@{long};filename=input.json", "-H", "Prefer: respond-async")
    run = alice.curl("code/jobs/crunch/data", *sent, "-o", "/dev/null", "-w", "%header{location}").decode()
    run = run.removeprefix("/v1/")
    began = time.monotonic()
    while "crunch: at row 40" not in alice.curl(f"{run}/log").decode():
        assert time.monotonic() - began < 60
        time.sleep(0.1)
    alice.write(f"{run}/status", "canceled")
    alice.curl(f"{run}/log?follow=1", "-N", "--max-time", "60")
    assert alice.curl(f"{run}/status") == b"canceled"
    assert alice.curl(f"{run}/output", "-w", "%{http_code}") == b"204"


def test_a_service_of_the_company_is_watched(alice: Person, company: Site) -> None:
    """A key that no log has, a service that is down for a moment or for longer, and a mail of the latter."""
    job = "code/jobs/watch"
    alice.begin("watch")
    alice.write(f"{job}/config/env/SERVICE", company.address, "-X", "PUT")
    alice.write(f"{job}/config/env/API_KEY", "swordfish-7", "-X", "PUT")
    alice.write("admin/profile/notices/failed", "important")
    company.failures = 2
    assert alice.run("watch") == {}
    assert company.keys[-3:] == ["swordfish-7"] * 3
    said = alice.log("watch")
    assert said.count("no: HTTP Error 503") == 2
    assert "asking with ***" in said and "swordfish" not in said
    company.failures = 3
    words = ("-H", "Content-Type: application/json", "-d", "{}", "-w", "\n%{http_code} %header{location}")
    answer = alice.try_curl(f"{job}/data", *words).stdout.decode()
    status, run = answer.splitlines()[-1].split()
    assert status == "422" and "it is down: HTTP Error 503" in answer
    mail = mailed(alice)
    assert "To: alice@birds.example" in mail and "/u/alice/j/watch" in mail and "swordfish" not in mail
    alice.curl(f"{run.removeprefix('/v1/')}/rerun", "-X", "POST")
    assert "it says" in alice.log("watch")


def mailed(alice: Person) -> str:
    """The mail that waits to be sent."""
    until = time.monotonic() + 60
    while not (found := [*(alice.service.folder / "outbox").glob("*.eml")]):
        assert time.monotonic() < until
        time.sleep(0.1)
    return re.sub(r"=\r?\n", "", found[-1].read_text())
