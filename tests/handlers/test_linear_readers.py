"""Readers of what people write take time in proportion to it: checks of leaves, recipes, logs, chains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

import pytest

from chains.buildbox.box import BuildLimits
from chains.buildbox.builder import runs_commands
from chains.buildbox.verdict import BuildLog, verdict
from chains.builds.packages import names_files
from chains.builds.references import first_heredoc, resolve_references
from chains.engine.port import BuildFailed, Cause, Exit, Line
from chains.language import chain, layout, mapping, named_items
from chains.language.chain_fixes import fix_for
from chains.language.mistake import Mistake
from chains.language.result_lines import parse_results
from handlers.mail.inbound.message_parts import listed_addresses
from handlers.pages.charts.grid_edits import box_rows, with_boxes
from handlers.pages.visuals.document_reading import reading_of
from handlers.processes.runner import result_tree
from handlers.rules.plain_lines import one_line, shown_line
from handlers.services.mails.recipients import read_recipients
from tests.kit.growth import growth
from tests.kit.pumps import Pump
from vfs.errors import VfsError
from vfs.nodes import File

LETTERS = " \t\n\u200da0=>-,.;:#\"'{}[]()/\\@!|+*_"
WORDS = ("->", "<-", "=> ", "a ", "a\n", "a,", "{a}", "a = ", "RUN <<a ", "FROM a\n", "WORKDIR a\n")
STARTS = ("", "A=>x", "FROM a\nRUN ", "a -> ", "+--+\n|")
Reader = Callable[[str], object]
LENGTH, FLOOR = 1024, 0.1
"""The length of texts that are read, and the processor seconds below which nothing is reported."""


def explain(text: str) -> object:
    """Explain why a build failed that ended with a line."""
    log = BuildLog(lambda line: None)
    log.take(Line("", "stderr", text))
    return verdict(Exit(1, Cause.EXIT), log, BuildLimits())


def advise(text: str) -> object:
    """Read a chain, or find what may put it right."""
    try:
        return chain.parse(text)
    except Mistake as mistake:
        return fix_for(text, mistake)


READERS: Mapping[str, Reader] = {
    "recipe": lambda text: resolve_references(text, {"python"}, lambda ref: None),
    "heredocs of a recipe": first_heredoc,
    "commands of a recipe": runs_commands,
    "requirements": lambda text: names_files(text.encode()),
    "failed build": explain,
    "failed build with a step": lambda text: explain(f'Error: building at STEP "{text}'),
    "chain": advise,
    "layout": layout.parse,
    "mapping": mapping.parse,
    "result lines": parse_results,
    "names in a text": lambda text: list(named_items.named_in_prose(text)),
    "boxes of a grid": lambda text: (box_rows("{A}", text), with_boxes(text, {"box-A": "x"})),
    "recipients": lambda text: read_recipients(text, "ann"),
    "addresses of a mail": listed_addresses,
    "page of a document": reading_of,
    "line of words": lambda text: (one_line(text), shown_line(text)),
}


def pumps() -> Iterator[Pump]:
    """Runs of signs, of two in turns and of words, at the beginning and behind what begins something."""
    pairs = ("".join(pair) for pair in combinations(" \t\na=->,{", 2))
    yield from (Pump(start, word, "x") for word in (*LETTERS, *WORDS) for start in STARTS)
    yield from (Pump("", word, "") for word in (*pairs, *WORDS))


PUMPS = tuple(pumps())


def checks() -> Mapping[str, Reader]:
    """All checks of texts that the tree declares, by the first leaf that has each."""
    nodes = {route.template: route.node for route in result_tree().routes()}
    found: dict[Reader, str] = {}
    for template, node in nodes.items():
        if isinstance(node, File) and node.check is not None and not node.values:
            found.setdefault(node.check, template)
    return {template: check for check, template in found.items()}


def quietly(read: Reader) -> Reader:
    """A reader that may refuse the text."""

    def refused(text: str) -> object:
        try:
            return read(text)
        except (VfsError, Mistake, BuildFailed, ValueError):
            return None

    return refused


@pytest.mark.parametrize("name", READERS)
def test_readers_take_time_in_proportion_to_the_text(name: str) -> None:
    assert growth(quietly(READERS[name]), PUMPS, LENGTH, FLOOR) is None


def test_checks_of_leaves_take_time_in_proportion_to_the_text() -> None:
    found = checks()
    assert len(found) > 15
    slow = {leaf: growth(quietly(check), PUMPS, LENGTH, FLOOR) for leaf, check in found.items()}
    assert not {leaf: str(one) for leaf, one in slow.items() if one is not None}
