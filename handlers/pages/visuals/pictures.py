"""Pictures of visuals on pages: one for each width and scheme, and small ones for lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from handlers.pages.framing.reader import present
from handlers.pages.items.item_path import ItemPath
from vfs.path import Path

Measure = Callable[[Mapping[str, str]], int]
"""Returns the height of the picture with some options; 0 if it was not drawn yet."""
MODES = ("dark", "light")
SMALL = {"width": "320", "height": "192", "h": "f", "c": "f"}
"""Options of the pictures in lists: in pixels, as vector pictures carry their typefaces."""


@dataclass(frozen=True, slots=True)
class PictureSource:
    """One picture of a set: its address, its size, and the windows and scheme it is drawn for."""

    address: str
    width: int
    height: int
    mode: str
    most: int = 0

    @property
    def media(self) -> str:
        """The media query for it; with the scheme if the reader chose none."""
        wide = [f"(max-width: {self.most}px)"] if self.most else []
        dark = ["(prefers-color-scheme: dark)"] if self.mode == "dark" and not present().look else []
        return " and ".join(wide + dark)


@dataclass(frozen=True, slots=True)
class PictureSet:
    """The pictures that a browser chooses from, and the text for readers who cannot see it.

    They are `drawn` for narrow windows first, and in dark before light.
    """

    drawn: tuple[PictureSource, ...]
    alt: str

    @property
    def choices(self) -> Sequence[PictureSource]:
        """The pictures with a media query; the first that matches is shown."""
        return self._in_look()[:-1]

    @property
    def otherwise(self) -> PictureSource:
        """The picture that is shown if no media query matches."""
        return self._in_look()[-1]

    def _in_look(self) -> Sequence[PictureSource]:
        """Return the pictures in the look that the reader chose; in both if it is the system's."""
        look = present().look
        return [one for one in self.drawn if look in ("", one.mode)]


@dataclass(frozen=True, slots=True)
class Window:
    """A maximum width of windows, with the width of its picture, in CSS pixels (0: any).

    `height` is that of the picture; 0: as high as it was drawn.
    """

    most: int
    picture: int
    height: int = 0


USUAL_SHARE = 0.52
"""Usual height of a picture as a fraction of its width: the space reserved until it is loaded."""


def picture_set(
    at: ItemPath,
    windows: Sequence[Window],
    version: str,
    alt: str,
    measure: Measure,
    options: Mapping[str, str],
) -> PictureSet:
    """Return the pictures of a page, in light and dark; their addresses change with the `version`."""
    found = []
    for window in windows:
        chosen = {"width": str(window.picture), **options}
        if window.height:
            chosen["height"] = str(window.height)
        height = window.height or measure(chosen) or round(window.picture * USUAL_SHARE)
        found += [
            PictureSource(
                at.file("svg", mode=mode, **chosen, v=version),
                window.picture,
                height,
                mode,
                window.most,
            )
            for mode in MODES
        ]
    return PictureSet(tuple(found), alt)


def small_picture(at: ItemPath, version: str) -> PictureSet:
    """Return the pictures for a list, without a description: the text beside them has it."""
    width, height = int(SMALL["width"]), int(SMALL["height"])
    addresses = ((at.file("png", mode=mode, **SMALL, v=version), mode) for mode in MODES)
    return PictureSet(tuple(PictureSource(one, width, height, mode) for one, mode in addresses), "")


@dataclass(frozen=True, slots=True)
class ShownPlot:
    """A plot in a grid: its page, its title, and the labels of its cells."""

    page: Path
    title: str
    labels: tuple[str, ...]
