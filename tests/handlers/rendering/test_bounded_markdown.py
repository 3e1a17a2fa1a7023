"""Markdown by the rules of CommonMark, whole, in a time that is bounded by its size."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from handlers.rendering.markdown import html, render_bounded
from tests.kit.clocks import processor_seconds

TEXTS = sorted((Path(__file__).parents[3] / "handlers/reference/text").glob("*.md"))
SIZE = 256 << 10
COMMENT = re.compile("^<!--.*?-->\n|<!--.*?-->", re.DOTALL | re.MULTILINE)
TIMES = 6
"""The factor by which a hostile text may be slower than an ordinary one; it was ninety without bounds."""

EVERYTHING = """a
===
b
---

- x
- y

  z

1. a
   1. b

> q
> w
lazy

```py
code
```

    ind

| a | b |
|---|--:|
| 1 | 2 |

~~s~~ **b** *i* `c` [l](http://x 't') ![i](u) <http://a> &amp; \\* [r]

[r]: /u

hard\x20\x20
break\\
x

***

<b>html</b>
"""


def test_the_rules_are_those_of_commonmark() -> None:
    plain = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    assert len(TEXTS) > 10
    for text in (EVERYTHING, *(path.read_text() for path in TEXTS)):
        shown = re.sub(r'style="text-align:(\w+)"', r'align="\1"', plain.render(text))
        assert COMMENT.sub("", render_bounded(text)) == COMMENT.sub("", shown)


def seconds(piece: str) -> float:
    text = piece * (SIZE // len(piece))
    return processor_seconds(lambda: html(text))


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "![",
        "![](",
        "[a][",
        "*_",
        "**a",
        "#\n",
        "- a\n",
        "> ",
        "| a",
        "`",
        "<",
        "<!--",
        "<!-- -->",
        "<a b='",
        '<a b=" c',
        "    {{ a\n\n",
        "(data:image/png,",
        "~~a",
        "[a]: b\n",
        "[a](b)",
    ],
)
def test_the_time_of_a_hostile_text_is_bounded_by_its_size(piece: str) -> None:
    assert seconds(piece) < TIMES * seconds(EVERYTHING)
    assert len(html(piece * (SIZE // len(piece)))) < 16 * SIZE


def test_markup_beyond_the_bounds_is_shown_as_written() -> None:
    text = "# 1<2\n" * 200
    shown = render_bounded(text, steps=500)
    assert shown.startswith("<h1>1&lt;2</h1>")
    assert shown.count("<h1>") + unescape(shown).count("# 1<2") == 200
    deep = render_bounded("> " * 60 + "*word*")
    assert "word" in deep
    assert deep.count("<blockquote>") < 40
