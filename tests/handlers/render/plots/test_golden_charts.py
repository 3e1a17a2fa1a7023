"""Each type is drawn as it was when somebody last looked at it."""

import pytest

from handlers.render.plots.types import TYPES
from tests.handlers.render.plots.golden_charts import COMMAND, FOLDER, golden


@pytest.mark.parametrize("type_", sorted(TYPES))
def test_a_type_looks_as_it_did(type_: str) -> None:
    path = FOLDER / f"{type_}.svg"
    kept = path.read_text() if path.exists() else ""
    assert golden(type_) == kept, f"{type_} looks otherwise; if it should: {COMMAND}, and read the diff"


def test_no_drawing_is_of_a_type_that_there_is_no_more() -> None:
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(TYPES)
