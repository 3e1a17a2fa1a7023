"""The imports of a program are tried in its image after the build, and what is missing is named."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from chains.buildbox import tried_imports
from chains.buildbox.import_check import library_package, sentences, trying_command
from chains.buildbox.tried_imports import MARK
from chains.engine.port import BuildFailed, BuildOrder
from tests.kit.podman import Bench, builder_on


def tried(
    folder: Path, files: Mapping[str, str], *program: str, environ: Mapping[str, str] | None = None
) -> list[tuple[str, ...]]:
    """Missing modules of a program among some files, as (place, module)."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    command = [sys.executable, "-c", Path(tried_imports.__file__).read_text(), *program]
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
    reports = [json.loads(line.removeprefix(MARK)) for line in done.stdout.splitlines()]
    return [(one["where"], one.get("missing") or one.get("library") or one.get("why")) for one in reports]


SURE = """\
import absent_a
from absent_b import x as y
with open(__file__): import absent_c
class Box: import absent_d
try: import absent_e
except ValueError: pass
finally: import absent_f
if __name__ == "__main__": import absent_g
"""
UNSURE = """\
import os, json.tool
from typing import TYPE_CHECKING
if TYPE_CHECKING: import absent_a
try: import absent_b
except ImportError: absent_b = None
try: import absent_c
except (ValueError, ModuleNotFoundError): pass
try: import absent_d
except: pass
if os.name == "nt": import absent_e
def later(): import absent_f
print(1 / 0)
"""


def test_imports_that_are_sure_to_run_are_tried_and_the_program_is_not_run(tmp_path: Path) -> None:
    found = tried(tmp_path, {"main.py": SURE}, "file", "main.py")
    assert [missing for _, missing in found] == [f"absent_{letter}" for letter in "abcdefg"]
    assert found[1][0] == "main.py, line 2"
    assert tried(tmp_path, {"main.py": UNSURE}, "file", "main.py") == []


def test_modules_of_the_program_are_read_in_turn_and_never_imported(tmp_path: Path) -> None:
    files = {
        "app/main.py": "import helper, pack.deep as d\nfrom pack import part\nimport json\n",
        "app/helper.py": "import absent_a\nopen('ran', 'w')\n",
        "app/pack/__init__.py": "from .inner import thing\n",
        "app/pack/inner.py": "from . import side\nfrom .. import nothing\nfrom pack.deep import more\n",
        "app/pack/side.py": "import absent_b\nimport main\n",
        "app/pack/part.py": "import absent_c\n",
        "app/pack/deep.py": "import absent_d\nraise SystemExit(3)\n",
    }
    found = tried(tmp_path, files, "file", "app/main.py")
    assert sorted(found) == [
        ("app/helper.py, line 1", "absent_a"),
        ("app/pack/deep.py, line 1", "absent_d"),
        ("app/pack/part.py, line 1", "absent_c"),
        ("app/pack/side.py, line 1", "absent_b"),
    ]
    assert not (tmp_path / "ran").exists()
    more = {"tool/__init__.py": "", "tool/__main__.py": "from .work import go\nimport absent_e\n",
            "tool/work.py": "import absent_f\n"}  # fmt: skip
    assert [one for _, one in tried(tmp_path, more, "-m", "tool")] == ["absent_f", "absent_e"]
    assert [one for _, one in tried(tmp_path, more, "-m", "tool.work")] == ["absent_f"]


def test_what_only_a_run_can_tell_is_no_failure(tmp_path: Path) -> None:
    files = {
        "main.py": "import wants_variable, ends_at_once, asks\nimport sys\n",
        "lib/wants_variable.py": "import os; os.environ['NOT_HERE']",
        "lib/ends_at_once.py": "raise SystemExit(7)",
        "lib/asks.py": "print('noise'); input()",
        "moved.py": "import sys\nsys.path.append('/mnt/space')\nimport from_a_space\n",
    }
    environ = {"PYTHONPATH": "lib"}
    assert tried(tmp_path, files, "file", "main.py", environ=environ) == []
    assert [one for _, one in tried(tmp_path, {}, "file", "main.py")] == [
        "wants_variable",
        "ends_at_once",
        "asks",
    ]
    assert tried(tmp_path, {}, "file", "moved.py") == []
    assert tried(tmp_path, {}, "file", "absent.py") == []
    assert tried(tmp_path, {}, "-m", "absent.module") == []


@pytest.mark.parametrize(
    ("config", "program"),
    [
        ({"Cmd": ["python3", "main.py", "-m", "x"]}, ("python3", "file", "main.py")),
        (
            {"Entrypoint": ["/usr/bin/env", "python"], "Cmd": ["-u", "-X", "dev", "a b.py"]},
            ("python", "file", "a b.py"),
        ),
        (
            {"Cmd": ["/bin/sh", "-c", "exec A=1 python3.11 -u -m 'pkg.mod' --now"]},
            ("python3.11", "-m", "pkg.mod"),
        ),
        ({"Cmd": ["/bin/sh", "-c", "cd /app && python main.py"]}, None),
        ({"Cmd": ["/bin/sh", "-c", "tr a-z A-Z"]}, None),
        ({"Cmd": ["/bin/sh", "-c", "python 'main.py"]}, None),
        ({"Cmd": ["python3", "-c", "import absent"]}, None),
        ({"Cmd": ["python3"]}, None),
        ({"Cmd": ["bash", "run.sh"]}, None),
        ({"Cmd": None}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_the_program_is_found_in_the_command_of_an_image(
    config: Mapping[str, list[str] | None], program: tuple[str, str, str] | None
) -> None:
    command = trying_command(config)
    assert (command and (command[0], *command[3:])) == program


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libGL.so.1", "libgl1"), ("libX11.so.6", "libx11-6"), ("libpq.so.5", "libpq5"),
        ("libSM.so.6", "libsm6"), ("libglib-2.0.so.0", "libglib2.0-0"), ("libgtk-3.so.0", "libgtk-3-0"),
        ("libodbc.so.2", "libodbc2"),
    ],
)  # fmt: skip
def test_a_library_names_its_package_by_the_rule_of_debian(library: str, package: str) -> None:
    assert library_package(library) == package


def test_what_a_box_says_is_taken_for_no_more_than_text() -> None:
    lines = [
        f"{MARK}[1]",
        f"{MARK}{{",
        "hello",
        MARK + json.dumps({"module": "m" * 9000, "why": 5, "where": None}),
    ]
    (only,) = sentences(iter(lines))
    assert len(only) < 300


@pytest.mark.podman
def test_a_build_whose_program_lacks_something_fails_by_name(podman_bench: Bench) -> None:
    """A module that is not there, a wheel whose library is not there, and a script that pip made."""
    lacks = "which the image does not have"
    wheel = {
        "main.py": "import ctypes\nfrom wheel_like import draw\n",
        "wheel_like/__init__.py": "from ._native import draw\n",
        "wheel_like/_native.py": "import drawing\n",
    }
    cases: dict[str, tuple[dict[str, str], str | None]] = {
        "CMD python3 main.py": (
            {"main.py": "import absent_a\nimport json\n"},
            f"main.py, line 1 imports absent_a, {lacks}: name its package",
        ),
        'CMD ["python3", "main.py"]': (
            wheel,
            f"wheel_like/_native.py, line 1 imports drawing, which needs libGL.so.1, {lacks}: write a "
            "Dockerfile with RUN apt-get update && apt-get install -y libgl1",
        ),
        'USER nobody\nENTRYPOINT ["tool"]': ({"main.py": ""}, "local/bin/tool, line 2 imports absent_b"),
        'CMD ["python3", "./main.py"]': ({"main.py": "import json\nopen('/input/a')\n"}, None),
    }
    drawing = (
        "RUN d=$(python3 -c 'import site; print(site.getsitepackages()[0])') && mkdir -p $d && "
        "echo \"import ctypes; ctypes.CDLL('libGL.so.1')\" > $d/drawing.py; printf '#!/usr/bin/env python3\\n"
        "import absent_b\\n' > /usr/local/bin/tool; chmod 755 /usr/local/bin/tool\n"
    )
    builder = builder_on(podman_bench.host)
    for ends, (files, reason) in cases.items():
        context = podman_bench.folder("context")
        for name, text in files.items():
            (context / name).parent.mkdir(exist_ok=True)
            (context / name).write_text(text)
        (context / "Dockerfile").write_text(f"FROM python:3-slim\n{drawing}WORKDIR /app\nCOPY . .\n{ends}\n")
        order = BuildOrder(91, context, "Dockerfile", "curlew/91:tried", {})
        if reason is None:
            assert builder.build(order, lambda line: None).id
            continue
        with pytest.raises(BuildFailed) as failed:
            builder.build(order, lambda line: None)
        assert reason in str(failed.value)
        assert builder.find("localhost/curlew/91:tried") is None
