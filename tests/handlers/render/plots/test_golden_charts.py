"""The drawing of each type is the one of the last review."""

import pytest

from tests.handlers.render.plots.golden_charts import CHARTS, COMMAND, FOLDER, golden


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_a_drawing_looks_as_before(name: str) -> None:
    path = FOLDER / f"{name}.svg"
    kept = path.read_text() if path.exists() else ""
    assert golden(name) == kept, f"{name} looks otherwise; if it should: {COMMAND}, and read the diff"


def test_no_drawing_is_left_of_a_removed_type() -> None:
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(CHARTS)


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_no_arc_has_the_radius_0_which_weasyprint_draws_elsewhere(name: str) -> None:
    assert "A0,0," not in golden(name)
