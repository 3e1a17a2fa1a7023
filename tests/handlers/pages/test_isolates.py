"""Texts of users reverse nothing beside them on any page: neither its words, nor times, nor links."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2 import Environment, Undefined
from markupsafe import Markup

from handlers.pages.templates import Isolates, TemplateScan, in_isolate, in_plain_isolate
from handlers.rules.plain_lines import FSI, PDI
from tests.handlers.pages.web_user import Owner, WebUser

TEMPLATES = Path("handlers/pages/templates")
EVIL = "a \u202eb"
SHOWN = f"<bdi>{EVIL}\u202c</bdi>"
PLAIN = f"{FSI}{EVIL}\u202c{PDI}"


def render(template: str, **facts: object) -> str:
    made = Environment(extensions=[Isolates], autoescape=True)
    made.filters.update(in_isolate=in_isolate, in_plain_isolate=in_plain_isolate)
    return made.from_string(template).render(x=EVIL, ok="é <", **facts)


@pytest.mark.parametrize(
    ("template", "made"),
    [
        ("<p>{{ x }} 2</p>", f"<p>{SHOWN} 2</p>"),
        ("<p>{{ ok if ok else x }}</p>", "<p>é &lt;</p>"),
        ("<p>{{ x if ok else ok }}{{ 1 }}{{ None }}</p>", f"<p>{SHOWN}1None</p>"),
        ("{{ 'a' ~ x }}", f"<bdi>a{EVIL}\u202c</bdi>"),
        ("{{ x|upper }}{{ (x, 1)[0] }}", f"<bdi>{EVIL.upper()}\u202c</bdi>{SHOWN}"),
        ("<a title=\"{{ x }}>\" href='{{ x }}'>{{ x }}</a>",
         f"<a title=\"{EVIL}>\" href='{EVIL}'>{SHOWN}</a>"),
        ("<i{% if ok %} class={{ x }}{% endif %}>{{ x }}</i>", f"<i class={EVIL}>{SHOWN}</i>"),
        ("<title>{{ x }}</title>{{ x }}", f"<title>{PLAIN}</title>{SHOWN}"),
        ("{% block title %}{{ x }} · b{% endblock %}{{ x }}", f"{PLAIN} · b{SHOWN}"),
        ("{% block other %}{{ x }}{% endblock %}", SHOWN),
        ("<textarea a='b'>{{ x }}</textarea><option>{{ x }}</option>",
         f"<textarea a='b'>{EVIL}</textarea><option>{PLAIN}</option>"),
        ("<svg><title>{{ x }}</title><text>{{ x }}</text></svg>{{ x }}",
         f"<svg><title>{PLAIN}</title><text>{PLAIN}</text></svg>{SHOWN}"),
        ("<script>{{ x }}</script><style>{{ x }}</style>", f"<script>{EVIL}</script><style>{EVIL}</style>"),
        ("{% macro m(y) %}<b>{{ y }}</b>{% endmacro %}{{ m(x) }}{{ x|safe }}", f"<b>{SHOWN}</b>{EVIL}"),
        ("<!doctype html><p>it's {{ x }}</p>", f"<!doctype html><p>it's {SHOWN}</p>"),
        ("{{ undefined_here }}", ""),
    ],
)  # fmt: skip
def test_where_words_are_isolated(template: str, made: str) -> None:
    assert render(template) == made


def test_isolated_text_is_escaped_and_closed() -> None:
    assert in_isolate("<b>\u2069ש") == Markup("<bdi>&lt;b&gt;ש</bdi>")
    assert in_isolate(Markup("<b>ש</b>")) == "<b>ש</b>"
    assert in_plain_isolate(Markup("ש")) == "ש"
    assert str(in_isolate(Undefined())) == ""


@pytest.mark.parametrize("template", sorted(TEMPLATES.glob("*.html")), ids=lambda path: path.stem)
def test_the_tags_of_each_template_are_understood(template: Path) -> None:
    """No element is open after a template, so that each text is where it seems to be."""
    place = TemplateScan()
    text = re.sub(r"\{%.*?%\}|\{#.*?#\}", "", template.read_text(), flags=re.DOTALL)
    for piece in re.split(r"\{\{.*?\}\}", text, flags=re.DOTALL):
        place.read(piece)
    assert place.isolate == "in_isolate"


def test_a_notice_does_not_turn_its_time(
    window: Callable[..., WebUser], owner: Owner, tmp_path: Path
) -> None:
    """The boxes of the line are on the screen in the order of its source."""
    other = Owner(owner.server, tmp_path)
    owner.job("quiet", name="Quiet \u202eone", summary="s \u202e b")
    owner.put(f"jobs/quiet/shared/@{other.name}~rx")
    path = f"users/{owner.name}/code/jobs/quiet/threads/@{other.name}~hm"
    owner.server.ask("PUT", path, who=other.name)
    owner.server.ask("POST", f"{path}/msg", "please \u202e look at \u2069this".encode(), other.name)
    web_user = window()
    web_user.sign_in(f"@{owner.name.upper()}", owner.server.password(owner.name))
    web_user.open("/notices")
    page = web_user.page
    page.screenshot(path=str(tmp_path / "notices.png"))
    boxes = page.evaluate(
        """() => {
          const line = document.querySelector('.told p');
          const box = (node) => { const range = document.createRange(); range.selectNodeContents(node);
            return range.getBoundingClientRect(); };
          const time = box(line.querySelector('time')), words = box(line.querySelector('bdi'));
          const letter = (node, at) => { const range = document.createRange();
            range.setStart(node, at); range.setEnd(node, at + 1);
            return range.getBoundingClientRect().left; };
          const text = line.querySelector('time').firstChild;
          return [words.right <= time.left + 1, letter(text, 0) < letter(text, text.length - 1)];
        }"""
    )
    assert boxes == [True, True]
