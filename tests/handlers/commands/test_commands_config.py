"""`curlew config show`: the settings in force with their sources, and refused settings."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from handlers.__main__ import main
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import load


def shown(folder: Path, *words: str, environ: Mapping[str, str] | None = None) -> Result:
    """The answer of `curlew config show …`."""
    env = {"CURLEW_DATA": None, **(environ or {})}
    return CliRunner().invoke(main, ["config", "show", *words, "--data", str(folder)], env=env)


def test_the_output_is_a_settings_file(tmp_path: Path) -> None:
    result = shown(tmp_path)
    said = tomllib.loads(result.stdout)
    assert list(said) == [field.name for field in fields(Settings)]
    file = tmp_path / "again.toml"
    file.write_text(result.stdout)
    assert load({}, config=str(file)) == replace(load({}, data=str(tmp_path)), config=str(file))


def test_each_names_its_source(tmp_path: Path) -> None:
    (tmp_path / "curlew.toml").write_text('slots = 7\nmemory = "2G"\n')
    result = shown(tmp_path, "--sources", "--changed", environ={"CURLEW_MEMORY": "512M", "CURLEW_SMTP": ""})
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["data", "=", f'"{tmp_path}"', "#", "--data"],
        ["slots", "=", "7", "#", f"{tmp_path}/curlew.toml"],
        ["memory", "=", '"512M"', "#", "CURLEW_MEMORY"],
        ["smtp", "=", '""', "#", "CURLEW_SMTP"],
    ]


def test_one_setting_is_shown_by_name(tmp_path: Path) -> None:
    (row,) = json.loads(shown(tmp_path, "retention_days", "--json").stdout)
    assert row == {"name": "retention_days", "value": 30, "source": "default"}
    assert shown(tmp_path, "retention_days", "slots").stdout == 'retention_days = "30d"\nslots = 4\n'
    refused = shown(tmp_path, "slot")
    assert (refused.exit_code, 'there is no setting "slot"' in refused.stderr) == (2, True)


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_no_password_is_printed(tmp_path: Path, words: tuple[str, ...]) -> None:
    environ = {
        "CURLEW_SMTP": "smtp://me:planted/with:signs@planted@relay:25",
        "CURLEW_DATABASE_URL": "postgresql://me@h/d?connect_timeout=9&password=planted&sslmode=require",
    }
    result = shown(tmp_path, *words, environ=environ)
    assert result.exit_code == 0
    assert "planted" not in result.output
    assert "smtp://me:***@relay:25" in result.stdout
    assert "d?connect_timeout=9&password=***&sslmode=require" in result.stdout


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("CURLEW_WORKER", "did you mean CURLEW_WORKERS?"),
        ("CURLEW_slots", "did you mean CURLEW_SLOTS?"),
        ("CURLEW_0123456789", "curlew config show lists the settings"),
    ],
)
def test_a_variable_that_is_not_a_setting_is_refused(tmp_path: Path, name: str, advice: str) -> None:
    result = shown(tmp_path, environ={name: "3"})
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"curlew: the environment has {name}, and there is no such setting; {advice}\n"


def test_variables_between_processes_set_nothing() -> None:
    assert load({"CURLEW_READY_FD": "9", "CURLEW_REPO": "1"}) == Settings()


def test_each_setting_that_is_named_as_a_size_or_a_time_has_a_unit() -> None:
    named = re.compile(r"(seconds|timeout|grace|days|memory|limit|size|disk|cache|storage|push)$")
    without = [field.name for field in fields(Settings) if not field.metadata["unit"]]
    assert [name for name in without if named.search(name)] == []


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ('memory = "1.5G"', "memory", 3 << 29),
        ("memory = 1024", "memory", 1024),
        ('step_seconds = "2h"', "step_seconds", 7200.0),
        ('retention_days = "4w"', "retention_days", 28),
        ('password_memory = "19M"', "password_memory", 19_456),
        ('slots = "3"', "slots", 3),
        ("userns = false", "userns", False),
    ],
)
def test_quantities_can_be_written_with_units(tmp_path: Path, said: str, field: str, value: object) -> None:
    (tmp_path / "curlew.toml").write_text(said)
    assert getattr(load({}, data=str(tmp_path)), field) == value


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ('workers = "three"', "say a number"),
        ("workers = 2.5", "say a whole number"),
        ('memory = "lots"', "say a number of bytes, or one such as 512M or 1G"),
        ('retention_days = "12h"', "say a whole number of days"),
        ('graceful_timeout = "soon"', "say a number of seconds, or one such as 90s, 12h or 30d"),
        ('userns = "perhaps"', "say true or false"),
    ],
)
def test_a_wrong_setting_names_its_file_and_what_to_write(tmp_path: Path, said: str, why: str) -> None:
    (tmp_path / "curlew.toml").write_text(said)
    with pytest.raises(SettingsError) as refusal:
        load({}, data=str(tmp_path))
    assert str(refusal.value).endswith(f" in {tmp_path}/curlew.toml: {why}")
