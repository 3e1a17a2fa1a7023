"""Logs of drawings have a line for each note."""

from __future__ import annotations

from typing import cast

from handlers.services.world import World
from handlers.trees.visuals.visual import note_log
from vfs.call import Data
from vfs.context import Context


def test_a_note_that_quotes_several_lines_is_one_line_of_the_log() -> None:
    notes = ['line 4: "x\nline 5: y" in column "v" is no number', "1 row has no date"]
    file = note_log(lambda context: notes, about="what was left out")
    assert file.read is not None
    found = file.read(cast(Context[World], None))
    assert isinstance(found, Data)
    assert found.text is not None
    assert found.value == [{"message": note} for note in notes]
    assert found.text(found.value) == 'line 4: "x line 5: y" in column "v" is no number\n1 row has no date\n'
