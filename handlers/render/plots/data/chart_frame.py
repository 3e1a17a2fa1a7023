"""The part of a frame that a chart shows: so many series, with names that any picture has room for."""

from __future__ import annotations

from dataclasses import replace

from handlers.render.plots.data.frame import Column, ColumnType, Frame

MOST_SERIES = 400
LONGEST_NAME = 240


def chart_frame(frame: Frame, most: int = MOST_SERIES) -> tuple[Frame, tuple[str, ...]]:
    """The frame with at most so many series, and a sentence about those that are left out."""
    beyond = {id(column) for column in frame.series[most:]}
    kept = [number for number, column in enumerate(frame.columns) if id(column) not in beyond]
    columns = tuple(_cut(frame.columns[number]) for number in kept)
    heads = tuple(frame.heads[number][:LONGEST_NAME] for number in kept) if frame.heads else ()
    notes = (series_beyond(len(beyond)),) if beyond else ()
    return replace(frame, columns=columns, heads=heads), notes


def series_beyond(count: int) -> str:
    """The sentence about so many series that are not drawn."""
    return f"{count:,} more series {'is' if count == 1 else 'are'} in the data."


def _cut(column: Column) -> Column:
    """A column whose name and words are no longer than names may be."""
    texts = column.texts
    if column.type is ColumnType.TEXT and any(len(text) > LONGEST_NAME for text in texts):
        texts = tuple(text[:LONGEST_NAME] for text in texts)
    return replace(column, name=column.name[:LONGEST_NAME], texts=texts)
