"""Instructions that have no effect on steps are refused by name."""

from __future__ import annotations

import pytest

from chains.builds.recipe_words import KNOWN, refuse_instructions
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
    ("text", "advice"),
    [
        ("RUNN true", "RUNN is no instruction of a Dockerfile: write RUN and push again"),
        (
            "ENV A=1 \\\n  B=2\n\ncoppy a b",
            "coppy is no instruction of a Dockerfile: write COPY and push again",
        ),
        ("this is a text", "this is no instruction of a Dockerfile: correct the line and push again"),
    ],
)
def test_a_word_that_is_no_instruction_is_refused_with_the_one_that_is_meant(text: str, advice: str) -> None:
    with pytest.raises(BuildFailed, match=f"^{advice}$"):
        refuse_instructions(f"FROM x\n{text}\nRUN true\n")


@pytest.mark.parametrize("word", KNOWN)
def test_each_instruction_is_known_in_any_case(word: str) -> None:
    rest = "SIGTERM" if word == "STOPSIGNAL" else "NONE"
    for spelled in (word, word.lower(), word.title()):
        refuse_instructions(f"{spelled} {rest}\nFROM x\n")


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
        "RUN <<END-OF-IT\nls\nEND-OF-IT",
        "RUN one \\\n# a remark\n\n  two\r\nRUN three",
    ],
)
def test_supported_instructions_are_accepted(text: str) -> None:
    refuse_instructions(f"FROM x\n{text}\n")
