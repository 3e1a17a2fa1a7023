"""Selections: the fields that a query asks for, so that nothing else is looked up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphql import DocumentNode, FieldNode, FragmentDefinitionNode, FragmentSpreadNode, GraphQLResolveInfo
from graphql.language import InlineFragmentNode, SelectionSetNode

Row = dict[str, Any]
PIECE = 64
"""Characters of a text that count as one value."""


@dataclass(slots=True)
class Selection:
    """The fields requested below one field, by name; `names` are the names and aliases of that field."""

    fields: dict[str, Selection] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def __contains__(self, name: str) -> bool:
        return name in self.fields

    def __getitem__(self, name: str) -> Selection:
        return self.fields[name]

    def any_of(self, names: Iterable[str]) -> bool:
        """Return whether one of these fields is asked for."""
        return any(name in self.fields for name in names)

    def below(self, names: Iterable[str]) -> Selection:
        """Return the selection below any of these fields."""
        merged = Selection()
        for name in names:
            if name in self.fields:
                merged.add(self.fields[name])
        return merged

    def add(self, other: Selection) -> None:
        """Add the fields of another selection."""
        self.names |= other.names
        for name, below in other.fields.items():
            self.fields.setdefault(name, Selection()).add(below)


def selection_of(info: GraphQLResolveInfo[Any]) -> Selection:
    """Return the selection below the field that is being resolved."""
    found = Selection()
    for node in info.field_nodes:
        if node.selection_set is not None:
            gather(node.selection_set, info.fragments, found)
    return found


def fragments_of(document: DocumentNode) -> Mapping[str, FragmentDefinitionNode]:
    """Return the fragments of a document, by name."""
    return {one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)}


def gather(
    chosen: SelectionSetNode, fragments: Mapping[str, FragmentDefinitionNode], into: Selection
) -> None:
    """Add the fields of a part of a query to a selection."""
    for one in chosen.selections:
        if isinstance(one, FieldNode):
            below = into.fields.setdefault(one.name.value, Selection())
            below.names.add(one.alias.value if one.alias else one.name.value)
            if one.selection_set is not None:
                gather(one.selection_set, fragments, below)
        elif isinstance(one, FragmentSpreadNode):
            gather(fragments[one.name.value].selection_set, fragments, into)
        elif isinstance(one, InlineFragmentNode):
            gather(one.selection_set, fragments, into)


def weight(rows: Sequence[Row], wanted: Selection, known: dict[tuple[int, int], int]) -> int:
    """Return the number of values that rows add to a response, where a row may occur several times.

    A text counts as one value plus one for each PIECE characters.
    """
    return sum(_weight_of(row, wanted, known) for row in rows)


def _weight_of(row: Row, wanted: Selection, known: dict[tuple[int, int], int]) -> int:
    key = (id(row), id(wanted))
    if key not in known:
        total = 1
        for name, below in wanted.fields.items():
            total += max(len(below.names), 1) * _weight_of_value(row.get(name), below, known)
        known[key] = total
    return known[key]


def _weight_of_value(value: object, wanted: Selection, known: dict[tuple[int, int], int]) -> int:
    if isinstance(value, dict):
        return _weight_of(value, wanted, known)
    if isinstance(value, list):
        return 1 + sum(_weight_of_value(one, wanted, known) for one in value)
    return 1 + len(value) // PIECE if isinstance(value, str) else 1
