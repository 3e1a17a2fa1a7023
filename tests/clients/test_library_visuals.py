"""The published Python client against a real server: plots, grids, documents and mails as they are stored."""

from __future__ import annotations

import io

import novem
import pytest
from novem.colors import DynamicColor, StaticColor
from novem.exceptions import Novem403, Novem404, NovemException
from novem.table import Selector
from novem.vis.grid_helpers import GridMap

from tests.clients.conftest import Person

LAYOUT = "+---+---+\n|{A}|{B}|\n+---+---+"


class Table:
    """What the client takes for data: anything that gives itself as CSV."""

    def to_csv(self, *_: object, **__: object) -> str:
        return "bird,count\ntjeld,11\nlomvi på sjøen,3\n"


def test_a_plot_is_made_with_data_and_looks(alice: Person) -> None:
    plot = novem.Plot("my-plot", type="line", name="Birds", title="Counted", **alice.connection)
    plot(Table())
    plot.caption = "source: øyvakt"
    plot.description, plot.summary = "# Long", "short"
    plot.w("config/legend/position", "top").w("/config/custom/custom.css", "b { color: red }")
    plot.colors.type = "ix"
    plot.cell.align = ": : <"
    again = novem.Plot("my-plot", create=False, **alice.connection)
    assert again.data == Table().to_csv()
    assert (again.type, again.name, again.title, again.caption) == (
        "line",
        "Birds",
        "Counted",
        "source: øyvakt",
    )
    assert (again.description, again.summary) == ("# Long", "short")
    assert again.api_read("/config/legend/position") == "top"
    assert again.url.endswith(again.shortname)
    assert alice.ask("GET", "vis/plots/my-plot/config/table/cell/align") == ": : <"
    with pytest.raises(NovemException):
        plot.type = "Not A Type"


def test_a_table_is_styled_by_selectors(alice: Person) -> None:
    plot = novem.Plot(
        "my-table", type="table", data="bird,count,share\ntjeld,1100,0.25\n", **alice.connection
    )
    plot.cell.format = Selector("1: 1", ",.1f")
    plot.cell.format += Selector("1: 2", ".0%")
    heads = Selector("0 :", StaticColor("fg", "blue-700", "blue-200"))
    plot.colors.set(f"{heads}\n{Selector('1: 1', DynamicColor('bg', min='red-100', max='red-900'))}")
    plot.colors.type = "ix"
    shown = alice.ask("GET", "vis/plots/my-table/files/plot.txt").splitlines()
    assert shown[-1] == "tjeld  1,100.0    25%"
    assert alice.ask("GET", "vis/plots/my-table/log") == []
    plot.cell.align = ": : sideways"
    assert "config/table/cell/align, line 1" in str(alice.ask("GET", "vis/plots/my-table/log"))


def test_a_frozen_plot_is_written_at_once(alice: Person) -> None:
    plot = novem.Plot("frozen", **alice.connection)
    plot.freeze()
    plot.title = "Later"
    assert alice.ask("GET", "vis/plots/frozen/config/title") == ""
    plot.run()
    assert alice.ask("GET", "vis/plots/frozen/config/title") == "Later"


def test_a_grid_holds_layout_and_mapping(alice: Person) -> None:
    plot = novem.Plot("cell", **alice.connection)
    grid = novem.Grid("my-grid", layout=LAYOUT, mapping=f"A => {plot.shortname}", **alice.connection)
    assert grid.layout == LAYOUT
    assert grid.mapping == f"A => {plot.shortname}"
    grid.mapping = GridMap({"A": plot, "B": plot})
    assert grid.mapping == f"A => {plot.shortname}\nB => {plot.shortname}"
    refs = alice.ask("GET", "vis/grids/my-grid/json/meta_data.json")["refs"]
    assert [ref["label"] for ref in refs] == ["A", "B"]
    with pytest.raises(NovemException, match="line 2, column 2"):
        grid.layout = LAYOUT.replace("{A}", "A  ")
    assert grid.layout == LAYOUT
    grid.theme = "novem-dark"
    assert grid.theme.strip() == "novem-dark"


def test_a_document_is_written_as_a_whole(alice: Person) -> None:
    doc = novem.Doc("my-doc", type="pres", theme="+org/theme", content="# Hei\n\nøst", **alice.connection)
    assert (doc.type.strip(), doc.theme.strip(), doc.content) == ("pres", "+org/theme", "# Hei\n\nøst")
    doc(io.StringIO("read from a file"))
    doc.title, doc.toc = "Title", "yes"
    assert (doc.content, doc.title.strip(), doc.toc.strip()) == ("read from a file", "Title", "yes")
    doc.content = ""
    assert doc.content == ""
    with pytest.raises(Novem404):
        doc.api_read("/files/doc.png")


def test_a_mail_keeps_recipients_and_content(verified: Person) -> None:
    mail = novem.Mail(
        "my-mail", to=["a@birds.example", "b@birds.example"], subject="Counted", **verified.connection
    )
    mail.cc = "c@birds.example, d@birds.example"
    mail.bcc = ""
    mail.content = "# Hei"
    mail.reply_to = "yes"
    assert verified.ask("GET", "vis/mails/my-mail/recipients/to") == "a@birds.example\nb@birds.example"
    assert verified.ask("GET", "vis/mails/my-mail/recipients/cc").split() == [
        "c@birds.example",
        "d@birds.example",
    ]
    assert verified.ask("GET", "vis/mails/my-mail/recipients/bcc") == ""
    assert (mail.content, mail.subject.strip(), mail.reply_to.strip()) == ("# Hei", "Counted", "yes")


@pytest.mark.parametrize("kind", [novem.Plot, novem.Grid, novem.Doc, novem.Mail])
def test_visuals_are_shared_and_tagged(alice: Person, bob: Person, kind: type[novem.Plot]) -> None:
    mine = kind("shown", name="Shown", **alice.connection)
    mine.shared = [f"@{bob.name}~r", "public"]
    assert mine.shared.get() == sorted([f"@{bob.name}~r", "public"])
    theirs = kind("shown", user=alice.name, create=False, **bob.connection)
    assert theirs.name == "Shown"
    assert theirs.api_read("/description") == ""
    mine.tags = ["fav", "+mine", "=wader"]
    theirs.tags += "like"
    assert sorted(mine.tags.get()) == ["+mine", "=wader", "fav"]
    assert sorted(theirs.tags.get()) == ["=wader", "like"]
    with pytest.raises(Novem403):
        theirs.tags += "=category"
    mine.shared -= "public"
    mine.shared = ""
    assert mine.shared.get() == []
    with pytest.raises(Novem404):
        theirs.api_read("/name")


@pytest.mark.parametrize("kind", [novem.Plot, novem.Grid, novem.Doc, novem.Mail])
def test_visuals_are_made_once_and_removed(alice: Person, kind: type[novem.Plot]) -> None:
    for _ in range(2):
        made = kind("short-lived", **alice.connection)
    assert made.api_tree().startswith("[rwd]")
    made.api_delete("")
    with pytest.raises(Novem404):
        made.api_read("/name")
