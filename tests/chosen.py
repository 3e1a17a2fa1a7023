"""What `make test` runs: a core, and the tests nearest to what changed; the same for the same commit."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DURATIONS = Path(__file__).with_name("durations.txt")
SMOKE = Path(__file__).with_name("smoke.txt")

DEAR_WORK, DEAR_WAIT = 2.1, 20.0
"""A file is dear if it takes more seconds of the processors, or of the clock."""

CORE = (
    "tests/vfs/",
    "tests/chains/language/",
    "tests/chains/plan/",
    "tests/chains/runs/",
    "tests/proof/permissions/",
    "tests/proof/rights/",
    "tests/shape/",
    "tests/wire/test_wire.py",
    "tests/test_documents.py",
)
"""Whole in the core, dear or not: the floors of 100 %, the rights, the rules, the protocol, the manual."""

COMMITS = 50
ITSELF, BY_NAME, BESIDE = range(3)
BUDGET = 400.0
"""Seconds of the processors and of the clock, added up, that dear files near to a change may take."""


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of the processors and of the clock."""

    worked: float = 1.0
    waited: float = 1.0

    @property
    def weight(self) -> float:
        """What it costs a lane: its time, and the processor that another lane lacks meanwhile."""
        return self.worked + self.waited

    @property
    def dear(self) -> bool:
        """`make test` has a part of it, unless it is near to a change."""
        return self.worked > DEAR_WORK or self.waited > DEAR_WAIT


ONE_TEST = Took(3.0, 5.0)
"""What a test of smoke.txt is expected to take."""


@dataclass(slots=True)
class Chosen:
    """The files and single tests that run, the files where `repeats` do, too, and lines that say so."""

    tests: dict[str, Took]
    repeating: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)


def durations() -> dict[str, Took]:
    """Return what each file of tests took when it was measured last."""
    lines = map(str.split, DURATIONS.read_text().splitlines())
    known = {file: Took(float(worked), float(waited)) for worked, waited, file in lines}
    files = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "tests").rglob("test_*.py"))
    return {file: known.get(file, Took()) for file in files}


def everything(known: Mapping[str, Took]) -> Chosen:
    """Return all files, for `make test-all`."""
    return Chosen({**known}, {*known}, [f"all {len(known)} files of tests"])


def chosen(known: Mapping[str, Took], since: str | None) -> Chosen:
    """Return the core, and what is near to the changes after `since` as far as the budget goes."""
    core = {file: took for file, took in known.items() if file.startswith(CORE) or not took.dear}
    smoke = {test: known.get(test, ONE_TEST) for test in lines_of(SMOKE) if test not in core}
    begin, changes = _changes(since)
    near, left = _near(changes, known), BUDGET
    added, too_much = [], []
    for file in (file for file in near if file not in core | smoke):
        if known[file].weight <= left:
            left -= known[file].weight
            added.append(file)
        else:
            too_much.append(file)
    smoke = {test: took for test, took in smoke.items() if test.partition("::")[0] not in added}
    said = [
        f"the core: {len(core)} files, and {len(smoke)} files and tests of {SMOKE.name}",
        f"the dear files nearest to what changed since {begin}: {_listed(added)}",
    ]
    if too_much:
        said.append(f"NOT, though near to these changes (the budget is spent): {_listed(too_much)}")
    tests = core | smoke | {file: known[file] for file in added}
    return Chosen(tests, {*added, *(file for file in core | smoke if near.get(file) == ITSELF)}, said)


def lines_of(listing: Path) -> list[str]:
    """Return the lines of a list of tests, but comments."""
    lines = (line.partition("#")[0].strip() for line in listing.read_text().splitlines())
    return [line for line in lines if line]


def _listed(files: Sequence[str]) -> str:
    names = " ".join(file.removeprefix("tests/").removesuffix(".py") for file in files)
    return f"{len(files)} files: {names}" if files else "none"


def _changes(since: str | None) -> tuple[str, list[list[str]]]:
    """Where changes begin, and the paths that each commit after it changed, newest first.

    What is not committed comes before all. A merge counts as one commit. A clone with fewer commits
    has fewer; its first commit, whose changes are unknown, has none.
    """
    span = f"{since}..HEAD" if since else "HEAD"
    log = _git(
        "-c", "log.showRoot=false", "log", "--first-parent", "--diff-merges=first-parent", "--no-renames",
        "--name-only", "--format=%x00%h", *([] if since else [f"-{COMMITS}"]), span,
    )  # fmt: skip
    if log is None and since:
        raise SystemExit(
            f"SINCE={since} names no commit of this repository: give a commit, a tag or a branch"
        )
    if log is None:
        return "no commit (this is no git repository)", []
    commits = [commit.splitlines() for commit in log.split("\0")[1:]]
    local = (_git("diff", "--name-only", "HEAD") or "") + (_git("ls-files", "-o", "--exclude-standard") or "")
    all_there_are = ", all that this clone has" if len(commits) < COMMITS else ""
    where = since or f"{commits[-1][0]} (the last {len(commits)} commits{all_there_are})"
    return where, [local.splitlines(), *([path for path in lines[1:] if path] for lines in commits)]


def _git(*words: str) -> str | None:
    """What git says; None where it fails, or is not there."""
    command = ["git", "-C", str(ROOT), "-c", "safe.directory=*", "-c", "core.quotePath=false", *words]
    try:
        done = subprocess.run(command, text=True, errors="replace", capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def _near(changes: Iterable[Iterable[str]], known: Mapping[str, Took]) -> dict[str, int]:
    """Distances of files of tests near to changed paths: those of the newest commit first; of one commit the
    nearest first, and of these what takes least.
    """
    found: dict[str, int] = {}
    for paths in changes:
        near: dict[str, int] = {}
        for distance, file in (each for path in paths for each in _tests_of(path)):
            near[file] = min(distance, near.get(file, distance))
        for file in sorted(near.keys() & known, key=lambda file: (near[file], known[file].weight, file)):
            found[file] = min(near[file], found.get(file, near[file]))
    return found


def _tests_of(path: str) -> list[tuple[int, str]]:
    """Distances and files of tests: ITSELF; BY_NAME, which imports a changed file or is named after it; and
    without one of these BESIDE, in the folder of tests that mirrors its folder, or the next one above.
    """
    where = Path(path)
    if where.match("test_*.py"):
        return [(ITSELF, path)]
    folder = where.parent if where.parts[0] == "tests" else Path("tests") / where.parent
    named = [file for file in [str(folder / f"test_{where.stem}.py")] if (ROOT / file).exists()]
    named += _importers().get(".".join(where.with_suffix("").parts).removesuffix(".__init__"), [])
    if named:
        return [(BY_NAME, file) for file in named]
    while not (beside := sorted((ROOT / folder).glob("test_*.py"))):
        folder = folder.parent
    return [(BESIDE, str(file.relative_to(ROOT))) for file in beside]


@cache
def _importers() -> dict[str, list[str]]:
    """The files of tests that import a module themselves, by its name."""
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for module in {*_imported(ast.parse(file.read_text()))}:
            found.setdefault(module, []).append(str(file.relative_to(ROOT)))
    return found


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
