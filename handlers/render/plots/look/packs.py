"""Packs of colours in place of the usual ones: tones of one hue and its ramp, or a scale of answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from handlers.render.plots.look.palette import MODES, Palette

TONES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "teal": {
        "light": ("#055866", "#0793a9", "#00242b", "#067587", "#179765", "#194e35", "#036eae", "#319287"),
        "dark": ("#5ad0e8", "#0c8396", "#cdf5fe", "#23aac1", "#3db07c", "#8af9c0", "#1c7abb", "#24806c"),
    },
    "amber": {
        "light": ("#7f3f00", "#c77022", "#331900", "#a65500", "#a17c70", "#734531", "#ae794c", "#5b2700"),
        "dark": ("#feaf73", "#b56110", "#ffeadc", "#e08537", "#8f6b5e", "#caaa92", "#b47f52", "#fae2b0"),
    },
    "plum": {
        "light": ("#7c366d", "#b86da6", "#3a0d31", "#9a5189", "#350d5d", "#b66277", "#6e3041", "#8160b5"),
        "dark": ("#f7a8e3", "#a85e96", "#fee8f7", "#cf82bb", "#f399ae", "#a9576c", "#b897f0", "#8160b5"),
    },
}
SURVEY = "survey"
"""The pack for answers in an order, such as from yes to no."""
RAMPS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "teal": {
        "light": ("#cff1f9", "#84d9ec", "#64bacd", "#439caf", "#177d8f", "#085b68", "#00363f"),
        "dark": ("#113037", "#004c58", "#066a7b", "#2c8a9c", "#55acbf", "#7bd0e3", "#cff1f9"),
    },
    "amber": {
        "light": ("#fee7d7", "#febf90", "#eb9c5e", "#c97f43", "#a66126", "#804204", "#4e2600"),
        "dark": ("#402610", "#6d3500", "#925015", "#b56d32", "#db8f52", "#ffb37a", "#fee7d7"),
    },
    "plum": {
        "light": ("#fee3f6", "#f9b8e7", "#d99ac8", "#ba7daa", "#995f8a", "#773f69", "#511c46"),
        "dark": ("#3b2535", "#67315b", "#864e78", "#a76b98", "#cb8dba", "#f0b0df", "#fee3f6"),
    },
}


SCALES: Mapping[str, tuple[str, ...]] = {
    "light": ("#0b5a6e", "#3f8496", "#8d8b84", "#c9661a", "#8a3b0c"),
    "dark": ("#93cfdd", "#3f91a5", "#777e85", "#c0762a", "#f0b06a"),
}
"""Colours of answers from one end over a middle to the other, by mode."""


def palette_of(mode: str, pack: str) -> Palette:
    """The colours of light or dark with those of a pack; the usual ones for a word that names none."""
    usual = MODES[mode]
    if pack == SURVEY:
        return replace(usual, scale=SCALES[mode])
    if pack not in TONES:
        return usual
    return replace(usual, categories=TONES[pack][mode], ramp=RAMPS[pack][mode], ordered=True)
