"""The regular expressions of the packages, and the ways in which each is used."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import _lru_cache_wrapper, cache
from pathlib import Path
from types import ModuleType
from typing import Any

from lark import Lark

from tests.kit.sources import PACKAGES, ROOT, Source, sources

WAYS = frozenset({"match", "fullmatch", "search", "sub", "subn", "finditer", "findall", "split"})
DEEPEST = 5
Pattern = re.Pattern[Any]


@cache
def modules() -> tuple[ModuleType, ...]:
    """All modules of the packages."""
    names = [
        found.name
        for package in PACKAGES
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
    ]
    return tuple(importlib.import_module(name) for name in names if not name.endswith("__main__"))


def used_patterns() -> Mapping[Pattern, Mapping[str, str]]:
    """All patterns, each with the ways in which it is used and the place of each use.

    A pattern that is held by a name is used as the name is, and one that is handed on as a value is matched,
    or used as its module uses values. Those that are written where they are used are found there.
    """
    uses: dict[Pattern, dict[str, str]] = defaultdict(dict)
    values: dict[Pattern, str] = {}
    unnamed: dict[str, set[str]] = {}
    for module in modules():
        unnamed[module.__name__] = _read_uses(module, _tree(module), uses)
        for name, held in vars(module).items():
            if not isinstance(held, ModuleType):
                for pattern in held_patterns(held):
                    values.setdefault(pattern, f"{module.__name__}:{name}")
    for pattern, place in values.items():
        if pattern not in uses:
            ways = {"match", "fullmatch"} | unnamed[place.partition(":")[0]]
            uses[pattern] = dict.fromkeys(ways, place)
    return uses


def _tree(module: ModuleType) -> ast.Module:
    return _sources()[str(Path(module.__file__ or "").relative_to(ROOT))].tree


@cache
def _sources() -> Mapping[str, Source]:
    return {source.name: source for source in sources(*PACKAGES)}


def _read_uses(module: ModuleType, tree: ast.Module, uses: dict[Pattern, dict[str, str]]) -> set[str]:
    """Note the uses in a module; the ways in which it uses patterns that no name at its top holds."""
    unnamed = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or node.attr not in WAYS:
            continue
        held = _value(module, node.value) if isinstance(node.value, ast.Name | ast.Attribute) else None
        if isinstance(held, re.Pattern):
            uses[held][node.attr] = f"{module.__name__}:{node.lineno}"
        elif held is None:
            unnamed.add(node.attr)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
            way = ast.unparse(node.func).removeprefix("re.")
            if way in WAYS and isinstance(pattern := written(module, node), re.Pattern):
                uses[pattern][way] = f"{module.__name__}:{node.lineno}"
            elif way == "compile" and isinstance(pattern := written(module, node), re.Pattern):
                uses.setdefault(pattern, {})
    for pattern in [pattern for pattern, ways in uses.items() if not ways]:
        uses[pattern] = dict.fromkeys({"match", "fullmatch"} | unnamed, module.__name__)
    return unnamed - {"split"}


def written(module: ModuleType, call: ast.Call) -> Pattern | None:
    """The pattern of a call of `re`; for a name that only the function knows, a figure stands."""
    flags = [*call.args[1:], *(word.value for word in call.keywords if word.arg == "flags")]
    said = [_value(module, flag) for flag in flags]
    source = _value(module, call.args[0])
    if source is None:
        source = _value(module, _Figures(module).visit(call.args[0]))
    if isinstance(source, re.Pattern):
        return source
    flag = next((int(flag) for flag in said if isinstance(flag, re.RegexFlag)), 0)
    return re.compile(source, flag) if isinstance(source, str | bytes) else None


class _Figures(ast.NodeTransformer):
    """Puts a figure for each value in a literal that the module itself does not know."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        """The value of the module, or the figure."""
        return node if _value(self.module, node.value) is not None else ast.Constant("3")


def _value(module: ModuleType, node: ast.AST) -> Any:
    if isinstance(node, ast.Name):
        return vars(module).get(node.id)
    if isinstance(node, ast.Attribute):
        return getattr(_value(module, node.value), node.attr, None)
    try:
        return eval(ast.unparse(node), dict(vars(module)))
    except Exception:
        return None


def held_patterns(held: object, depth: int = DEEPEST) -> Iterator[Pattern]:
    """The patterns that a value holds: in containers, attributes of classes and objects, and grammars."""
    if isinstance(held, re.Pattern):
        yield held
    elif isinstance(held, Lark):
        yield from (re.compile(terminal.pattern.to_regexp()) for terminal in held.terminals)
    elif depth:
        for inner in _inner(held):
            yield from held_patterns(inner, depth - 1)


def _inner(held: object) -> Iterator[object]:
    if isinstance(held, Mapping):
        yield from (*held.keys(), *held.values())
    elif isinstance(held, list | tuple | set | frozenset):
        yield from held
    elif isinstance(held, _lru_cache_wrapper):
        if _makes_grammar(held):
            yield held()
    elif isinstance(held, type):
        if held.__module__.partition(".")[0] in PACKAGES:
            yield from [one for one in vars(held).values() if not isinstance(one, type)]
    elif is_dataclass(held):
        yield from (getattr(held, field.name, None) for field in fields(held))


def _makes_grammar(function: Any) -> bool:
    signature = inspect.signature(function)
    return not signature.parameters and str(signature.return_annotation).startswith(("Lark", "re.Pattern"))
