"""Instructions that steps do not heed are refused by name."""

from __future__ import annotations

import pytest

from chains.builds.recipe_words import refuse_instructions
from chains.engine.port import BuildFailed


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("HEALTHCHECK CMD true", "HEALTHCHECK"),
        ("healthcheck --interval=5s \\\n  CMD true", "HEALTHCHECK"),
        ("STOPSIGNAL SIGINT", "STOPSIGNAL"),
        ("ONBUILD RUN true", "ONBUILD"),
        ("FROM y AS z\nONBUILD RUN true", "ONBUILD"),
    ],
)
def test_it_is_named_in_the_refusal(text: str, named: str) -> None:
    with pytest.raises(BuildFailed, match=rf"^{named}: .*push again$"):
        refuse_instructions(f"FROM x\n{text}\nRUN true\n")


@pytest.mark.parametrize(
    "text",
    [
        "HEALTHCHECK NONE",
        "STOPSIGNAL SIGTERM",
        "STOPSIGNAL 15",
        "ONBUILD RUN true\nFROM x",
        "RUN <<EOF\nHEALTHCHECK CMD true\nEOF",
        'SHELL ["/bin/bash", "-c"]',
        "# ONBUILD RUN true",
    ],
)
def test_what_a_step_heeds_is_built(text: str) -> None:
    refuse_instructions(f"FROM x\n{text}\n")
