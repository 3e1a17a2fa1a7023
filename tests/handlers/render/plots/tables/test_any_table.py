"""Generated tables in every form: rows left out are counted, no digit is changed, and sums stay."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from xml.etree import ElementTree

import openpyxl
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.fragment import fragment
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.forms.terminal.screen import signs
from handlers.render.plots.forms.workbook import xlsx
from handlers.words.plot import Plot

SVG = "{http://www.w3.org/2000/svg}"
WORDS = (
    "Lower Northern Europe",
    "مصر العليا",
    "東京都",
    "Donaudampfschifffahrtsgesellschaft",
    "a",
    "Ö-Ä",
    "",
)
SHOWN = re.compile(r"[−+]?\(?[−+]?\$?([0-9]{1,3}(?:,[0-9]{3})*(?:\.[0-9]+)?)(?: ?%)?\)?")
SENTENCE = re.compile(r"(\d[\d,]*) of (\d[\d,]*) rows?")


@dataclass(frozen=True)
class Amount:
    """A number, and the text as which it is sent."""

    value: Decimal
    sent: str


@dataclass(frozen=True)
class Sent:
    """A table that is sent: its kinds of columns, and for each row its mark, name and cells."""

    kinds: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Amount | str, ...]], ...]
    total: bool

    @property
    def data(self) -> str:
        """The text of the data."""
        heads = ("name", *(f"{kind} {at}" if kind != "zip" else "zip" for at, kind in enumerate(self.kinds)))
        lines = [[name, *map(_text, cells)] for name, cells in self.rows]
        return "".join("\t".join(line) + "\n" for line in (heads, *lines))

    @property
    def plot(self) -> Plot:
        """The plot."""
        return Plot(self.data, {"type": "table"})


def _text(cell: Amount | str) -> str:
    return cell.sent if isinstance(cell, Amount) else cell


@st.composite
def amounts(draw_from: st.DrawFn, style: str, most: int) -> Amount:
    """A number of some decimals in one of the ways in which people write it."""
    digits = draw_from(st.integers(0, 10 ** draw_from(st.integers(1, 9))))
    decimals = draw_from(st.integers(0, most))
    minus = draw_from(st.sampled_from(["", "", "-", "−", "("]))
    value = Decimal(digits).scaleb(-decimals)
    text = f"{value:,f}" if style == "grouped" else f"{value:f}"
    text = {"dollar": f"${text}", "percent": f"{text} %"}.get(style, text)
    sent = f"({text})" if minus == "(" else minus + text
    return Amount(-value if minus else value, sent)


CELLS = {
    "amount": amounts("plain", 2),
    "float": amounts("plain", 12),
    "grouped": amounts("grouped", 2),
    "dollar": amounts("dollar", 2),
    "percent": amounts("percent", 1),
    "gaps": st.one_of(st.just(""), amounts("plain", 2), amounts("plain", 2), amounts("plain", 2)),
    "zip": st.integers(1, 10**9).map(str),
    "code": st.integers(0, 10**6).map(lambda number: f"0{number}"),
    "days": st.integers(1900, 2100).map(str),
    "words": st.sampled_from(
        [*WORDS, "for the repair and the extension of the roads of the north in winter"]
    ),
}
NUMBERS = {"amount", "float", "grouped", "dollar", "percent", "gaps"}


@st.composite
def tables(draw_from: st.DrawFn, most: int = 90) -> Sent:
    """A table of a few columns of any kinds, with or without a sum at its end."""
    kinds = tuple(draw_from(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=5)))
    count, total = draw_from(st.integers(1, most)), draw_from(st.booleans())
    few = draw_from(st.lists(st.tuples(*(CELLS[kind] for kind in kinds)), min_size=1, max_size=8))
    names = [f"k{at}k {draw_from(st.sampled_from(WORDS))}".strip() for at in range(min(count, 4))]
    rows = [
        (f"k{at}k {names[at % len(names)].partition(' ')[2]}".strip(), few[at % len(few)])
        for at in range(count)
    ]
    return Sent(kinds, (*rows, *([("Total", few[0])] * total)), total)


def check_number(sent: Amount, shown: str) -> None:
    """Check that the shown text is the number, rounded to the shown decimals."""
    found = SHOWN.fullmatch(shown)
    assert found, shown
    digits = found[1].replace(",", "")
    negative = "−" in shown or "(" in shown
    read = Decimal(f"{'-' if negative else ''}{digits}")
    place = Decimal(1).scaleb(-len(digits.partition(".")[2]))
    assert read == sent.value.quantize(place, ROUND_HALF_UP), (sent, shown)


def check_cells(sent: Sent, row: int, shown: Sequence[str]) -> None:
    """Check that the shown cells of a row are those that were sent."""
    for kind, cell, text in zip(sent.kinds, sent.rows[row][1], shown, strict=True):
        if kind in NUMBERS and isinstance(cell, Amount):
            check_number(cell, text)
        else:
            assert text.replace("–", "") == _text(cell)


def rows_said(sent: Sent, text: str) -> int:
    """Return the number of shown rows by the sentence of a form."""
    found = SENTENCE.search(" ".join(text.split()))
    if found is None:
        return len(sent.rows)
    assert int(found[2].replace(",", "")) == len(sent.rows)
    return int(found[1].replace(",", ""))


def marks_in(texts: Sequence[str]) -> list[str]:
    """Return the marks of rows in some texts."""
    return [
        found[0]
        for text in texts
        if (found := re.match(r"k\d+k|Total", text.strip("\u2066\u2067\u2068\u2069")))
    ]


def rows_shown(sent: Sent, count: int) -> list[int]:
    """Return the rows that a form of `count` rows shows: the first, and the last ones if there is a sum."""
    last = count // 2 if sent.total else 0
    return [*range(count - last), *range(len(sent.rows) - last, len(sent.rows))]


@given(tables(700))
@settings(max_examples=40, deadline=None)
def test_a_page_shows_the_cells_that_were_sent(sent: Sent) -> None:
    page = html.fragment_fromstring(fragment(sent.plot, read_frame(sent.data), Look(), "n"))
    body = [[cell.text_content() for cell in row.iter("td", "th")] for row in page.findall(".//tbody/tr")]
    assert len(body) == rows_said(sent, " ".join(one.text_content() for one in page.iter("p")))
    for row, (name, *cells) in zip(rows_shown(sent, len(body)), body, strict=True):
        assert name == sent.rows[row][0]
        check_cells(sent, row, cells)
    for column, kind in enumerate(sent.kinds, 1):
        known = [row[column] for row in body if row[column] != "–"]
        if kind in NUMBERS - {"gaps"} and len(sent.rows) == len(body):
            check_decimals([row[1][column - 1] for row in sent.rows], known)


def check_decimals(sent: Sequence[Amount | str], shown: Sequence[str]) -> None:
    """Check that decimals are equal if half of the numbers have the most of them, and these are few."""
    places = [max(0, -int(one.value.as_tuple().exponent)) for one in sent if isinstance(one, Amount)]
    if max(places) <= 6 and 2 * places.count(max(places)) >= len(places):
        ends = {len(text.rstrip("%) ").partition(".")[2]) for text in shown}
        assert ends == {max(places)}


@given(tables(), st.sampled_from([20, 40, 60, 80]), st.sampled_from([6, 12, 20, 60]))
@settings(max_examples=80, deadline=None)
def test_a_terminal_has_the_requested_lines_and_counts_the_rows_left_out(
    sent: Sent, columns: int, rows: int
) -> None:
    lines = terminal_chart(sent.plot, columns, rows, colored=False).splitlines()
    assert max(map(signs, lines)) <= columns
    marks = marks_in(lines)
    assert len(marks) == rows_said(sent, " ".join(lines))
    assert len(lines) <= rows or len(marks) == 1
    assert marks[-1] == ("Total" if sent.total else f"k{len(marks) - 1}k")
    assert marks[0] == "k0k" or marks == ["Total"]


@given(tables(), st.sampled_from([240, 360, 600, 900]), st.sampled_from([None, 120, 300, 700]))
@settings(max_examples=80, deadline=None)
def test_a_picture_counts_the_rows_left_out_and_keeps_the_sum(
    sent: Sent, width: int, height: int | None
) -> None:
    drawn = draw(sent.plot, Look(width=width, height=height))
    root = ElementTree.fromstring(drawn.svg)
    texts = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    marks = marks_in(texts)
    assert len(marks) == rows_said(sent, " ".join(texts)) == rows_said(sent, " ".join(drawn.notes))
    assert marks[-1] == ("Total" if sent.total else f"k{len(marks) - 1}k")
    assert marks[0] == "k0k" or marks == ["Total"]
    cut = [text for text in texts if text.endswith("…")]
    assert len(root.findall(f".//{SVG}g/{SVG}title")) >= bool(cut)


@given(tables(40))
@settings(max_examples=30, deadline=None)
def test_a_workbook_has_the_exact_numbers(sent: Sent) -> None:
    book = openpyxl.load_workbook(io.BytesIO(xlsx(sent.plot, read_frame(sent.data))))
    for row, (name, cells) in zip(book["data"].iter_rows(min_row=2), sent.rows, strict=True):
        assert row[0].value == name
        for kind, cell, found in zip(sent.kinds, cells, row[1:], strict=True):
            if isinstance(cell, Amount):
                wanted = float(cell.value) / (100 if kind == "percent" else 1)
                assert abs(found.value - wanted) <= 1e-12 * abs(wanted)
                assert found.number_format != "General" or wanted.is_integer() or kind == "float"
            elif kind in ("days", "zip"):
                assert (str(found.value), found.number_format) == (cell, "General")
            else:
                assert (found.value or "") == cell
