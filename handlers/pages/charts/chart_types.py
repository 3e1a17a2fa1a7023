"""The types of plots that are picked by their drawings, and the words for all of them."""

from __future__ import annotations

from handlers.rendering.interface import CUSTOM, TABLES, plot_types, type_of

OTHER = "other"
"""The choice beside the drawings, for a type that is written as a word."""

PICKED = tuple(kind for kind in (*plot_types().values(), type_of(TABLES[0])) if kind.drawing)
PICKED_WORDS = frozenset(kind.word for kind in PICKED)
FURTHER = tuple(word for word in (*plot_types(), *TABLES, CUSTOM) if word not in PICKED_WORDS)
"""Words that are suggested for the field."""
