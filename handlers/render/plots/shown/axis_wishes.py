"""Wishes for axes that a type can follow with its data; the others are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handlers.render.plots.charts.figures import row_called
from handlers.render.plots.charts.line_box import moment_of, places_of
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.data.series import totals
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.drawn.point_series import point_columns, spots_of
from handlers.render.plots.look.options import AxisOptions, ChartOptions
from handlers.render.plots.vocabulary import (
    BARS,
    DRAWN,
    FIGURES,
    LINES,
    ON_A_LOG_SCALE,
    POINTS,
    SHARES,
    WITH_AXES,
    WITH_NOTES,
    one_of,
)

FROM_ZERO = frozenset((*BARS, "area", "sarea"))
SCALE, DOMAINS, NOTES = "config/axis/scale", "config/axis/domains", "config/notes"


def fit_wishes(options: ChartOptions, word: str, frame: Frame) -> ChartOptions:
    """The options with the wishes that the type and the values allow, and sentences about the others."""
    if word not in DRAWN:
        return options
    if word in (*FIGURES, *SHARES) and options.figure.format:
        options = replace(options, values=replace(options.values, format=options.figure.format))
    options = _tell_against(options, word, frame)
    options = _fit_annotations(_tell_unmarked(options, word, frame), word)
    if word not in WITH_AXES:
        return _without_axes(options, word)
    options = _fit_scales(options, word, frame)
    notes = (*_ends_up(options.values, word, frame), *_ends_along(options.along, word, frame))
    return replace(options, notes=(*options.notes, *notes))


def _tell_against(options: ChartOptions, word: str, frame: Frame) -> ChartOptions:
    """The options with a sentence about a row to compare with that is none."""
    against = options.figure.against
    if word != "value" or not against or not frame.series or row_called(frame, against) is not None:
        return options
    told = f'config/value/against: "{against[:40]}" is no row with a value: nothing is compared'
    return replace(options, notes=(*options.notes, told))


def _tell_unmarked(options: ChartOptions, word: str, frame: Frame) -> ChartOptions:
    """The options with sentences about colours whose names are none of the chart."""
    named = options.colors.named
    if not named.marks:
        return options
    columns = point_columns(frame, sized=word == "bubble") if word in POINTS else None
    names = list(columns.series) if columns else [column.name for column in frame.series]
    if word in SHARES or (word in BARS and len(frame.series) == 1):
        names = list(frame.categories)
    told = tuple(
        f'config/colors/colors: "{name[:40]}" is no name here: the first are {quote_names(names[:5])}'
        for name in named.missing(names)
        if names
    )
    return replace(options, notes=(*options.notes, *told))


def _fit_annotations(options: ChartOptions, word: str) -> ChartOptions:
    """The options with the notes that a type has places for; its axis of values reaches to theirs."""
    if not options.annotations:
        return options
    if word not in WITH_NOTES:
        told = f"{NOTES}: {one_of(word)} has no places for notes: bars, lines and points have"
        return replace(options, annotations=(), notes=(*options.notes, told))
    values = options.values
    lost = [note for note in options.annotations if values.log and any(one <= 0 for one in note.values)]
    kept = tuple(note for note in options.annotations if note not in lost)
    told_lost = tuple(f"{NOTES}: line {note.line}: log has no place for 0 and below" for note in lost)
    reach = tuple(value for note in kept for value in note.values)
    values = replace(values, reach=reach)
    return replace(options, values=values, annotations=kept, notes=(*options.notes, *told_lost))


def _without_axes(options: ChartOptions, word: str) -> ChartOptions:
    asked = [
        f"config/axis/{name}"
        for name, wish in (("scale", "log"), ("domains", "low"), ("domains", "high"))
        if any(getattr(axis, wish) not in (None, False) for axis in (options.along, options.values))
    ]
    notes = tuple(f"{name}: {one_of(word)} has no axes" for name in dict.fromkeys(asked))
    return replace(options, notes=(*options.notes, *notes))


def _fit_scales(options: ChartOptions, word: str, frame: Frame) -> ChartOptions:
    """No logarithmic scale where there is nothing that it could measure."""
    if options.values.log:
        if word == "hist":
            options = options.without_log(f"{SCALE}: counts may be 0, which log has not")
        elif word not in ON_A_LOG_SCALE:
            options = options.without_log(f"{SCALE}: {one_of(word)} begins at zero, which log has not")
        elif any(value <= 0 for value in _upward(word, frame)):
            options = options.without_log(f"{SCALE}: log needs values above 0")
    if options.along.log:
        places = _across(word, frame)
        reason = ""
        if word == "hist":
            reason = f"{SCALE}: the bins of a hist are equally wide, which x log has not"
        elif places is None or (word in LINES and frame.numbers_along is None):
            reason = f"{SCALE}: x log needs numbers along x"
        elif any(place <= 0 for place in places):
            reason = f"{SCALE}: x log needs numbers above 0 along x"
        if reason:
            along = replace(options.along, log=False)
            options = replace(options, along=along, notes=(*options.notes, reason))
    return options


def _ends_up(wishes: AxisOptions, word: str, frame: Frame) -> list[str]:
    """Tell of the wished ends of the axis of values, which leaves no value out."""
    values = [*_upward(word, frame), *([0.0] if word in FROM_ZERO else [])]
    return _tell_widened("y", wishes, values)


def _ends_along(wishes: AxisOptions, word: str, frame: Frame) -> list[str]:
    places = _across(word, frame)
    if places is None:
        asked = wishes.low is not None or wishes.high is not None
        return [f"{DOMAINS}: x has names here, and no ends"] if asked else []
    if word in LINES and frame.moments is not None:
        low, high = min(places), max(places)
        far = (wishes.low is not None and low < moment_of(wishes.low, low)) or (
            wishes.high is not None and high > moment_of(wishes.high, high)
        )
        return [f"{DOMAINS}: x goes on to the first and the last day, so that none is cut off"] if far else []
    return _tell_widened("x", wishes, places)


def _tell_widened(name: str, wishes: AxisOptions, values: Sequence[float]) -> list[str]:
    if not values:
        return []
    low, high = min(values), max(values)
    notes = []
    if wishes.log and any(end is not None and end <= 0 for end in (wishes.low, wishes.high)):
        notes.append(f"{DOMAINS}: {name} is logarithmic, and has no place for 0 and below")
    ends = [
        alone(end)
        for end, beyond in (
            (low, wishes.low is not None and low < wishes.low),
            (high, wishes.high is not None and high > wishes.high),
        )
        if beyond
    ]
    if ends:
        notes.append(f"{DOMAINS}: {name} goes on to {' and '.join(ends)}, so that no value is cut off")
    return notes


def _upward(word: str, frame: Frame) -> list[float]:
    """The values that the axis of values measures, if the data alone tell them."""
    if word == "hist":
        return []
    if word in POINTS:
        return [spot.y for spot in spots_of(frame, sized=word == "bubble")[0]]
    if word.endswith(("sbar", "abar")) or word == "sarea":
        return totals(frame)
    return [value for column in frame.series for value in column.numbers if value is not None]


def _across(word: str, frame: Frame) -> list[float] | None:
    """The places along the other axis; None where it has names."""
    if word in POINTS:
        return [spot.x for spot in spots_of(frame, sized=word == "bubble")[0]]
    if word == "hist":
        return [value for column in frame.series for value in column.numbers if value is not None]
    if word in LINES and (frame.moments is not None or frame.numbers_along is not None):
        return places_of(frame)
    return None
