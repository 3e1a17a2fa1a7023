"""The sentences of all refusals that the product's code can say, in the order of its modules.

`python -m tests.shape.refusals --write` renews the golden table.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from chains.language.mistake import Mistake
from chains.runs.states import RunFailed
from tests.kit.sources import PACKAGES, Source, sources
from vfs import errors

TABLE = Path(__file__).with_name("refusals.txt")
HEAD = """\
# Every sentence that a refusal of the service can begin with, by its module: a person reads a new one here.
# A rule's words complete "this needs …". What is filled in stands in braces.
"""
CLASSES = {name for name, kind in vars(errors).items() if isinstance(kind, type)} - {"Advice"}
WORDS_OF: Mapping[str, int] = {
    **dict.fromkeys({*CLASSES, RunFailed.__name__, "DeadCredential", "Refusal"}, 0),
    Mistake.__name__: 1,
    "Rule": 2,
}
"""Which argument of each class is its sentence."""


SPOKEN = ("chains/runner/run_work.py", "handlers/services/rights.py", "vfs/remedies.py")
"""Modules whose functions return what refusals say."""


def table() -> str:
    """The table as the code has it."""
    parts = [HEAD]
    for source in sources(*PACKAGES):
        said = list(dict.fromkeys(_refusals(source)))
        if said:
            parts.append(f"\n[{source.name}]\n" + "".join(f"{one}\n" for one in said))
    return "".join(parts)


def _refusals(source: Source) -> Iterator[str]:
    known = _constants(source.tree)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None and source.name in SPOKEN:
            sentence = _sentence(node.value, known)
            if sentence.count(" ") > 2:
                yield f"{'…':<16}{sentence}"
        if not isinstance(node, ast.Call):
            continue
        name = _class_of(node.func)
        if name in WORDS_OF and len(node.args) > WORDS_OF[name]:
            sentence = _sentence(node.args[WORDS_OF[name]], known)
            if " " in sentence:
                yield f"{name:<16}{sentence}"


def _class_of(func: ast.expr) -> str:
    """The class that is called, also by `errors.Class` or `Class.at`."""
    if isinstance(func, ast.Name):
        return func.id
    if not isinstance(func, ast.Attribute):
        return ""
    return func.attr if func.attr in WORDS_OF else _class_of(func.value) if func.attr == "at" else ""


def _constants(tree: ast.Module) -> dict[str, str]:
    """The strings that names of a module stand for."""
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


def _sentence(node: ast.expr, known: Mapping[str, str]) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return " ".join(text.split()) if "\n" in text else text
        case ast.JoinedStr(values=values):
            return "".join(_sentence(value, known) for value in values)
        case ast.FormattedValue(value=ast.Name(id=name)) | ast.Name(id=name) if name in known:
            return known[name]
        case ast.FormattedValue(value=value):
            return f"{{{ast.unparse(value)}}}"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _sentence(left, known) + _sentence(right, known)
        case ast.IfExp(body=body, orelse=orelse):
            return f"{_sentence(body, known)} | {_sentence(orelse, known)}"
        case _:
            return "{…}"


if __name__ == "__main__" and "--write" in sys.argv:
    TABLE.write_text(table())
