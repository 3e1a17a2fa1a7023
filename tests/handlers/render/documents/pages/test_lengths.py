"""Lines of like length, code cut to fit, tables by their proportions, and charts in a theme's colours."""

import pytest

from handlers.render.documents.looks.custom_css import chart_swaps, recolor
from handlers.render.documents.markup.blocks import DataTable
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.code_colors import code_html
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.line_lengths import balanced_width, fold_code
from handlers.render.documents.pages.media import PaperMedium
from handlers.render.documents.pages.page_context import LABELS, is_right_to_left
from handlers.render.documents.pages.parts import part_requests
from handlers.render.documents.pages.table_html import column_side
from handlers.render.plots.look.palette import DARK, LIGHT
from handlers.render.plots.look.type_metrics import text_width
from handlers.words.document_parts import DocumentParts
from handlers.words.language import translate


def paper_html(text: str, kind: str = "doc") -> str:
    return page_html(read_document(text), DocumentParts(), PaperMedium(), DocumentLook(kind)).body


def test_heads_of_two_lines_have_lines_of_like_length() -> None:
    words = "Harbour traffic in the third quarter"
    width = balanced_width(words, 32, 425) * 32
    assert text_width(words, 32, 700) / 2 < width < 0.8 * 425


@pytest.mark.parametrize(
    "words", ["One line", "Donaudampfschifffahrt", "港 湾 交 通 に 関 す る 報 告" * 3, "a " * 90]
)
def test_other_heads_are_left_alone(words: str) -> None:
    assert balanced_width(words, 32, 425) == 0


def test_code_is_cut_after_signs_and_hangs() -> None:
    line = "    total = first_number + second_number + third_number"
    (place, indent), *rest = fold_code(line, 30).items()
    assert line[:place].endswith("+ ") and indent == 8 and len(rest) == 1
    assert fold_code("a" * 25, 10) == {10: 4, 16: 4, 22: 4}
    assert fold_code("short\n\nlines", 10) == {}


def test_cut_code_keeps_its_words_and_colours() -> None:
    made = code_html('def mean(stays):\n\treturn "a long text that is cut" + other', "python", 24)
    lines = made.replace('<span class="c-text">', "").replace("</span>", "").split("\n")
    assert all(len(line) < 70 for line in lines) and len(lines) > 2 and "c-text" in made
    assert code_html("+ new", "diff") == '<span class="up">+ new</span>'
    assert code_html("if True", "python").count("span") == 4


@pytest.mark.parametrize(
    "text,names",
    [
        ("| a | b |\n|-|-|\n| 1 | 2 |", 'class="small"'),
        (f"| a | b |\n|-|-|\n| {'long words ' * 20} | 2 June 2026 |", 'class="whole">2 June'),
        (f"| {'w' * 70} | {'x' * 70} |\n|-|-|\n| 1 | 2 |", 'class="crowded tight"'),
        (f"| {'| '.join('abcd ' for _ in range(13))}|\n|{'-|' * 13}\n| 1 |", 'class="crowded"'),
    ],
)
def test_tables_are_set_by_their_proportions(text: str, names: str) -> None:
    assert names in paper_html(text)


def test_a_column_of_numbers_is_aligned_right() -> None:
    (table,) = read_document("| a | b | c |\n|-|:-:|--:|\n| € 1.50 | 2 | x |").sheets[0].blocks
    assert isinstance(table, DataTable)
    assert [column_side(table, index) for index in range(3)] == ["number", "at-center", "at-right"]


def test_lists_of_each_kind_have_their_markup() -> None:
    made = paper_html(f"5. a\n6. b\n\n- {'long ' * 20}\n- [x] c")
    assert '<ol start="5" class="x' in made and '<ul class="loose">' in made
    assert '<span class="box">☑' in made


def test_slides_share_their_height_among_charts() -> None:
    text = "# Head\n{}\n\n{{{{ vis ref: p/a }}}}\n\n{{{{ vis ref: p/b }}}}"
    alone, beside = (
        part_requests(read_document(text.format(words)), "pres") for words in ("", "Text. " * 20)
    )
    assert beside.visuals[0].height < alone.visuals[0].height < 300


def test_words_of_pages_follow_the_language() -> None:
    assert translate("Contents", "de-CH") == "Inhalt" and translate("Contents", "xx") == "Contents"
    assert translate(LABELS["warning"], "fr") == "Attention" and translate(LABELS["error"], "en") == "Error"
    assert all(len(translate(label, "da").split()) for label in LABELS.values())
    assert is_right_to_left("ar-EG") and not is_right_to_left("nb")


def test_charts_take_the_tokens_of_a_theme() -> None:
    css = ":root{--novem-ink:#111;--novem-accent:light-dark(#aa0000,#ffaaaa);--novem-series-2:red}"
    swaps = chart_swaps(css, "web")
    assert swaps["light"][LIGHT.ink] == "#111111" == swaps["dark"][DARK.ink]
    assert swaps["light"][LIGHT.categories[0]] == "#aa0000" and swaps["dark"][DARK.categories[0]] == "#ffaaaa"
    assert swaps["light"][LIGHT.ramp[1]] != LIGHT.ramp[1] and LIGHT.categories[1] not in swaps["light"]
    drawn = f'<path fill="{LIGHT.ink}" style="stroke:{LIGHT.ink}"/><text>{LIGHT.ink}</text>'
    made = recolor({"light": drawn, "dark": drawn}, swaps)["light"]
    assert made == f'<path fill="#111111" style="stroke:#111111"/><text>{LIGHT.ink}</text>'


def test_print_has_white_paper() -> None:
    assert chart_swaps("", "doc") == {"light": {LIGHT.paper: "#ffffff"}, "dark": {}}
    assert chart_swaps(":root{--novem-paper:#fafafa}", "doc")["light"][LIGHT.paper] == "#fafafa"
    assert chart_swaps(":root{--novem-ink:var(--x)}", "web") == {"light": {}, "dark": {}}
