"""Files and functions stay small enough to be read at once."""

from tests.kit.sources import PACKAGES, offenders, sources

LONGEST_FILE = 400
LONGEST_FUNCTION = 40


def test_a_file_is_short() -> None:
    sizes = {source.name: len(source.text.splitlines()) for source in sources(*PACKAGES, "tests")}
    assert not offenders({name: lines * (lines > LONGEST_FILE) for name, lines in sizes.items()})


def test_a_function_is_short() -> None:
    found = {
        source.name: {name: lines for name, lines in source.functions() if lines > LONGEST_FUNCTION}
        for source in sources(*PACKAGES)
    }
    assert not offenders(found)
