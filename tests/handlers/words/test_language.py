"""Every language has its numbers, dates and words, and what it writes can be read back."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from html import unescape
from pathlib import Path

import pytest
from babel.localedata import locale_identifiers
from babel.numbers import parse_decimal
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from pptx import Presentation

import handlers.words.language as language_module
from handlers.render.plots.data.numbers import NumberFormat, alone, sides_of
from handlers.render.plots.world.areas import countries
from handlers.rendering.forms import render_order
from handlers.rendering.interface import plot_types
from handlers.rendering.port import RenderOrder
from handlers.words.language import ENGLISH, language, list_languages, load, read_tag, say, writing_in
from handlers.words.variables import format_value

TAGS = [tag for tag in list_languages() if tag != "en"] + ["de-AT", "de-CH", "pt-BR", "nb"]
SALES = "month,North,South\n2026-01,1204.5 €,800 €\n2026-02,13040.25 €,9000 €\n2026-03,25000 €,\n"
TABLE = "name,amount\na,1204.5\nb,13040.25\nc,-9000.75\n"
WORDS = json.loads(Path(language_module.__file__).with_name("words.json").read_text("utf-8"))


def drawn(form: str, tag: str, data: str, **config: str) -> str:
    """The text of a form of a plot."""
    settings = {f"config/{name}": text for name, text in config.items()}
    return render_order(
        RenderOrder("plot", form, {"data": data, "config/lang": tag, **settings})
    ).body.decode()


@pytest.mark.parametrize("tag", TAGS)
def test_a_chart_names_months_and_words_in_its_language(tag: str) -> None:
    svg = unescape(drawn("svg", tag, SALES, type="gbar"))
    written = load(read_tag(tag) or "")
    assert f'lang="{written.tag}"' in svg
    assert all(f">{month}<" in svg for month in written.short_months[:3])
    assert say("bar chart") == "bar chart" and f"<title>{written.words['bar chart']}" in svg
    cells = drawn("svg", tag, "a,x,y\np,1,2\nq,3,\n", type="heatmap")
    assert f">{written.words['no value']}<" in cells and "no value" not in cells


@pytest.mark.parametrize("tag", TAGS)
def test_a_table_is_read_back(tag: str) -> None:
    for form in ("txt", "html", "svg"):
        text = re.sub(r"<[^>]*>", "\n", drawn(form, tag, TABLE, type="table"))
        found = [part for part in re.split(r"\n|  +", unescape(text)) if re.search(r"\d{2}$", part)]
        read = [
            parse_decimal(part.strip().replace("\u2212", "-"), locale=tag.replace("-", "_"))
            for part in found
            if re.fullmatch(r"[-\u2212\d.,'’\u00a0\u202f ]+", part.strip())
        ]
        assert {Decimal("1204.50"), Decimal("13040.25"), Decimal("-9000.75")} <= set(map(Decimal, read)), form


@given(st.sampled_from(TAGS), st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_any_number_is_read_back(tag: str, digits: int, decimals: int) -> None:
    number = Decimal(digits).scaleb(-decimals)
    with writing_in(tag):
        text = NumberFormat(decimals=decimals)(float(number))
        assert text == NumberFormat(decimals=decimals)(float(number))
    read = parse_decimal(text.replace("\u2212", "-"), locale=tag.replace("-", "_"))
    assert read == number


def test_currencies_shares_and_sizes_stand_as_the_language_has_them() -> None:
    expected = {
        "": ("€12.4m", "12.5%", "$1,204.00"),
        "de": ("12,4\u00a0Mio.\u00a0€", "12,5\u00a0%", "1.204,00\u00a0$"),
        "fr": ("12,4\u00a0M\u00a0€", "12,5\u00a0%", "1\u202f204,00\u00a0$"),
        "nl": ("€\u00a012,4\u00a0mln.", "12,5%", "$\u00a01.204,00"),
        "ja": ("€1,240万", "12.5%", "$1,204.00"),
    }
    for tag, texts in expected.items():
        with writing_in(tag):
            found = alone(12_400_000, "€"), alone(12.5, "%"), format_value("1204", format="$2m")
            assert found == texts, tag


def test_dates_of_variables_and_cells_have_the_names_of_the_language() -> None:
    data = "day,n\n2026-03-09,1\n2026-05-10,2\n"
    table = drawn("txt", "de", data, type="table", **{"table/cell/format": ": 0 %a %-d. %B %Y"})
    assert "Mo 9. März 2026" in table and "So 10. Mai 2026" in table
    with writing_in("es"):
        assert format_value("2026-03-09", "date", "%d %B") == "09 marzo"


def test_natives_keep_numbers_and_codes_that_every_program_knows() -> None:
    for tag in ("de", "ja"):
        texts = {"data": SALES, "config/type": "line", "config/lang": tag}
        made = render_order(RenderOrder("plot", "xlsx", texts)).body
        run_store = load_workbook(io.BytesIO(made))
        assert 13040.25 in {cell.value for row in run_store.worksheets[0].iter_rows() for cell in row}
        deck = Presentation(io.BytesIO(render_order(RenderOrder("plot", "pptx", texts)).body))
        codes = [
            axis.get("formatCode")
            for slide in deck.slides
            for shape in slide.shapes
            if shape.has_chart
            for axis in shape.chart._chartSpace.iter("{*}numFmt")
        ]
        assert any("#,##0" in code for code in codes) and not any("万" in code for code in codes)


def test_a_document_is_in_its_language() -> None:
    text = "---\nlang: de\n---\n# Bericht\n\n{{ table label: t }}\n| a |\n|---|\n| 1 |\n{{ /table }}\n"
    html = render_order(RenderOrder("doc", "html", {"content": text, "config/lang": "de"})).body.decode()
    assert '<html lang="de">' in html and "Tabelle\u00a01" in html
    other = text.replace("lang: de", "author: x")
    order = RenderOrder("doc", "html", {"content": other}, {"language": "sv"})
    html = render_order(order).body.decode()
    assert '<html lang="sv">' in html and "Tabell\u00a01" in html


def test_unknown_languages_have_no_data_and_english_needs_none() -> None:
    for text in ("", "xx", "deutsch", "de_DE", "../de", "x" * 1000, "de-Latn-XX", "ru"):
        assert read_tag(text) is None
    assert read_tag("DE-at") == "de-AT" and language() is ENGLISH
    with writing_in(""):
        assert language() is not None and sides_of("€") == ("€", "")
        assert language().tag == "en" and not language().is_chosen


def test_all_words_are_known_in_all_languages_with_the_same_places() -> None:
    expected = {tag for tag in list_languages() if tag != "en"}
    holes = re.compile(r"\{\d?\}|%s")
    for words, by_tag in WORDS.items():
        assert expected <= set(by_tag), words
        for tag in expected:
            assert len(holes.findall(by_tag[tag])) == len(holes.findall(words)), (words, tag)
            assert by_tag[tag].strip(), (words, tag)


def test_every_variant_of_a_language_can_be_written() -> None:
    found = {tag for name in locale_identifiers() if (tag := read_tag(name.replace("_", "-")))}
    assert {"de-CH", "en-GB", "pt-PT", "zh-Hant-TW"} <= found
    for tag in found:
        written = load(tag)
        assert (len(written.months), len(written.days), len(written.quarters)) == (12, 7, 4), tag
        assert written.group != written.decimal, tag
        for pattern in (written.day_month, written.month_year, written.day_month_year):
            assert re.search(r"\d", written.date(date(2026, 3, 9), pattern)), tag


def tokens(text: str) -> set[str]:
    """The words of a text that are written with Latin letters."""
    return set(re.findall(r"[^\W\d_]{2,}", text))


COUNTRIES = {word for one in countries() for word in tokens(one.name)}
"""Names of countries, which are those of the data that a map is drawn by."""
GERMAN = {word for by_tag in WORDS.values() for word in tokens(by_tag["de"])}
CALENDAR = (*load("de").short_months, *load("de").months, *load("de").days, *load("de").short_days)
OWN = GERMAN | COUNTRIES | tokens(" ".join([*CALENDAR, *(size[2] for size in load("de").sizes)]))


def hostile(data: str) -> Iterator[str]:
    """A data file with few, many, negative, missing and repeated rows."""
    head, *rows = data.splitlines()
    columns = head.count(",")
    yield data
    yield f"{head}\n{rows[0]}\n"
    yield f"{head}\n" + "".join(f"{row}\n" for row in rows for _ in range(3))
    yield re.sub(r"(?<=,)(\d[\d.]*)(?=\n|$)", r"-\1", data)
    yield (
        f"{head}\n"
        + "".join(f"{row}\n" for row in rows)
        + "," * columns
        + "\n"
        + f"{rows[0][:3]}{',' * columns}\n"
    )
    yield re.sub(r",(\d[\d.]*)\n", ",\n", data, count=2)


@pytest.mark.parametrize("word", sorted(plot_types()))
def test_every_word_of_a_chart_is_of_its_language(word: str) -> None:
    for data in hostile(plot_types()[word].example):
        for form in ("svg", "txt", "html"):
            body = drawn(form, "de", data, type=word)
            text = unescape(re.sub(r"<style.*?</style>|<[^>]*>", " ", body))
            if " needs " in text:  # the words for its author, as those of the log
                continue
            foreign = {one for one in tokens(text) - OWN if one.lower() not in data.lower()}
            assert not foreign, (form, data, text)
