"""Class names are unique, summaries take one line, and sentences are plain."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.kit.generated import README, TEXTS
from tests.kit.sources import PACKAGES, Source, offenders, sources

QUESTION = re.compile(r"(What|Who|Whoever|Where|How|When|Which|As [XYa-z`])\b")
HARD = re.compile(
    r"\b([Ww]hoever|[Ww]homever|of which|of whom|of theirs|what is theirs|by itself|by themselves|anew|lies"
    r"|(?<!instead )of (?:its|their) own(?! [a-z])|so many|told of|(?:is|are) told|for good|for ever"
    r"|(?<!there )(?:is|are) none)\b"
)
"""Constructions that readers whose first language is not English have to take apart.

Write "separate" for "of its own", "again" for "anew", "is" for "lies", "is notified" for "is told", "is not a
name" for "is none", and the number for "so many".
"""
PRIVATE = frozenset(
    [
        "bell",
        "bells",
        "ear",
        "furnish",
        "heeds",
        "hush",
        "knock",
        "mender",
        "rung",
        "sitting",
        "told",
        "vacant",
        "veiled",
        "wish",
        "wished",
        "wishes",
    ]
)
"""Words for which this field has terms: signal, listener, notified, missing, hidden, requested."""
Named = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Named


def summaries(source: Source) -> Iterator[str]:
    """The summaries of a file that take several lines, or begin with a question's word."""
    for node in ast.walk(source.tree):
        if isinstance(node, Documented) and (docstring := ast.get_docstring(node)):
            summary = docstring.partition("\n\n")[0]
            if "\n" in summary or QUESTION.match(summary):
                yield f"{getattr(node, 'lineno', 1)} {summary.splitlines()[0]}"


def private_names(source: Source) -> list[str]:
    """The names in a file that have a word of this list, but those of drawings."""
    if source.name.startswith("handlers/render/"):
        return []
    nodes = list(ast.walk(source.tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.name for node in nodes if isinstance(node, ast.ClassDef | Named)}
    names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return sorted(name for name in names if PRIVATE & {*name.lower().split("_")})


def test_no_name_has_a_word_of_our_own_where_the_field_has_a_term() -> None:
    assert not offenders({source.name: private_names(source) for source in sources(*PACKAGES, "tests")})


def test_no_sentence_has_a_construction_that_has_to_be_taken_apart() -> None:
    texts = {source.name: source.text for source in sources(*PACKAGES)}
    texts |= {path.name: path.read_text("utf-8") for path in (README, *TEXTS.glob("*.md"))}
    assert not offenders({name: sorted({*HARD.findall(text)}) for name, text in texts.items()})


def test_a_summary_is_one_line_that_begins_with_a_verb_or_the_thing() -> None:
    assert not offenders({source.name: [*summaries(source)] for source in sources(*PACKAGES)})


def test_no_class_name_stands_twice() -> None:
    names = Counter(name for source in sources(*PACKAGES) for name in source.classes())
    found = {
        source.name: [name for name in source.classes() if names[name] > 1] for source in sources(*PACKAGES)
    }
    assert not offenders(found)
