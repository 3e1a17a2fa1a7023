"""Interface of drawing: the functions of `handlers.render` that other packages call directly.

Drawing is ordered through a `Renderer`, and runs in a confined process. These functions are fast: types of
plots, words and parsers of their settings, parsed data, and the sizes of a grid's cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from handlers.render.grids.cell_plots import CellOrder, CellWords, CharacterCells, PixelCells, fill_cells
from handlers.render.grids.placement import TERMINAL_FORMS, DrawnGrid, GridLook, grid_look, read_grid
from handlers.render.missing_letters import missing_letters
from handlers.render.plots.data.data_check import Understood, understand
from handlers.render.plots.data.frame import ColumnType
from handlers.render.plots.data.json_rows import delimited_text, is_like_json
from handlers.render.plots.data.table_text import (
    MOST_CELLS,
    Reading,
    TooManyCells,
    read_cells,
    read_frame,
    reading_of,
)
from handlers.render.plots.look.annotations import read_annotations, read_axis_names
from handlers.render.plots.look.colors import TAKES, read_color_scale
from handlers.render.plots.look.data_settings import (
    MOST_COLUMNS,
    READERS,
    BadSetting,
    read_choice,
    read_columns,
    read_lines,
    read_split,
)
from handlers.render.plots.plot_type import CHOICES as SETTING_WORDS
from handlers.render.plots.plot_type import (
    CUSTOM,
    REFUSED,
    TABLES,
    plot_types,
    reads_setting,
    settings_read,
    type_of,
)
from handlers.render.plots.world.areas import read_area
from handlers.render.plots.world.geojson import LARGEST_BYTES, read_geojson

SETTING_READERS: Mapping[str, Callable[[str], object]] = {
    "colors/scale": read_color_scale,
    "combo/line": read_lines,
    "split/by": read_split,
    "split/columns": read_columns,
    "axis/names": read_axis_names,
    **{path: partial(read_choice, path) for path in REFUSED},
    **{f"value/{name}": read for name, read in READERS.items()},
    "notes": read_annotations,
    "map/area": read_area,
    "map/geojson": read_geojson,
}
"""Parsers of settings whose invalid values are refused; each raises BadSetting."""
