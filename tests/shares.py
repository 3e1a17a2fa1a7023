"""Which lane a file of tests runs in: by what it proves, what it shares, and what it took last."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DURATIONS = Path(__file__).with_name("durations.txt")

CONTAINERS = (
    "tests/proof",
    "tests/chains/podman",
    "tests/chains/buildbox",
    "tests/chains/package_proxy",
    "tests/durability/kills",
)
"""What shares one Podman; walks that begin with it are collected at its end."""

MEASURED = ("tests/vfs/", "tests/chains/", "tests/storage/", "tests/handlers/", "tests/wire/")
"""What proves the floors of coverage; all else runs faster without."""

UNMEASURED = (
    "tests/chains/buildbox/test_hostile_builds.py",
    "tests/chains/dask/test_dask_podman.py",
    "tests/chains/dask/test_killed_runners.py",
    "tests/chains/dask/test_loss",
    "tests/chains/dask/test_lost_",
    "tests/chains/dask/test_networks.py",
    "tests/chains/dask/test_podman_suites.py",
    "tests/chains/dask/test_runs_on_workers.py",
    "tests/chains/host/test_base_image.py",
    "tests/chains/podman/test_crash_podman.py",
    "tests/chains/podman/test_podman_host.py",
    "tests/chains/podman/test_podman_probe.py",
    "tests/chains/runner/test_crash.py",
    "tests/handlers/identity/test_cookie_jar.py",
    "tests/handlers/mail/inbound/test_mail_containers.py",
    "tests/handlers/pages/looks/",
    "tests/handlers/pages/test_bytes.py",
    "tests/handlers/pages/test_run_page.py",
    "tests/handlers/processes/hosts/",
    "tests/handlers/processes/test_api_root.py",
    "tests/handlers/processes/test_builds_served.py",
    "tests/handlers/processes/test_data_over_http.py",
    "tests/handlers/processes/test_full_disk.py",
    "tests/handlers/processes/test_renders_at_once.py",
    "tests/handlers/processes/test_secrets_at_rest.py",
    "tests/handlers/processes/test_strict_mask.py",
    "tests/handlers/processes/test_two_accounts.py",
    "tests/handlers/reference/",
    "tests/handlers/render/documents/markup/test_effort.py",
    "tests/handlers/render/documents/test_corpus.py",
    "tests/handlers/render/grids/test_hostile_grids.py",
    "tests/handlers/render/plots/drawn/test_drawn_data.py",
    "tests/handlers/render/plots/forms/test_boxes.py",
    "tests/handlers/render/plots/tables/test_any_table.py",
    "tests/handlers/rendering/test_pool.py",
    "tests/handlers/server/test_slow_clients.py",
    "tests/handlers/services/runs/test_schedulers.py",
    "tests/wire/test_actions.py",
    "tests/wire/test_json_keys.py",
    "tests/wire/test_names_everywhere.py",
    "tests/wire/test_over_workers.py",
    "tests/wire/test_push_taken_back.py",
    "tests/wire/test_slow_crowds.py",
    "tests/wire/test_turns_",
    "tests/wire/test_two_webs.py",
    "tests/wire/test_writers.py",
)
"""What runs long through lines of which others have run each."""

GATING = ("tests/vfs/", "tests/chains/language/", "tests/chains/plan/", "tests/chains/runs/")
"""What proves the floors of 100 %."""

WHOLE = (
    *GATING,
    "tests/wire/test_wire.py",
    "tests/proof/permissions/",
    "tests/proof/rights/",
    "tests/proof/test_",
    "tests/shape/",
)
"""What `make test` runs whole, however dear: the floors of 100 %, the protocol, the rights and the rules."""

SIXTHS = 6
"""Of a dear file, one part of so many at least is run each day (tests/sampled.py)."""

PART = 3.0
"""Seconds of the processors that a part of a dear file takes at most, where it has as many tests."""

DAYS = 3
"""A dear file on which no floor of coverage depends rests on all of so many days but one."""

TRACED = 1.4
"""What a trace makes of a second of the processors."""

WAITS = 0.9
"""Whoever works less of its time than this leaves processors to the other lanes, of which there are more."""

WAITING_SHARE = 0.3
"""The part of all time that the lane has which waits: the others take longer than when they were measured."""

LONG = 3.0
"""Seconds below which it is not worth asking."""

DEAR_WORK, DEAR_WAIT = 2.0, 20.0
"""Seconds of the processors and of the clock from which on a file is dear, and sampled."""

TELLING = 2
"""Times so much a file has to have worked before it is told that it became dear: a trace costs, too."""

UNKNOWN = (1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of the processors and of the clock."""

    worked: float
    waited: float

    @property
    def weight(self) -> float:
        """What it costs a lane: its time, and that of the processor which the other lane has not."""
        return self.worked + self.waited

    @property
    def idle(self) -> bool:
        """It waits."""
        return self.waited >= LONG and self.worked < WAITS * self.waited

    @property
    def dear(self) -> bool:
        """It is worth sampling."""
        return self.worked > DEAR_WORK or self.waited > DEAR_WAIT

    def times(self, factor: float) -> Took:
        """So many times what it took."""
        return Took(self.worked * factor, self.waited * factor)


@dataclass(slots=True)
class Share:
    """The files of a lane: those that run under a trace, and those that do not."""

    measured: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)

    def add(self, files: Iterable[str]) -> None:
        """Take files in by what they prove."""
        for file in files:
            (self.measured if is_measured(file) else self.plain).append(file)

    def files(self) -> list[str]:
        """All of them."""
        return [*self.plain, *self.measured]


def is_sampled(file: str, took: Took) -> bool:
    """`make test` runs a part of it."""
    return took.dear and not file.startswith(WHOLE)


def days_of(file: str) -> int:
    """A sampled file runs on one of so many days."""
    return 1 if is_measured(file) else DAYS


def parts_of(file: str, took: Took) -> int:
    """Of so many parts of a sampled file `make test` runs one on a day on which the file runs."""
    return math.ceil(max(SIXTHS, took.worked / PART) / days_of(file))


def turn(file: str, day: int) -> tuple[int, bool]:
    """How often a sampled file ran before a day, and whether it does on it: files begin on different days."""
    often, rest = divmod(day + zlib.crc32(file.encode()), days_of(file))
    return often, rest == 0


def running(took: Mapping[str, Took], day: int) -> dict[str, Took]:
    """The files of which `make test` runs something on a day."""
    return {file: each for file, each in took.items() if not is_sampled(file, each) or turn(file, day)[1]}


def is_measured(file: str) -> bool:
    """It runs under a trace."""
    return file.startswith(MEASURED) and not file.startswith(UNMEASURED)


def expected(file: str, took: Took) -> Took:
    """What it takes of `make test` on a day on which it runs."""
    of = (TRACED if is_measured(file) else 1) / (parts_of(file, took) if is_sampled(file, took) else 1)
    return took.times(of)


@dataclass(slots=True)
class Shares:
    """What each lane runs."""

    computing: Share = field(default_factory=Share)
    containers: Share = field(default_factory=Share)
    waiting: Share = field(default_factory=Share)


def durations(table: Path) -> dict[str, Took]:
    """What each file took when it was measured last; a second for one that is new."""
    known = {
        file: Took(float(worked), float(waited))
        for worked, waited, file in map(str.split, table.read_text().splitlines())
    }
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return {name: known.get(name, Took(*UNKNOWN)) for name in (str(file.relative_to(ROOT)) for file in files)}


def shares(took: Mapping[str, Took]) -> Shares:
    """The files of the three lanes: one begins with what waits, for its share of the time at most; of the
    rest a folder stays together, and goes where there is least to do so far.
    """
    lanes = Shares()
    waiting = _waiting(took)
    lanes.waiting.add(waiting)
    folders: dict[str, list[str]] = {}
    for file in took.keys() - set(waiting):
        folders.setdefault(_pinned(file) or str(Path(file).parent), []).append(file)
    weight = {
        folder: sum(expected(file, took[file]).weight for file in files) for folder, files in folders.items()
    }
    for folder in CONTAINERS:
        lanes.containers.add(sorted(folders.get(folder, ())))
    waits = sum(expected(file, took[file]).weight for file in waiting)
    loads = [0.0, sum(weight.get(folder, 0.0) for folder in CONTAINERS), waits]
    for folder in sorted(weight.keys() - set(CONTAINERS), key=lambda folder: (-weight[folder], folder)):
        lightest = loads.index(min(loads))
        loads[lightest] += weight[folder]
        (lanes.computing, lanes.containers, lanes.waiting)[lightest].add(sorted(folders[folder]))
    return lanes


def _waiting(took: Mapping[str, Took]) -> list[str]:
    """What waits and runs without a trace, the idlest first, for that share of the time."""
    able = [file for file, each in took.items() if each.idle and not is_measured(file) and not _pinned(file)]
    waits = {file: expected(file, each).waited for file, each in took.items()}
    left = sum(waits.values()) * WAITING_SHARE
    chosen = []
    for file in sorted(able, key=lambda file: (took[file].worked / took[file].waited, file)):
        if waits[file] <= left:
            left -= waits[file]
            chosen.append(file)
    return sorted(chosen)


def _pinned(file: str) -> str:
    """The folder that a file cannot leave; empty where it can."""
    return next((folder for folder in CONTAINERS if file.startswith(f"{folder}/")), "")


def grown(measured: Iterable[Path], known: Mapping[str, Took]) -> Iterator[str]:
    """A sentence for each file that has become dear, and runs whole until the table says so."""
    for line in _lines(measured):
        worked, waited, file = line.split()
        took = Took(float(worked), float(waited))
        if took.worked > TELLING * DEAR_WORK and is_sampled(file, took) and not is_sampled(file, known[file]):
            yield f"{file} worked {took.worked:.0f} s, more than {DURATIONS.name} says: renew its line"


def renew(measured: Iterable[Path]) -> None:
    """Write the table of durations anew from those of all lanes."""
    DURATIONS.write_text("".join(sorted(_lines(measured), key=lambda line: line.split()[2])))


def _lines(measured: Iterable[Path]) -> list[str]:
    return [line for file in measured for line in file.read_text().splitlines(keepends=True)]
