"""Limits of queries: their depth, width and cost, checked before a query runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from graphql import DocumentNode, FieldNode, FragmentDefinitionNode, FragmentSpreadNode, parse
from graphql.error import GraphQLError
from graphql.language import InlineFragmentNode, OperationDefinitionNode, OperationType, SelectionSetNode

from handlers.graphql.selection import fragments_of
from vfs.errors import Invalid, TooLarge

LARGEST_BODY = 256 << 10
MOST_TOKENS = 10_000
DEEPEST = 20
"""Maximum levels of fields. Clients ask for twelve levels of answers to a comment, with the authors."""
MOST_FIELDS = 1_000
MOST_ALIKE = 8
"""Maximum occurrences of a name in one selection. Each pair of them is compared."""
MOST_ROOTS = 100
PAGE = 1_000
"""Maximum entries of a page, even if more are asked for."""
MOST_VALUES = 300_000
"""Maximum values in a response, including those of the schema itself."""
MOST_ROWS = 100_000
"""Maximum number of objects that are looked up for one query, on all levels."""
SECONDS = 20.0
"""Maximum time for the look-ups of a query."""

Fragments = Mapping[str, FragmentDefinitionNode]


def read_document(query: str) -> DocumentNode:
    """Return the document of a query within the limits. Raise GraphQLError (syntax), Invalid or TooLarge."""
    try:
        document = parse(query, no_location=False, max_tokens=MOST_TOKENS)
        _admit(document)
    except RecursionError:
        raise Invalid("the query is nested too deep: ask for less at once") from None
    except GraphQLError as error:
        if "token limit" in error.message.lower() or "tokens" in error.message:
            raise TooLarge(f"a query has at most {MOST_TOKENS} tokens: ask for less at once") from None
        raise
    return document


def _admit(document: DocumentNode) -> None:
    """Refuse a document with an operation other than a query, or with too deep or too many fields."""
    counted = _Measure(fragments_of(document))
    for one in document.definitions:
        if isinstance(one, OperationDefinitionNode):
            if one.operation is not OperationType.QUERY:
                raise Invalid("this view only reads: write to the files below /v1")
            counted.measure(one.selection_set, 1)
            if len(one.selection_set.selections) > MOST_ROOTS:
                raise TooLarge(f"a query has at most {MOST_ROOTS} fields at its top: ask for less at once")
        elif isinstance(one, FragmentDefinitionNode):
            counted.measure(one.selection_set, 1)


class _Measure:
    """Counts fields, including those of fragments, and refuses too many."""

    def __init__(self, fragments: Fragments) -> None:
        self._fragments = fragments
        self._open: list[str] = []
        self._fields = 0

    def measure(self, chosen: SelectionSetNode, depth: int) -> None:
        """Count a selection and everything below it. Raise TooLarge."""
        self._level(chosen, depth, Counter())

    def _level(self, chosen: SelectionSetNode, depth: int, names: Counter[str]) -> None:
        if depth > DEEPEST:
            raise TooLarge(f"a query is at most {DEEPEST} fields deep: ask again from further down")
        for one in chosen.selections:
            if isinstance(one, FieldNode):
                self._field(one, depth, names)
            elif isinstance(one, FragmentSpreadNode):
                self._spread(one.name.value, depth, names)
            elif isinstance(one, InlineFragmentNode):
                self._count()
                self._level(one.selection_set, depth, names)

    def _field(self, field: FieldNode, depth: int, names: Counter[str]) -> None:
        self._count()
        name = field.alias.value if field.alias else field.name.value
        names[name] += 1
        if names[name] > MOST_ALIKE:
            raise TooLarge(f'"{name[:80]}" is asked for more than {MOST_ALIKE} times in one place')
        if field.selection_set is not None:
            self._level(field.selection_set, depth + 1, Counter())

    def _spread(self, name: str, depth: int, names: Counter[str]) -> None:
        """Count the fields of a fragment. A fragment that contains itself is left to the validation."""
        self._count()
        fragment = self._fragments.get(name)
        if fragment is None or name in self._open:
            return
        self._open.append(name)
        self._level(fragment.selection_set, depth, names)
        self._open.pop()

    def _count(self) -> None:
        self._fields += 1
        if self._fields > MOST_FIELDS:
            raise TooLarge(f"a query asks for at most {MOST_FIELDS} fields, with those of its fragments")


def page(limit: int | None, offset: int | None) -> slice:
    """Return the range of results on a page. Raise Invalid."""
    if (limit is not None and limit < 0) or (offset is not None and offset < 0):
        raise Invalid("limit and offset count from 0 up")
    start = offset or 0
    return slice(start, start + min(PAGE if limit is None else limit, PAGE))
