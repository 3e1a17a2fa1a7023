"""Pictures of visuals on pages: one for each width and scheme, and small ones for lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from handlers.pages.visuals.visual_path import VisualPath

Measure = Callable[[Mapping[str, str]], int]
"""The height of the picture with some options; 0 while it was not drawn."""
MODES = ("dark", "light")
SMALL = (360, 216)


@dataclass(frozen=True, slots=True)
class PictureSource:
    """One picture of a set: its address, the size it takes, and the media for which it is chosen."""

    address: str
    width: int
    height: int
    media: str = ""


@dataclass(frozen=True, slots=True)
class PictureSet:
    """The pictures that a browser chooses one from, and the text for those who do not see it."""

    choices: tuple[PictureSource, ...]
    otherwise: PictureSource
    alt: str


@dataclass(frozen=True, slots=True)
class Window:
    """A width of windows up to which a picture of another width is drawn, in CSS pixels (0: any)."""

    most: int
    picture: int


USUAL_SHARE = 0.52
"""Height of most pictures in parts of their width: what is kept free until the picture is there."""


def picture_set(
    at: VisualPath,
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
                _media(window.most, mode),
            )
            for mode in MODES
        ]
    return PictureSet(tuple(found[:-1]), found[-1], alt)


def small_picture(at: VisualPath, version: str) -> PictureSet:
    """The pictures of a list, without their words: what they show is told beside them."""
    width, height = SMALL
    light, dark = (
        PictureSource(
            at.file("svg", mode=mode, width=f"{width}", height=f"{height}", h="f", c="f", v=version),
            width,
            height,
            _media(0, mode),
        )
        for mode in ("light", "dark")
    )
    return PictureSet((dark,), light, "")


def _media(most: int, mode: str) -> str:
    wide = [f"(max-width: {most}px)"] if most else []
    dark = ["(prefers-color-scheme: dark)"] if mode == "dark" else []
    return " and ".join(wide + dark)
