"""`curlew app`, on a separate embedded database."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from handlers.__main__ import main
from handlers.processes.world import open_world
from handlers.settings.sources import load


def run(folder: Path, *words: str) -> Result:
    """Return the result of `curlew app …`."""
    return CliRunner().invoke(main, ["app", *words, "--data", str(folder)], env={"CURLEW_DATA": None})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder."""
    with open_world(load({}, data=str(tmp_path))):
        return tmp_path


def test_an_application_is_registered_listed_and_removed(folder: Path) -> None:
    words = (
        "--redirect",
        "https://a.example/back",
        "--redirect",
        "http://localhost/b",
        "--scope",
        "vis read",
    )
    result = run(folder, "add", "birds", "--name", "Birds", *words)
    assert (result.exit_code, result.stderr) == (0, "registered birds\n"), result.output
    assert run(folder, "add", "birds", *words).exit_code != 0
    listed = run(folder, "list").stdout
    assert "novem-cli" in listed
    assert "read vis" in listed and "https://a.example/back http://localhost/b" in listed
    assert run(folder, "remove", "birds").exit_code == 0
    assert run(folder, "remove", "birds").exit_code != 0
    assert "birds" not in run(folder, "list").stdout


@pytest.mark.parametrize(
    "words",
    [
        ("add", "birds"),
        ("add", "Birds!", "--redirect", "https://a.example/"),
        ("add", "birds", "--redirect", "http://a.example/"),
        ("add", "birds", "--redirect", "https://a.example/", "--scope", "everything"),
        ("add", "birds", "--redirect", "https://a.example/", "--name", "a\x1bb"),
    ],
)
def test_wrong_options_are_refused(folder: Path, words: tuple[str, ...]) -> None:
    assert run(folder, *words).exit_code != 0
