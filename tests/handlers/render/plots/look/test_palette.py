"""Colours stand out from their ground, and from each other for eyes that see red and green alike."""

import math
from itertools import combinations, pairwise

import pytest

from handlers.render.plots.look.colors import ColorChoice
from handlers.render.plots.look.palette import MODES, READABLE, channels, contrast, mix, on_ramp, palette_of
from handlers.render.plots.look.style import style_of
from handlers.render.plots.plot_type import CHOICES

# Machado, Oliveira and Fernandes 2009, severity 1.
DEFICIENCIES = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.01182, 0.04294, 0.968881),
    ),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
}
WHITE = (0.95047, 1.0, 1.08883)


def linear(color: str) -> list[float]:
    shares = [value / 255 for value in channels(color)]
    return [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]


def lab(color: str, deficiency: str) -> tuple[float, float, float]:
    seen = [sum(a * b for a, b in zip(row, linear(color), strict=True)) for row in DEFICIENCIES[deficiency]]
    red, green, blue = (min(1.0, max(0.0, value)) for value in seen)
    xyz = (
        0.4124564 * red + 0.3575761 * green + 0.1804375 * blue,
        0.2126729 * red + 0.7151522 * green + 0.072175 * blue,
        0.0193339 * red + 0.119192 * green + 0.9503041 * blue,
    )
    x, y, z = (
        share ** (1 / 3) if share > 216 / 24389 else (24389 / 27 * share + 16) / 116
        for share in (value / white for value, white in zip(xyz, WHITE, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one: str, other: str, deficiency: str) -> float:
    """Return CIE76 in Lab: coarser than CIEDE2000, and enough to check that colours stay apart."""
    return math.dist(lab(one, deficiency), lab(other, deficiency))


sets = pytest.mark.parametrize("pack", CHOICES["colors/theme"])


@sets
@pytest.mark.parametrize("mode", MODES)
def test_every_category_stands_out_from_paper_and_panel(mode: str, pack: str) -> None:
    palette = palette_of(mode, pack)
    for color in (*palette.categories, palette.rest):
        assert contrast(color, palette.paper) >= 3
        assert contrast(color, palette.panel) >= 3


@sets
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_the_categories_stay_apart(mode: str, deficiency: str, pack: str) -> None:
    pairs = combinations(palette_of(mode, pack).categories, 2)
    assert min(difference(one, other, deficiency) for one, other in pairs) >= 10


@pytest.mark.parametrize("mode", MODES)
def test_text_is_readable_in_ink_in_quiet_and_in_the_hue_of_a_series(mode: str) -> None:
    palette = MODES[mode]
    tones = [
        palette.ink,
        palette.quiet,
        palette.good,
        palette.bad,
        *map(palette.readable, palette.categories),
    ]
    assert min(contrast(tone, palette.paper) for tone in tones) >= READABLE


@sets
@pytest.mark.parametrize("mode", MODES)
def test_numbers_are_readable_on_every_tone_of_a_ramp(mode: str, pack: str) -> None:
    palette = palette_of(mode, pack)
    grounds = [on_ramp(ramp, step / 40) for ramp in (palette.ramp, palette.diverging) for step in range(41)]
    assert min(contrast(palette.on(ground), ground) for ground in grounds) >= 4.5


def test_a_mix_is_between_its_colours() -> None:
    assert mix("#000000", "#ffffff", 0.5) == "#808080"


@sets
@pytest.mark.parametrize("mode", MODES)
def test_a_ramp_goes_one_way_and_its_low_end_is_near_the_paper(mode: str, pack: str) -> None:
    palette = palette_of(mode, pack)
    steps = [contrast(tone, palette.paper) for tone in palette.ramp]
    assert steps == sorted(steps)
    assert steps[0] < 1.6
    assert steps[-1] > 7


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_tones_of_years_stay_apart(mode: str, count: int, deficiency: str) -> None:
    tones = style_of(900, mode).tones([str(2020 + year) for year in range(count)])
    assert min(difference(one, other, deficiency) for one, other in combinations(tones, 2)) >= 10


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count", [2, 3, 5])
def test_answers_spread_over_a_scale_and_are_seen(mode: str, count: int) -> None:
    palette = palette_of(mode, "survey")
    tones = style_of(900, mode, ColorChoice(pack="survey")).tones([f"answer {at}" for at in range(count)])
    assert (tones[0], tones[-1]) == (palette.scale[0], palette.scale[-1])
    assert min(contrast(tone, palette.paper) for tone in tones) >= 3
    assert all(min(difference(*pair, kind) for kind in DEFICIENCIES) > 8 for pair in pairwise(tones))
    if count % 2:
        assert tones[count // 2] == palette.scale[2]


@pytest.mark.parametrize("pack", CHOICES["colors/theme"])
def test_a_pack_has_eight_colours(pack: str) -> None:
    assert all(len(palette_of(mode, pack).categories) == 8 for mode in MODES)


@pytest.mark.parametrize("mode", MODES)
def test_areas_of_many_series_are_calm(mode: str) -> None:
    """From the fourth on no colour is loud, black, or as light as the ink."""
    for color in MODES[mode].categories[3:]:
        lightness, *hue = lab(color, "normal")
        assert math.hypot(*hue) <= 48
        assert 30 <= lightness <= 77
        assert contrast(color, MODES[mode].paper) <= 10.5


@sets
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 10])
def test_series_of_a_pack_of_one_hue_go_by_lightness(mode: str, pack: str, count: int) -> None:
    palette = palette_of(mode, pack)
    tones = style_of(900, mode, ColorChoice(pack=pack)).part_tones([f"s{at}" for at in range(count)])
    assert len(tones) == count
    assert set(tones[:8]) == set(palette.categories[:count])
    assert set(tones[8:]) <= {palette.rest}
    steps = [contrast(tone, palette.paper) for tone in tones[:8]]
    assert not palette.ordered or steps == sorted(steps, reverse=True)
    assert palette.ordered == (pack in ("teal", "amber", "plum"))
