"""Kept pictures are of the installed program: their key changes with the code that draws and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from handlers.rendering import drawing_version as module
from handlers.rendering.drawing_version import (
    PACKAGES,
    ROOT,
    SOURCES,
    DrawingParts,
    drawing_version,
    installed_parts,
)
from handlers.services.renderings import key_of

DECIDE_NO_BYTES = {"vfs", "vfs.errors", "vfs.normal_form", "chains", "handlers", "vfs.cause"}


@pytest.fixture
def parts(tmp_path: Path) -> DrawingParts:
    """A small installation of each sort of part."""
    for name, text in {
        "render/bars.py": "bars = 1",
        "render/sheets/doc.css": "p {}",
        "site-packages/pillow-11.0.0.dist-info/METADATA": "Version: 11.0.0",
        "fonts/noto/NotoSans.ttf": "letters",
        "lib/libpango-1.0.so.0.1": "pango",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return DrawingParts(
        (tmp_path / "render",), (tmp_path / "site-packages",), (tmp_path / "fonts",), (tmp_path / "lib",)
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("render/bars.py", "bars = 2"),
        ("render/sheets/doc.css", "q {}"),
        ("render/new.py", ""),
        ("site-packages/nh3-0.3.0.dist-info/METADATA", ""),
        ("fonts/noto/NotoSans.ttf", "more letters"),
        ("fonts/noto/NotoSansCJK.ttc", "letters"),
        ("lib/libpango-1.0.so.0.2", "pango"),
    ],
)
def test_another_file_makes_another_version(
    tmp_path: Path, parts: DrawingParts, name: str, text: str
) -> None:
    before = parts.digest
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text)
    assert parts.digest != before


def test_another_version_of_a_library_makes_another(tmp_path: Path, parts: DrawingParts) -> None:
    before = parts.digest
    folder = tmp_path / "site-packages"
    (folder / "pillow-11.0.0.dist-info").rename(folder / "pillow-11.0.1.dist-info")
    assert parts.digest != before


def test_nothing_that_changed_makes_the_same(tmp_path: Path, parts: DrawingParts) -> None:
    before = parts.digest
    (tmp_path / "render/__pycache__").mkdir()
    (tmp_path / "render/__pycache__/bars.pyc").write_text("compiled")
    (tmp_path / "lib/libother.so.1").write_text("other")
    (tmp_path / "render/bars.py").write_text("bars = 1")
    assert parts.digest == before


def test_every_process_of_an_installation_has_the_same_version() -> None:
    said = subprocess.run(
        [sys.executable, "-P", "-c", f"import {module.__name__} as m; print(m.drawing_version())"],
        cwd="/", capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout.strip() == drawing_version() == installed_parts().digest


def test_a_key_of_a_kept_render_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The items that documents refer to are kept by the same keys."""
    for kind, form in (("plot", "svg"), ("doc", "requests")):
        with monkeypatch.context() as patched:
            before = key_of(kind, form, {}, "content")
            assert key_of(kind, form, {}, "content") == before
            patched.setattr("handlers.services.renderings.drawing_version", lambda: "another")
            assert key_of(kind, form, {}, "content") != before


def test_everything_that_draws_is_in_it() -> None:
    """A renderer loads only files in the folders of sources and installed packages."""
    code = "import handlers.rendering.forms as f, sys; f.warm_up()\n" + (
        "for n, m in sorted(sys.modules.items()): print(n, getattr(m, '__file__', None) or '')"
    )
    loaded = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd="/"
    ).stdout
    folders = [ROOT / folder for folder in SOURCES]
    standard = Path(subprocess.__file__).parent
    outside = []
    for line in loaded.splitlines():
        name, _, file = line.partition(" ")
        path = Path(file)
        if not file or not path.is_absolute() or name in DECIDE_NO_BYTES or PACKAGES & set(path.parts):
            continue
        if path.is_relative_to(standard) or any(path.is_relative_to(folder) for folder in folders):
            continue
        outside.append(name)
    assert outside == []


def test_nothing_is_read_at_import() -> None:
    code = (
        "import sys, handlers.rendering.port, handlers.services.renderings\n"
        "from handlers.rendering.drawing_version import drawing_version as v; print(v.cache_info().currsize)"
    )
    said = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "0"
