"""Tests use the fakes that ship, and none of them is put aside."""

import re
from pathlib import Path

from tests.kit.sources import ROOT, offenders, sources

# Spelled in pieces, or this file would find itself.
FORBIDDEN = re.compile(
    "|".join([r"unittest\." + "mock", "monkeypatch" + r"\.setattr", r"mark\." + "skip", r"pytest\." + "skip",
              "importor" + "skip", r"mark\." + "xfail", r"pytest\." + "xfail", r"unittest\." + "skip"])
)  # fmt: skip


def test_nothing_is_mocked_or_skipped() -> None:
    files = sources("tests", "chains")
    assert not offenders({source.name: FORBIDDEN.findall(source.text) for source in files})


def test_a_test_module_tests_something() -> None:
    idle = [
        source.name
        for source in sources("tests")
        if "/test_" in source.name
        and not any(
            name.startswith(("test_", "Test"))
            for name in (*source.classes(), *(name for name, _ in source.functions()))
        )
    ]
    assert idle == []


def test_a_folder_of_tests_imports_the_kit_and_itself_alone() -> None:
    strangers = []
    for source in sources("tests"):
        own = Path(source.name).parts[1]
        allowed = {"kit", own} if "/" in source.name.removeprefix("tests/") else {"kit", *_at_the_root()}
        for name in source.imports():
            top, _, rest = name.partition(".")
            if top == "tests" and rest and rest.partition(".")[0] not in allowed:
                strangers.append(f"{source.name}: {name}")
    assert strangers == []


def test_lists_of_tests_name_files_that_are_there() -> None:
    lists = [(ROOT / "tests" / name).read_text().splitlines() for name in ("durations.txt", "smoke.txt")]
    named = {line.split()[2] for line in lists[0]}
    named |= {line.split()[0].partition("::")[0] for line in lists[1] if line and line[0] != "#"}
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def _at_the_root() -> set[str]:
    return {path.stem for path in (ROOT / "tests").glob("*.py")}
