"""Files, functions and folders stay small enough to be read at once."""

from collections import Counter
from pathlib import Path

from tests.kit.sources import PACKAGES, offenders, sources

LONGEST_FILE = 300
LONGEST_FUNCTION = 40
MOST_MODULES = 20
FULLER = {"tests/wire", "storage/migrations"}


def test_a_file_is_short() -> None:
    sizes = {source.name: len(source.text.splitlines()) for source in sources(*PACKAGES, "tests")}
    assert not offenders({name: lines * (lines > LONGEST_FILE) for name, lines in sizes.items()})


def test_a_function_is_short() -> None:
    found = {
        source.name: {name: lines for name, lines in source.functions() if lines > LONGEST_FUNCTION}
        for source in sources(*PACKAGES)
    }
    assert not offenders(found)


def test_a_folder_holds_few_modules() -> None:
    counts = Counter(
        str(Path(source.name).parent)
        for source in sources(*PACKAGES, "tests")
        if not source.name.endswith("__init__.py")
    )
    full = {folder: count for folder, count in counts.items() if count > MOST_MODULES}
    assert full.keys() <= FULLER, full
