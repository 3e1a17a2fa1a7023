"""The data folder and the settings of a command: those it finds, and those it makes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from handlers.__main__ import main
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import load
from tests.kit.schema import older

READERS = [
    ["user", "list"],
    ["user", "add", "alice"],
    ["token", "list", "alice"],
    ["org", "plan", "acme"],
    ["fs", "ls", "--as", "alice"],
    ["doctor"],
]


def run_command(folder: Path, words: list[str]) -> tuple[int, str]:
    result = CliRunner().invoke(main, [*words, "--data", str(folder)], env={"CURLEW_DATA": None})
    return result.exit_code, result.stderr


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_a_command_makes_no_data_folder(tmp_path: Path, words: list[str]) -> None:
    folder = tmp_path / "typo"
    code, said = run_command(folder, words)
    assert (code, said.count("\n")) == (1, 1)
    assert f"there is no data folder at {folder}" in said
    assert "--data" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", READERS[:2], ids=" ".join)
def test_a_folder_without_a_database_is_not_a_data_folder(tmp_path: Path, words: list[str]) -> None:
    code, said = run_command(tmp_path, words)
    assert (code, said.count("\n")) == (1, 1)
    assert f"there is no database in the data folder {tmp_path}" in said
    assert list(tmp_path.iterdir()) == []


def test_a_relative_data_folder_is_reported_by_its_absolute_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["user", "list"], env={"CURLEW_DATA": None})
    assert f"there is no data folder at {tmp_path}/var" in result.stderr


def test_migrate_makes_one(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert run_command(folder, ["migrate"])[0] == 0
    assert run_command(folder, ["user", "list"]) == (0, "")


def test_migrate_copies_what_an_older_release_wrote(tmp_path: Path) -> None:
    assert run_command(tmp_path, ["migrate", "--copy"])[0] == 0
    assert not (tmp_path / "copies").exists()
    with closing(sqlite3.connect(tmp_path / "curlew.db")) as database, database:
        for statement in older("sqlite"):
            database.execute(statement)
        database.execute("DROP TABLE deed")
    code, said = run_command(tmp_path, ["migrate", "--copy"])
    (copy,) = (tmp_path / "copies").iterdir()
    assert (code, f"before the migration is in {copy}\n" in said) == (0, True)
    assert run_command(tmp_path, ["migrate", "--copy"])[0] == 0
    assert list((tmp_path / "copies").iterdir()) == [copy]


def test_the_settings_are_those_of_the_file_that_is_named(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f'data = "{tmp_path}/data"\nslots = 7\n')
    for said in (load({}, config=str(file)), load({"CURLEW_CONFIG": str(file)})):
        assert (said.slots, said.folder, said.config) == (7, tmp_path / "data", str(file))
    other = load({"CURLEW_SLOTS": "8"}, config=str(file), data=str(tmp_path / "other"))
    assert (other.slots, other.folder) == (8, tmp_path / "other")
    with pytest.raises(SettingsError, match=f"there is no settings file {tmp_path}/gone"):
        load({}, config=str(tmp_path / "gone"))
    without = load({}, config="/dev/null", data=str(tmp_path / "data"))
    assert (without.slots, without.config) == (load({}, data=str(tmp_path / "new")).slots, "/dev/null")


def test_settings_of_the_system_apply_to_the_data_folder_that_they_name_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    system = tmp_path / "system.toml"
    system.write_text(f'data = "{tmp_path}/data"\nslots = 7\n')
    assert load({}, system).folder == tmp_path / "data"
    assert load({}, system, data="data").slots == 7
    assert load({}, system, data="other").slots == Settings().slots
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "curlew.toml").write_text("slots = 6\n")
    assert load({}, system, data="data").slots == 6
    (tmp_path / "var").mkdir()
    assert load({}, system).folder == tmp_path / "var"
