"""Data of plots sent over HTTP: check, log and files tell how they were read, and nothing breaks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.types import TYPES
from tests.kit.server import Server, rendering, web

PLOT = "vis/plots/data"
SIGNS = "aE10-5,;.\"\n\t%€()' /:2024Qg\ufeff\u202f\u200e日"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("data")
    with web(folder) as running, rendering(folder):
        running.add("alice")
        running.ask("PUT", PLOT, who="alice")
        yield running


def send(server: Server, text: str, word: str) -> None:
    server.ask("POST", f"{PLOT}/config/type", word.encode(), who="alice")
    server.ask("POST", f"{PLOT}/data", text.encode(), who="alice")


@pytest.mark.parametrize(
    "text,word,told",
    [
        (
            "n,v,w\na,1,x\nb,2,2\nc,3,y\n",
            "bar",
            ['column "w" is text: 1 of 3 cells are numbers', '"x" (line 2)'],
        ),
        ("n,v\na,1\nb,two\nc,3\n", "line", ['line 3: "two" in column "v" is no number']),
        ('n,v\nx,1\n"abc,3\nd,4\n', "bar", ["line 3: the quote before 'abc,3' is never closed"]),
        ("n;v\na;1.200\nb;12.000\n", "bar", ['column "v" is read with a decimal comma: a guess']),
        ("n,v\na,12%\nb,0.5\n", "bar", ['column "v" mixes numbers in per cent (1) and without (1)']),
        ("n,v\na,5 kg\nb,6 kg\nc,7 g\n", "bar", ['"7 g" in column "v" is no number in kg']),
        ("n,v\na,007\nb,12\n", "bar", ["codes with a zero before them"]),
    ],
)
def test_log_and_check_tell_the_same(server: Server, text: str, word: str, told: list[str]) -> None:
    send(server, text, word)
    server.ask("GET", f"{PLOT}/files/plot.svg", who="alice")
    log = [line["message"] for line in server.ask("GET", f"{PLOT}/log", who="alice")]
    check = server.ask("GET", f"{PLOT}/data?check", who="alice")
    named = [*(f"line {one['line']}: {one['reason']}" for one in check["mistakes"]), *check["notes"]]
    for words in told:
        assert any(words in line for line in log)
        assert any(words in line for line in named)


def test_cells_come_back_as_they_were_sent(server: Server) -> None:
    send(server, "fuel;price;share\nE5;1.234,50 €;12%\nE10;(1,75) €;5-\n", "bar")
    assert server.ask("GET", f"{PLOT}/files/plot.csv", who="alice") == (
        'fuel,price,share\nE5,"1.234,50 €",12%\nE10,"(1,75) €",5-\n'
    )
    assert "E10" in server.ask("GET", f"{PLOT}/files/plot.txt", who="alice")


@pytest.mark.soak
@given(st.text(st.sampled_from(SIGNS), max_size=80), st.sampled_from([*TYPES, "table"]))
@settings(max_examples=12, deadline=None)
def test_no_text_is_answered_by_an_error_of_the_server(server: Server, text: str, word: str) -> None:
    send(server, text, word)
    for path in ("data?check", "files/plot.svg", "files/plot.txt", "files/plot.csv", "log"):
        server.ask("GET", f"{PLOT}/{path}", who="alice")
