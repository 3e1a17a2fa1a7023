"""Names tell a subject and not a tense, one thing has one name, and a docstring begins with the thing."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tests.kit.sources import PACKAGES, Source, offenders, sources

PARTICIPLE = re.compile(
    r"[a-z]+ed|told|held|noted|seen|shown|known|found|given|made|kept|left|met|sent|taken|written|bound|built|"
    r"bought|brought|caught|done|drawn|gone|hidden|laid|led|lent|lost|paid|said|sold|shut|spent|stood|"
    r"stuck|struck|swept|taught|thought|understood|won|worn|begun|broken|chosen|driven|fallen|"
    r"forgotten|frozen|grown|risen|spoken|stolen|sworn|torn|thrown|woken|heard"
)
VERBS = {"need", "embed", "feed", "seed"}
# What the field calls so, by its own name (at most twenty).
ESTABLISHED: set[str] = set()
QUESTION = re.compile(r"(What|Who|Anyone who|Where|How|When|Which|As [XYa-z`])\b")
Named = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Named


def is_participle(name: str) -> bool:
    """Whether a name is nothing but a participle of the past."""
    word = name.strip("_")
    return bool(PARTICIPLE.fullmatch(word)) and word not in VERBS | ESTABLISHED


def is_property(node: Named) -> bool:
    """Whether a function is read like an attribute."""
    return any("property" in ast.unparse(decorator) for decorator in node.decorator_list)


def participles(source: Source) -> Iterator[str]:
    """The functions of a file that are named by one."""
    for node in ast.walk(source.tree):
        if isinstance(node, Named) and is_participle(node.name) and not is_property(node):
            yield f"{node.lineno} {node.name}"


def summaries(source: Source) -> Iterator[str]:
    """The summaries of a file that take several lines, or begin with a question's word."""
    for node in ast.walk(source.tree):
        if isinstance(node, Documented) and (docstring := ast.get_docstring(node)):
            summary = docstring.partition("\n\n")[0]
            if "\n" in summary or QUESTION.match(summary):
                yield f"{getattr(node, 'lineno', 1)} {summary.splitlines()[0]}"


def test_no_function_is_named_by_a_bare_participle() -> None:
    assert len(ESTABLISHED) <= 20
    assert not offenders({source.name: [*participles(source)] for source in sources(*PACKAGES)})


def test_a_summary_is_one_line_that_begins_with_a_verb_or_the_thing() -> None:
    assert not offenders({source.name: [*summaries(source)] for source in sources(*PACKAGES)})


def test_no_class_name_stands_twice() -> None:
    names = Counter(name for source in sources(*PACKAGES) for name in source.classes())
    found = {
        source.name: [name for name in source.classes() if names[name] > 1] for source in sources(*PACKAGES)
    }
    assert not offenders(found)
