"""The published clients against a server with its rendering service: plots and grids as they are drawn."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import termios
from collections.abc import Callable
from functools import partial
from pathlib import Path

import novem
import novem_cli
import pytest
from novem.vis.grid_helpers import GridMap
from PIL import Image

from tests.clients.conftest import Person
from tests.clients.test_cli import command
from tests.kit.server import environment

ROWS = "month,curlews,plovers\nJan,11,4\nFeb,8,9\nMar,14,6\n"
LAYOUT = "+-----+---+\n| {A} |{B}|\n|     +---+\n|     |   |\n+-----+---+"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
Bare = Callable[..., str]


def size(png: bytes) -> tuple[int, int]:
    """The width and height of a picture."""
    with Image.open(io.BytesIO(png)) as picture:
        return picture.size


def widest(text: str) -> int:
    """The length of the longest line as terminals show it."""
    return max(len(line) for line in ESCAPE.sub("", text).splitlines())


def read_terminal(outer: int) -> bytes:
    """What a program wrote to its terminal since, nothing once it ended."""
    try:
        return os.read(outer, 4096)
    except OSError:
        return b""


@pytest.fixture
def plot(alice: Person) -> novem.Plot:
    """A plot of alice's with two series."""
    made = novem.Plot("birds", type="bar", title="Counted at dawn", **alice.connection)
    made.data = ROWS
    return made


@pytest.fixture
def grid(alice: Person, plot: novem.Plot) -> novem.Grid:
    """A grid of alice's that shows the plot twice."""
    shown = GridMap({"A": plot, "B": plot})
    return novem.Grid("board", mapping=shown, layout=LAYOUT, **alice.connection)


@pytest.fixture
def bare(alice: Person, tmp_path: Path) -> Bare:
    """Runs the native command line as alice and gives what it prints, with its colours."""

    def run(*words: str, code: int = 0, who: Person = alice) -> str:
        done = command(("--api-url", who.server.root, "--token", who.token, "--color", *words), tmp_path)
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    return run


def test_the_library_reads_a_plot_as_it_is_drawn(
    plot: novem.Plot, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plot.files is not None
    plain, colored = plot.files.txt, plot.files.ansi
    assert "Counted at dawn" in plain
    assert "Feb" in plain
    assert ESCAPE.search(colored)
    assert re.findall(r"\w+", ESCAPE.sub("", colored)) == re.findall(r"\w+", plain)
    width, height = size(plot.files.img)
    plot.qpr = "scale=2,unheard=of"
    assert size(plot.files.img) == (2 * width, 2 * height)
    plot.qpr = "cols=40,rows=12"
    assert widest(plot.files.txt) <= 40 < widest(plain)
    plot.x  # noqa: B018 - the client prints where it is read
    assert "Counted at dawn" in capsys.readouterr().out
    assert plot.api_read("/files/plot.csv").splitlines()[0] == "month,curlews,plovers"


def test_the_library_sees_what_was_written_since(plot: novem.Plot) -> None:
    assert plot.files is not None
    before = plot.files.img, plot.files.txt
    plot.data = ROWS.replace("Feb", "Maundy")
    assert "Maundy" in plot.files.txt
    assert "Maundy" not in before[1]
    assert plot.files.img != before[0]
    plot.data = ROWS
    assert (plot.files.img, plot.files.txt) == before


def test_the_library_reads_a_grid_as_it_is_drawn(
    grid: novem.Grid, capsys: pytest.CaptureFixture[str]
) -> None:
    assert grid.files is not None
    assert grid.files.txt.count("Feb") == 2
    assert ESCAPE.search(grid.files.ansi)
    width, height = size(grid.files.img)
    assert width > height > 0
    grid.x  # noqa: B018
    assert "Feb" in capsys.readouterr().out
    boxes = json.loads(grid.api_read("/json/data.json"))["structure"]
    assert [child["width"] for child in boxes["children"]] == [6, 4]
    refs = json.loads(grid.api_read("/json/meta_data.json"))["refs"]
    assert [ref["label"] for ref in refs] == ["A", "B"]


def test_the_library_takes_what_is_not_drawn_for_empty(alice: Person) -> None:
    doc = novem.Doc("report", content="# Hei", **alice.connection)
    assert doc.files is not None
    assert (doc.files.txt, doc.files.ansi) == ("", "")


def test_the_library_fetches_pictures_by_short_paths(
    alice: Person, bob: Person, plot: novem.Plot, grid: novem.Grid
) -> None:
    for letter, name, shown in (("p", "birds", plot), ("g", "board", grid)):
        url = f"{alice.server.root}u/{alice.name}/{letter}/{name}/img"
        assert shown.files is not None
        assert shown._session.get(url).content == shown.files.img
        theirs = type(shown)(name, user=alice.name, create=False, **bob.connection)
        assert theirs._session.get(url).status_code == 404
        shown.shared = f"@{bob.name}"
        assert theirs._session.get(url).content == shown.files.img
        assert theirs.files is not None
        assert theirs.files.img == shown.files.img


def test_the_command_line_draws(plot: novem.Plot, grid: novem.Grid, bare: Bare) -> None:
    drawn = bare("-p", "birds", "-x")
    assert "Counted at dawn" in drawn
    assert ESCAPE.search(drawn)
    assert widest(bare("-p", "birds", "-x", "--qpr", "cols=40,rows=12")) <= 40 < widest(drawn)
    assert bare("-g", "board", "-x").count("Feb") == 2
    assert bare("-p", "birds", "-r", "files/plot.csv").startswith("month,curlews")
    assert json.loads(bare("-g", "board", "-r", "json/meta_data.json"))["refs"][1]["label"] == "B"
    assert json.loads(bare("-g", "board", "-r", "json/data.json"))["structure"]["type"] == "wrapper"
    assert "not found" in bare("-p", "absent", "-x", code=1)
    bare("-d", "report", "-C")
    assert "not found" in bare("-d", "report", "-x", code=1)


def test_the_command_line_fills_its_terminal(alice: Person, plot: novem.Plot, tmp_path: Path) -> None:
    outer, inner = os.openpty()
    termios.tcsetwinsize(inner, (15, 50))
    words = ("--api-url", alice.server.root, "--token", alice.token, "-p", "birds", "-x", "--fs")
    env = environment(HOME=str(tmp_path), TERM="xterm")
    with subprocess.Popen([novem_cli.find_binary(), *words], env=env, stdin=inner, stdout=inner) as process:
        os.close(inner)
        drawn = b"".join(iter(partial(read_terminal, outer), b"")).decode()
    os.close(outer)
    assert process.returncode == 0
    assert "Counted at dawn" in drawn
    assert 40 < widest(drawn) <= 50


def test_the_command_line_in_python_draws(alice: Person, grid: novem.Grid, tmp_path: Path) -> None:
    env = environment(HOME=str(tmp_path), NOVEM_TOKEN=alice.token, NOVEM_API_ROOT=alice.server.root)
    for words in (("-p", "birds", "-x"), ("-g", "board", "-x", "--qpr", "cols=60")):
        ran = [sys.executable, "-c", "from novem.cli import run_cli; run_cli()", *words]
        done = subprocess.run(ran, env=env, capture_output=True, text=True, check=True)
        assert "Feb" in done.stdout


def test_the_command_line_draws_what_others_share(
    alice: Person, bob: Person, plot: novem.Plot, bare: Bare
) -> None:
    assert "not found" in bare("-u", alice.name, "-p", "birds", "-x", who=bob, code=1)
    plot.shared = f"@{bob.name}"
    assert "Feb" in bare("-u", alice.name, "-p", "birds", "-x", who=bob)
    bare("-u", alice.name, "-p", "birds", "-r", "files/plot.csv", who=bob, code=1)


def test_the_command_line_shows_and_leaves_out_what_is_drawn(
    plot: novem.Plot, bare: Bare, tmp_path: Path
) -> None:
    tree = bare("-p", "birds", "--tree")
    assert "plot.png" in tree
    assert "[---]" not in ESCAPE.sub("", tree)
    dump = tmp_path / "dump"
    bare("-p", "birds", "--dump", str(dump))
    kept = {str(path.relative_to(dump)) for path in dump.rglob("*") if path.is_file()}
    assert {"data", "config/type", "config/title"} <= kept
    assert not [name for name in kept if name.startswith("files")]
    bare("-p", "copied", "-C")
    bare("-p", "copied", "--load", str(dump))
    assert bare("-p", "copied", "-x") == bare("-p", "birds", "-x")
