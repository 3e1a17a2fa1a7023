"""Plots and grids of bad will, drawn by the whole service: each is answered, and does nothing else."""

from __future__ import annotations

import csv
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from xml.etree import ElementTree

import openpyxl
import pytest
import requests

from tests.clients.conftest import Person

MIB = 1 << 20
PATIENCE = 120
FORMS = ("svg", "png", "pdf", "txt", "ansi", "html", "csv", "xlsx", "pptx")
HARMFUL = '<script>alert(1)</script><svg onload="alert(2)"><a href="javascript:alert(3)">x</a>]]>&lt;'
FORMULA = '=HYPERLINK("http://127.0.0.1/","x")'


def quoted(text: str) -> str:
    """A cell of CSV."""
    return '"' + text.replace('"', '""') + '"'


DATA = {
    "no text": "",
    "one column": "value\n1\n2\n3\n",
    "no numbers": "a,b\nx,y\n",
    "10,000 columns": ",".join(f"c{at}" for at in range(10_000)) + "\n" + ",".join(["1"] * 10_000),
    "numbers beyond all": "a,b\nx,1e999\ny,-1e999\nz,1e308\nw,5e-324\nv,NaN\nu,Infinity\n",
    "labels of 100 kB": f"a,b\n{'long ' * 20_000},1\n{'W' * 100_000},2\n",
    "quotes that never end": 'a,b\n"x,1\ny,2\n' * 500,
    "markup": f"{quoted(HARMFUL)},b\n{quoted(HARMFUL)},1\ny,2\n",
    "formulas": f"a,b\n{quoted(FORMULA)},1\n@cmd,2\n+1+1,3\n-2+3,4\n",
    "controls": "a,b\n\x01\x02\x7f\u202e\ufeff\ud7ff,1\n\x1b[31m,2\n",
    "more cells than are drawn": "a,b\n" + "x,1\n" * 100_001,
}


class Plot:
    """A plot of a person's, asked for its forms."""

    def __init__(self, person: Person, name: str = "hostile") -> None:
        self.person = person
        self.place = f"{person.server.root}vis/plots/{name}"
        self._headers = {"Authorization": f"Bearer {person.token}"}
        assert self.send("PUT", "").status_code == 201

    def send(self, method: str, rest: str, body: bytes | str = b"", **query: str) -> requests.Response:
        sent = body.encode() if isinstance(body, str) else body
        headers = {**self._headers, "Content-Type": "text/plain; charset=utf-8"}
        return requests.request(
            method, f"{self.place}{rest}", data=sent, headers=headers, params=query, timeout=PATIENCE
        )

    def write(self, rest: str, text: str) -> None:
        answer = self.send("POST", f"/{rest}", text)
        assert answer.status_code < 300, answer.text[:300]

    def form(self, form: str, **query: str) -> requests.Response:
        return self.send("GET", f"/files/plot.{form}", **query)


@pytest.fixture
def plot(alice: Person) -> Plot:
    return Plot(alice)


@pytest.mark.parametrize("type_", ["bar", "table"])
@pytest.mark.parametrize("name", DATA)
def test_odd_data_are_drawn_or_say_why_not(plot: Plot, name: str, type_: str) -> None:
    plot.write("config/type", type_)
    plot.write("data", DATA[name])
    answers = {form: plot.form(form) for form in FORMS}
    assert {form: answer.status_code for form, answer in answers.items()} == dict.fromkeys(FORMS, 200)
    assert "could not be drawn" not in plot.send("GET", "/log").text
    ElementTree.fromstring(answers["svg"].text)
    assert all(len(answer.content) < 8 * MIB for answer in answers.values())


@pytest.mark.parametrize("text", ["a,b\nx,\x00\n", "\x00"])
def test_a_nul_is_refused_and_nothing_changes(plot: Plot, text: str) -> None:
    plot.write("data", "a,b\nx,1\n")
    assert plot.send("POST", "/data", text).status_code == 400
    assert plot.send("GET", "/data").text == "a,b\nx,1\n"


def test_32_mib_are_taken_and_their_number_of_cells_is_told(plot: Plot) -> None:
    row = "some words of a label,1234567\n"
    plot.write("data", "a,b\n" + row * ((32 * MIB - 4) // len(row)))
    picture = plot.form("svg")
    assert (picture.status_code, "200,000" in picture.text) == (200, True)
    assert "200,000" in plot.send("GET", "/log").text
    assert "200,000" in plot.send("GET", "/data", check="").text
    assert plot.send("POST", "/data", "x" * (32 * MIB + 1)).status_code == 413


def test_markup_stays_text_wherever_it_is_written(plot: Plot) -> None:
    for rest in (
        "name",
        "summary",
        "config/title",
        "config/subtitle",
        "config/caption",
        "config/axis/labels",
    ):
        plot.write(rest, HARMFUL)
    plot.write("data", DATA["markup"])
    for type_ in ("bar", "hbar", "line", "donut", "table", "heatmap", "value"):
        plot.write("config/type", type_)
        drawn = ElementTree.fromstring(plot.form("svg").text)
        tags = {one.tag.rpartition("}")[2] for one in drawn.iter()}
        assert not tags & {"script", "foreignObject", "image", "a", "use", "iframe"}
        assert not any(name.startswith("on") for one in drawn.iter() for name in one.attrib)
        assert "<script" not in plot.form("html").text.lower()


def test_no_cell_is_a_formula(plot: Plot) -> None:
    plot.write("data", DATA["formulas"])
    rows = list(csv.reader(io.StringIO(plot.form("csv").text)))
    assert [row[0][0] for row in rows[1:]] == ["'"] * 4
    run_store = openpyxl.load_workbook(io.BytesIO(plot.form("xlsx").content))
    assert "f" not in {cell.data_type for row in run_store.worksheets[0] for cell in row}


def test_nothing_is_fetched_for_a_picture(plot: Plot) -> None:
    asked: list[str] = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)

    listener = HTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{listener.server_port}/secret"
    spec = json.dumps({"data": {"url": url}, "mark": "image", "encoding": {"url": {"value": url}}})
    for rest in ("config/title", "config/colors/colors", "config/colors/theme", "config/axis/labels",
                 "config/bg/labels", "config/custom/custom.js", "config/custom/custom.css"):  # fmt: skip
        plot.write(rest, f"url({url}) {spec} {url}")
    plot.write("data", f'a,b\n{url},1\n"![x]({url})",2\n')
    for type_ in ("bar", "table", "custom"):
        plot.write("config/type", type_)
        for form in ("svg", "png", "pdf", "html", "pptx"):
            assert plot.form(form).status_code == 200
    listener.shutdown()
    listener.server_close()
    assert asked == []


def test_a_grid_of_itself_and_of_what_is_not_there_is_drawn(alice: Person) -> None:
    alice.ask("PUT", "vis/grids/loop")
    alice.ask("POST", "vis/grids/loop/layout", b"+---+---+\n|{A}|{B}|\n+---+---+")
    alice.ask("POST", "vis/grids/loop/mapping", f"A => /p/loop\nB => /u/{alice.name}/p/loop".encode())
    headers = {"Authorization": f"Bearer {alice.token}"}
    for form in ("svg", "png", "pdf", "txt", "ansi", "html"):
        answer = requests.get(
            f"{alice.server.root}vis/grids/loop/files/grid.{form}", headers=headers, timeout=PATIENCE
        )
        assert answer.status_code == 200
