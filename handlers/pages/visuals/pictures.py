"""Pictures of visuals on pages: one for each width and scheme, and small ones for lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from handlers.pages.framing.reader import present
from handlers.pages.items.item_path import ItemPath

Measure = Callable[[Mapping[str, str]], int]
"""The height of the picture with some options; 0 while it was not drawn."""
MODES = ("dark", "light")
SMALL = (360, 216)


@dataclass(frozen=True, slots=True)
class PictureSource:
    """One picture of a set: its address, the size it takes, and the windows and scheme it is drawn for."""

    address: str
    width: int
    height: int
    mode: str
    most: int = 0

    @property
    def media(self) -> str:
        """The media for which it is chosen; the scheme counts where the reader chose none."""
        wide = [f"(max-width: {self.most}px)"] if self.most else []
        dark = ["(prefers-color-scheme: dark)"] if self.mode == "dark" and not present().look else []
        return " and ".join(wide + dark)


@dataclass(frozen=True, slots=True)
class PictureSet:
    """The pictures that a browser chooses one from, and the text for those who do not see it.

    They are `drawn` for narrow windows first, and in dark before light.
    """

    drawn: tuple[PictureSource, ...]
    alt: str

    @property
    def choices(self) -> Sequence[PictureSource]:
        """The pictures with a condition; the first whose condition holds is shown."""
        return self._in_look()[:-1]

    @property
    def otherwise(self) -> PictureSource:
        """The picture that is shown where none of them holds."""
        return self._in_look()[-1]

    def _in_look(self) -> Sequence[PictureSource]:
        """The pictures in the look that the reader chose; in both where that is the system's."""
        look = present().look
        return [one for one in self.drawn if look in ("", one.mode)]


@dataclass(frozen=True, slots=True)
class Window:
    """A width of windows up to which a picture of another width is drawn, in CSS pixels (0: any)."""

    most: int
    picture: int


USUAL_SHARE = 0.52
"""Height of most pictures in parts of their width: what is kept free until the picture is there."""


def picture_set(
    at: ItemPath,
    windows: Sequence[Window],
    version: str,
    alt: str,
    measure: Measure,
    options: Mapping[str, str],
) -> PictureSet:
    """The pictures of a page, in light and dark; their addresses change with the `version`."""
    found = []
    for window in windows:
        chosen = {"width": str(window.picture), **options}
        height = measure(chosen) or round(window.picture * USUAL_SHARE)
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
    """The pictures of a list, without their words: what they show is told beside them."""
    width, height = SMALL
    drawn = (
        PictureSource(
            at.file("svg", mode=mode, width=f"{width}", height=f"{height}", h="f", c="f", v=version),
            width,
            height,
            mode,
        )
        for mode in MODES
    )
    return PictureSet(tuple(drawn), "")


@dataclass(frozen=True, slots=True)
class ShownPlot:
    """A plot that a grid shows: its title, the labels of its cells, and its small picture."""

    at: ItemPath
    title: str
    labels: tuple[str, ...]
    picture: PictureSet
