"""Plots for terminals: characters in a number of columns and rows, with or without colours."""

from __future__ import annotations

from dataclasses import replace

from handlers.render.plots.data.frame import Column, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.data.table_text import TooManyCells
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.drawn.drawn_data import series_beyond
from handlers.render.plots.forms.terminal.lines import MOST_SERIES
from handlers.render.plots.forms.terminal.screen import (
    ESCAPE,
    TONES,
    Screen,
    block_line,
    cut_line,
    plain_line,
    signs,
    wrap_line,
)
from handlers.render.plots.forms.terminal.table import TerminalTable
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.plot_type import PlotType, type_of
from handlers.render.plots.shown.axis_settings import trend_words
from handlers.render.plots.shown.shown_chart import ShownChart, shown_chart
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.words.language import say
from handlers.words.plot import Plot

LEAST_FOR_WORDS, MOST_FOR_WORDS = 10, 3
"""Rows of a terminal for each line of a title, subtitle or caption, and the most lines of each."""
LEAST = (20, 6)
LOWEST_TABLE = 4
"""Lines of a table with one row and a line about what is left out."""
MOST = (400, 200)
ALL_ROWS, LONGEST = 0, 250_000
"""The argument that requests as many lines as the data need, and more lines than any data need."""
USUAL_ROWS = 20


def terminal_chart(plot: Plot, columns: int = 80, rows: int = 20, *, colored: bool = True) -> str:
    """Return a plot as lines of text within a width and height; without `colored`, as plain text.

    ALL_ROWS requests a line for each drawn row, and the default height of types without rows.
    """
    columns = min(MOST[0], max(LEAST[0], columns))
    everything = rows == ALL_ROWS
    kind = type_of(plot.type)
    usual = LONGEST if has_rows(plot.type) else USUAL_ROWS
    rows = usual if everything else min(MOST[1], max(LEAST[1], rows))
    try:
        frame = plot_frame(plot)
    except TooManyCells as refusal:
        return plain_line(str(refusal)) + "\n"
    head, foot = _words(plot, columns, rows)
    shown = shown_chart(plot, frame)
    if shown.missing:
        body = "\n".join(wrap_line(say(shown.missing), columns))
    elif kind.terminal is None:
        table = StyledTable(frame, plot.config)
        head, foot, body = _table(table, columns, rows, (head, foot), colored=colored)
    else:
        notes = _note_lines(kind, shown, columns, rows)
        room = max(LEAST[1], rows - len(head) - len(notes) - len(foot))
        screen = _screen_of(shown, (columns, room), colored=colored)
        notes = [*_axis_names(kind, screen, shown.options), *notes]
        if shown.panels:
            room = max(rows, len(shown.panels) * USUAL_ROWS if everything else rows)
            lines = _panels(shown, columns, room - len(head) - len(notes) - len(foot), colored=colored)
        else:
            over = [_line_over(screen, column, at) for at, column in enumerate(shown.options.lines)]
            screen = replace(screen, rows=max(LEAST[1], screen.rows - len(over)))
            lines = [*_lines_of(shown, screen), *over]
        body = "\n".join([*lines, *notes])
    text = "\n".join(part for part in (*head, body.rstrip("\n"), *foot) if part) + "\n"
    return text if colored else ESCAPE.sub("", text)


def has_rows(word: str) -> bool:
    """Return whether a type has a line for each row; other types fill the height."""
    return type_of(word).rows


def _table(
    table: StyledTable, columns: int, rows: int, words: tuple[list[str], list[str]], *, colored: bool
) -> tuple[list[str], list[str], str]:
    """Return the texts above and below a table, and the table; texts are dropped so that all rows fit."""
    head, foot = words
    fewer = ((head, foot), (head, []), (head[:1], [])) if table.rows < rows else ()
    for above, below in (*fewer, words):
        room = max(LOWEST_TABLE, rows - len(above) - len(below))
        drawn = TerminalTable(table, columns, room, colored=colored)
        if len(drawn.rows) == table.rows:
            break
    return above, below, "\n".join(drawn.lines())


def _axis_names(kind: PlotType, screen: Screen, options: ChartOptions) -> list[str]:
    """Return the line with the configured names of the axes; charts of points already have them."""
    across, upward = options.along.name, options.values.name
    if kind.points or "axis" not in kind.reads or not (across or upward):
        return []
    # All types but lines have their rows from top to bottom.
    return [screen.axis_names(across, upward) if kind.line else screen.axis_names(upward, across)]


def _panels(shown: ShownChart, columns: int, rows: int, *, colored: bool) -> list[str]:
    """Return the panels one below the other, each with its name; those that do not fit are counted."""
    room = max(LEAST[1], rows)
    count = max(1, min(len(shown.panels), room // (LEAST[1] + 1)))
    lines = list[str]()
    for panel in shown.panels[:count]:
        screen = _screen_of(panel, (columns, max(LEAST[1], room // count - 1)), colored=colored)
        lines += [screen.name(panel.name, columns), *_lines_of(panel, screen)]
    more = len(shown.panels) - count
    lines += [say(f"({more:,} more {'panel' if more == 1 else 'panels'})")] if more else []
    return list(filter(None, lines))


def _words(plot: Plot, columns: int, rows: int) -> tuple[list[str], list[str]]:
    """Return the texts above and below: title and subtitle, and caption; in a low terminal only the title."""
    most = max(1, min(MOST_FOR_WORDS, rows // LEAST_FOR_WORDS))

    def lines_of(key: str) -> list[str]:
        lines = wrap_line(plain_line(plot.words(key)), columns)
        if len(lines) <= most:
            return lines
        return [*lines[: most - 1], cut_line(f"{lines[most - 1]} {lines[most]}", columns, "…")]

    if rows < LEAST_FOR_WORDS:
        return lines_of("title"), []
    return [*lines_of("title"), *lines_of("subtitle")], lines_of("caption")


def _note_lines(kind: PlotType, shown: ShownChart, columns: int, rows: int) -> list[str]:
    """Return notes, trends, and what is left out, as sentences; on low screens each is cut to one line."""
    noted = (note.sentence for note in shown.options.annotations)
    below = map(say, (*shown.below, *_beyond(kind, shown.frame)))
    texts = [plain_line(f"({one})") for one in (*noted, *trend_words(shown.options), *below)]
    lines = [line for text in texts for line in wrap_line(text, columns)]
    if len(lines) <= rows // 4:
        return lines
    return [text if signs(text) <= columns else cut_line(text, columns, "…") for text in texts]


def _beyond(kind: PlotType, frame: Frame) -> list[str]:
    """Return a sentence about the lines beyond the most that a terminal shows."""
    more = len(frame.series) - MOST_SERIES if kind.line else 0
    return [series_beyond(more)] if more > 0 else []


def _screen_of(shown: ShownChart, size: tuple[int, int], *, colored: bool) -> Screen:
    """Return the screen of a chart with its colours, configured ones first: of series, or of single bars."""
    colors, frame = shown.options.colors, shown.frame
    tones = (*colors.series, *TONES[len(colors.series) :])
    by_row = shown.kind.bars and len(frame.series) == 1
    if not (colors.named or (by_row and colors.named.by_sign)):
        return Screen(*size, colored, tones)
    names = frame.categories if by_row else frame.names
    usual = [tones[0 if by_row else min(at, len(tones) - 1)] for at in range(len(names))]
    values = frame.series[0].numbers if by_row else ()
    return Screen(*size, colored, colors.named.of(names, usual, values), by_row)


def _lines_of(shown: ShownChart, screen: Screen) -> list[str]:
    """Return the lines of a type's chart."""
    terminal = shown.kind.terminal
    return terminal(screen, shown.frame, shown.options) if terminal is not None else []


def _line_over(screen: Screen, column: Column, index: int) -> str:
    """Return a line over bars as blocks, one for each of the last rows, with its name and its end values."""
    name, known = screen.name(column.name, screen.columns // 3), [v for v in column.numbers if v is not None]
    if not known:
        return name
    first, last = (alone(value, column.unit) for value in (known[0], known[-1]))
    room = screen.columns - signs(name) - signs(first) - signs(last) - 3
    values = column.numbers[-max(1, room) :]
    marks = block_line(values, min([0.0, *known]), max([0.0, *known]))
    return f"{name} {first} {screen.paint(marks, screen.tone(index + 1))} {last}"
