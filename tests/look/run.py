"""`make look`: contact sheets of plots; LOOK="dot gantt --widths 360 900" chooses types and widths."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from handlers.render.plots.forms.drawing import Look, draw, png
from handlers.render.plots.look.palette import MODES
from tests.look.samples import SAMPLES as NEWER
from tests.look.samples import Sample
from tests.look.series_samples import SERIES_SAMPLES
from tests.look.sheets import Shot, save, sheet_of
from tests.look.surroundings import grid_shots, mail_shots, office_shots, slide_shots
from tests.look.table_samples import TABLE_SAMPLES

WIDTHS = (360, 600, 900, 1600)
CELLS = ((240, 120), (300, 170), (400, 260), (600, 340))
SAMPLES = (*SERIES_SAMPLES, *NEWER, *TABLE_SAMPLES)
OUT = Path("build/look")


def main() -> None:
    """Draw the requested samples, a sheet for each type and mode."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("types", nargs="*", help="types to draw; all without any")
    parser.add_argument("--widths", type=int, nargs="+", default=WIDTHS)
    parser.add_argument("--modes", nargs="+", default=sorted(MODES, reverse=True))
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--cells", action="store_true", help="and the sizes of cells of grids")
    parser.add_argument("--around", action="store_true", help="and grids, slides and mails of what is drawn")
    given = parser.parse_args()
    chosen = [sample for sample in SAMPLES if sample.type in given.types or not given.types]
    for at, sample in enumerate(SAMPLES):
        if sample.type in given.types or not given.types:
            for mode in given.modes:
                more = sum(one.type == sample.type for one in SAMPLES[:at])
                path = given.out / f"{sample.type}{more or ''}-{mode}.png"
                rows = _rows(sample, given.widths, mode)
                save(sheet_of([*rows, *_cells(sample, mode)] if given.cells else rows, mode), path)
                sys.stdout.write(f"{path}\n")
    for mode in given.modes if given.around else ():
        sheets = {
            "grids": [[shot] for shot in grid_shots(chosen, mode)],
            "slides": slide_shots(chosen, mode),
            "mails": [mail_shots(chosen[:4], mode)],
            **({"office": office_shots(chosen)} if mode == "light" else {}),
        }
        for name, rows in sheets.items():
            path = given.out / f"{name}-{mode}.png"
            save(sheet_of(rows, mode), path)
            sys.stdout.write(f"{path}\n")


def _rows(sample: Sample, widths: Sequence[int], mode: str) -> list[list[Shot]]:
    """The narrow widths side by side, and the wide ones below."""
    widths = sorted(widths)
    shots = [_shot(sample, width, mode) for width in widths]
    narrow = [shot for shot, width in zip(shots, widths, strict=True) if width < 900]
    wide = shots[len(narrow) :]
    return [row for row in (narrow, wide) if row]


def _cells(sample: Sample, mode: str) -> list[list[Shot]]:
    """The sizes of cells in grids of 2 to 12, in one row."""
    return [[_shot(sample, width, mode, height) for width, height in CELLS]]


def _shot(sample: Sample, width: int, mode: str, height: int | None = None) -> Shot:
    drawn = draw(sample.plot, Look(mode=mode, width=width, height=height))
    size = f"{width}" if height is None else f"{width} × {height}"
    return Shot(f"{sample.type} {size} {' '.join(drawn.notes)}"[: width // 7], png(drawn.svg, 1))


if __name__ == "__main__":
    main()
