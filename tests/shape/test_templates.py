"""Classes of the pages' style sheets and macros of their templates are used."""

import re

from jinja2 import Environment, nodes

from tests.kit.sources import ROOT, offenders

PAGES = ROOT / "handlers/pages"
SHEETS = {path.name: path.read_text() for path in (PAGES / "static").glob("*.css")}
TEMPLATES = {path.name: path.read_text() for path in (PAGES / "templates").glob("*.html")}
OTHERS = [
    *(PAGES / "static").glob("*.js"),
    *(ROOT / "handlers").rglob("*.py"),
    *(ROOT / "handlers/render").rglob("*.svg"),
    *(ROOT / "chains").rglob("*.py"),
]
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
SELECTOR = re.compile(r"([^{}]+)\{")
CLASS = re.compile(r"\.([a-z][\w-]*)")
WORD = re.compile(r"[\w-]+")
MACRO = re.compile(r"\{% macro (\w+)\(")
BUILT = ("cm-", "tok-", "d-", "h-", "l-", "level-", "s-")
"""How classes begin that CodeMirror has, or that templates build of a state, a level or a mark."""


def test_a_class_of_a_style_sheet_is_named_in_a_template_or_program() -> None:
    texts = "\n".join([*TEMPLATES.values(), *(path.read_text() for path in OTHERS)])
    named = set(WORD.findall(texts))
    found = {
        name: [
            one
            for selector in SELECTOR.findall(COMMENT.sub("", sheet))
            for one in CLASS.findall(selector)
            if one not in named and not one.startswith(BUILT)
        ]
        for name, sheet in SHEETS.items()
    }
    assert not offenders(found)


def test_a_macro_is_called() -> None:
    texts = "\n".join(TEMPLATES.values())
    found = {
        name: [one for one in MACRO.findall(text) if len(re.findall(rf"\b{one}\(", texts)) < 2]
        for name, text in TEMPLATES.items()
    }
    assert not offenders(found)


def test_a_macro_that_gets_any_number_of_values_has_defaults() -> None:
    """A run that ends while its page is read has files, but not yet their addresses."""
    parsed = {name: Environment().parse(text) for name, text in TEMPLATES.items()}
    macros = {macro.name: macro for macro in parsed["parts.html"].find_all(nodes.Macro)}
    called = [
        (macros[call.node.attr], len(call.args))
        for one in parsed.values()
        for call in one.find_all(nodes.Call)
        if call.dyn_args is not None and isinstance(call.node, nodes.Getattr)
    ]
    assert called
    assert [macro.name for macro, given in called if len(macro.args) - len(macro.defaults) > given] == []
