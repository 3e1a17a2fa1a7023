"""What is handed to operators agrees with the program: settings, units and scripts."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from handlers.rendering.socket_service import SOCKET
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import load
from tests.kit.sources import PACKAGES, ROOT

DEPLOY = ROOT / "deploy"
SCRIPTS = [*DEPLOY.glob("*.sh"), DEPLOY / "curlew", ROOT / ".ci" / "run"]
UNITS = sorted(DEPLOY.glob("*.service"))
# Of hosts that run steps for others (tests/test_deploy_dask.py).
DASK = sorted((DEPLOY / "dask").glob("*.service"))
WATCHED = [*UNITS, DEPLOY / "curlew-web.socket"]
# By `systemd-analyze security`, from 0 to 10; what is left has its reason in the unit.
MOST_EXPOSED = {
    "curlew-web": 1.4,
    "curlew-mail-in": 1.4,
    "curlew-metrics": 1.4,
    "curlew-render": 0.8,
    "curlew-runner": 7.1,
    "curlew-scheduler": 1.4,
    "curlew-worker": 7.1,
}
SAID_BY_THE_COMMAND_LINE = {"data", "config"}


def everything_said() -> str:
    """The example with every setting said."""
    text = (DEPLOY / "curlew.toml.example").read_text()
    return re.sub(r"^# (?=[a-z_]+ = )", "", text, flags=re.MULTILINE)


def example() -> dict[str, object]:
    """The settings of the example, as if each were said."""
    return tomllib.loads(everything_said())


def test_the_example_names_every_setting_and_no_other() -> None:
    named = {field.name for field in fields(Settings)} - SAID_BY_THE_COMMAND_LINE
    assert set(example()) == named, "deploy/curlew.toml.example has a line for each"


def test_the_settings_of_several_hosts_are_settings() -> None:
    # No variable is needed: commands of the operator, the installer and sshd have none of the units'.
    settings = load({}, config=str(DEPLOY / "hosts" / "curlew.toml"))
    assert settings.has_several_hosts
    units = configparser.ConfigParser()
    units.read(DEPLOY / "hosts" / "shared-folder.conf")
    assert units["Unit"]["RequiresMountsFor"] == units["Service"]["ReadWritePaths"] == str(settings.repos)
    (exported,), (mounted,) = lines_of("exports"), lines_of("fstab")
    assert (exported[0], mounted[1], mounted[2]) == (str(settings.repos), str(settings.repos), "nfs4")
    assert mounted[0].partition(":")[0] in settings.blobs_url


def lines_of(name: str) -> list[list[str]]:
    """The words of each line of a file of several hosts."""
    lines = (DEPLOY / "hosts" / name).read_text().splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(
    "left_out, said",
    [
        ("database_url", "database that they share"),
        ("blobs_url", "blobs_url"),
        ("repos_folder", "repos_folder"),
        ("key_file", "key_file"),
    ],
)
def test_settings_that_several_hosts_have_to_share_are_required(
    tmp_path: Path, left_out: str, said: str
) -> None:
    text = (DEPLOY / "hosts" / "curlew.toml").read_text()
    (tmp_path / "curlew.toml").write_text(re.sub(rf"^{left_out} = .*$", "", text, flags=re.MULTILINE))
    with pytest.raises(SettingsError, match=said):
        load({}, config=str(tmp_path / "curlew.toml"))


def test_the_installer_reads_the_variables_of_the_units(tmp_path: Path) -> None:
    script = (DEPLOY / "install.sh").read_text()
    (reading,) = re.findall(
        r"^\[ ! -f /etc/curlew/curlew\.env \].*?^done <\S+$", script, re.MULTILINE | re.DOTALL
    )
    (tmp_path / "curlew.env").write_text(
        '# both\nAWS_REGION=eu-1\n\nCURLEW_DATABASE_URL="postgresql://a b/c?d=$e&f=1"'
    )
    reading = reading.replace("/etc/curlew/curlew.env", str(tmp_path / "curlew.env"))
    ask = f'set -eu\n{reading}\nprintf \'%s\\n\' "$AWS_REGION" "$CURLEW_DATABASE_URL"'
    done = subprocess.run(["sh", "-c", ask], env={}, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["eu-1", "postgresql://a b/c?d=$e&f=1"]


def test_the_example_tells_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "curlew.toml").write_text(everything_said())
    loaded = load({}, data=str(tmp_path))
    chosen = {field.name: field.default for field in fields(Settings) if field.default != ""}
    values = {name: getattr(loaded, name) for name in example() if name in chosen}
    differing = {name for name in values if values[name] != chosen[name]}
    assert differing == {"mail_from"}


def test_the_example_is_read_when_every_line_is_said(tmp_path: Path) -> None:
    (tmp_path / "curlew.toml").write_text(everything_said())
    assert load({}, data=str(tmp_path)).network == "outbound"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_is_well_formed_and_runnable(script: Path) -> None:
    assert script.stat().st_mode & 0o111
    subprocess.run(["sh", "-n", str(script)], check=True)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_starts_what_was_installed(unit: Path) -> None:
    read = configparser.RawConfigParser(strict=False)
    read.optionxform = str
    read.read(unit)
    service = read["Service"]
    program, command, *options = shlex.split(service["ExecStart"])
    assert program == "/opt/curlew/.venv/bin/curlew"
    assert command == unit.stem.removeprefix("curlew-")
    assert options == ["--config", "/etc/curlew/curlew.toml"]
    # systemd would give the whole folder, images too, to the account of whichever unit started last.
    assert "StateDirectory" not in service


def test_the_web_writes_nowhere_but_into_the_data_folder() -> None:
    unit = (DEPLOY / "curlew-web.service").read_text()
    assert "ProtectSystem=strict\nReadWritePaths=/var/lib/curlew\n" in unit
    assert "InaccessiblePaths=-/var/lib/curlew-runner\n" in unit
    assert "User=curlew\n" in unit


def test_the_renderer_has_no_network_and_only_its_part_of_the_data_folder() -> None:
    unit = (DEPLOY / "curlew-render.service").read_text()
    socket = Path("/var/lib/curlew") / SOCKET
    assert f"TemporaryFileSystem=/var/lib/curlew:ro\nBindPaths={socket.parent}\n" in unit
    assert "InaccessiblePaths=-/var/lib/curlew-runner -/etc/curlew/key\n" in unit
    assert (
        f'install -d -m 0700 -o curlew -g curlew "$data" "$data/{Path(SOCKET).parent}"\n'
        in (DEPLOY / "install.sh").read_text()
    )
    for fence in ("PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX", "MemoryMax=3G", "User=curlew"):
        assert f"\n{fence}\n" in unit
    # It shares the data folder's account with the web, and JavaScript is compiled in it.
    assert "MemoryDenyWriteExecute=yes" not in unit


def test_every_unit_is_installed_and_taken_away() -> None:
    script = (DEPLOY / "install.sh").read_text()
    names = {unit.stem for unit in UNITS}
    assert 'install -m 0644 "$from/$unit" "$place"\n' in script
    (started,) = re.findall(r'^services="([a-z -]+) \$mail \$figures"$', script, re.M)
    assert {*started.split(), "curlew-mail-in", "curlew-metrics"} == names
    for listing, units in ((script, WATCHED), ((DEPLOY / "uninstall.sh").read_text(), [*WATCHED, *DASK])):
        (listed,) = re.findall(r'^units="(.+)"$', listing, re.M)
        assert set(listed.split()) == {unit.name for unit in units}


def test_the_runner_may_do_what_podman_does() -> None:
    unit = (DEPLOY / "curlew-runner.service").read_text()
    fences = r"^(?:NoNew|Private|Protect|ReadOnly|RestrictN|RestrictS|UMask)\w*="
    assert re.findall(fences, unit, re.M) == []
    # Containers inherit it: what is not named stays, whichever calls their programs make.
    assert re.findall(r"^SystemCallFilter=(.)", unit, re.M) == ["~"]
    assert "Group=" not in unit


@pytest.mark.parametrize("unit", [*UNITS, *DASK], ids=lambda unit: unit.name)
def test_a_unit_is_no_more_exposed_than_it_has_to_be(unit: Path) -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager"]
    most = round(MOST_EXPOSED[unit.stem] * 10)
    found = subprocess.run(
        [*command, f"--threshold={most}", unit], text=True, capture_output=True, check=False
    )
    assert found.returncode == 0, found.stdout


def test_systemd_understands_each_line_of_the_units(tmp_path: Path) -> None:
    for name in ("curlew-web", "curlew-runner"):
        (tmp_path / f"{name}.service.d").mkdir()
        shutil.copy(DEPLOY / "hosts" / "shared-folder.conf", tmp_path / f"{name}.service.d")
    for unit in (*WATCHED, *DASK):
        text = unit.read_text().replace("/opt/curlew/.venv/bin/curlew", "/bin/true")
        (tmp_path / unit.name).write_text(text)
    copies = [tmp_path / unit.name for unit in (*WATCHED, *DASK)]
    verify = ["systemd-analyze", "verify", "--man=no", *copies]
    found = subprocess.run(verify, text=True, capture_output=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("unit", [*UNITS, *DASK], ids=lambda unit: unit.name)
def test_a_service_says_when_it_is_ready_and_its_start_is_limited(unit: Path) -> None:
    text = unit.read_text()
    assert "\nType=notify\n" in text
    assert re.search(r"^StartLimitIntervalSec=10min\nStartLimitBurst=\d+$", text, re.M)


def test_systemd_listens_where_the_web_does_by_default() -> None:
    assert f"\nListenStream={example()['bind']}\n" in (DEPLOY / "curlew-web.socket").read_text()
    assert "\nRequires=curlew-web.socket\n" in (DEPLOY / "curlew-web.service").read_text()


def test_files_that_root_uses_are_where_only_root_writes() -> None:
    script = (DEPLOY / "install.sh").read_text()
    assert "install -d -m 0711 -o root -g root /var/lib/curlew-runner\n" in script
    assert "install -d -m 0750 -o root -g curlew /etc/curlew\n" in script
    assert 'chown root:curlew "$1.new"\n    chmod 0640 "$1.new"\n' in script
    for unit in UNITS:
        assert "--data" not in unit.read_text()


def test_what_is_installed_is_closed_to_strangers(tmp_path: Path) -> None:
    settings = tmp_path / "curlew.toml"
    settings.write_text((DEPLOY / "curlew.toml.example").read_text())
    (edit,) = re.findall(r"sed '([^']*registration[^']*)'", (DEPLOY / "install.sh").read_text())
    subprocess.run(["sed", "-i", edit, settings], check=True)
    assert load({}, data=str(tmp_path)).registration == "closed"


LOCKED = re.compile(r"^([a-z0-9._-]+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE)


def test_the_lock_has_every_library_in_its_range_and_nothing_without_digests() -> None:
    lock = (DEPLOY / "requirements.lock").read_text()
    versions = {name: version for name, version, _ in LOCKED.findall(lock)}
    assert re.sub(r"^#.*\n", "", LOCKED.sub("", lock), flags=re.MULTILINE).strip() == ""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    for line in filter(None, setup["options"]["install_requires"].split("\n")):
        need = Requirement(line)
        assert need.specifier.contains(versions[canonicalize_name(need.name)]), line


def test_the_installer_takes_nothing_but_the_lock() -> None:
    script = (DEPLOY / "install.sh").read_text()
    *libraries, program = re.findall(r"^pip install (.*)", script, re.M)
    assert all(words.startswith("--require-hashes ") for words in libraries)
    assert {"--no-deps", "--no-index", "--no-build-isolation"} <= set(program.split())
    # What comes as source is built by the setuptools of the lock, and not by whichever is newest.
    assert "setuptools.lock" in libraries[0] and "--no-build-isolation" in libraries[1]


def test_the_image_and_the_package_take_what_is_installed_by_the_script() -> None:
    command = [DEPLOY / "install-packages.sh", "list"]
    packages = set(subprocess.run(command, text=True, capture_output=True, check=True).stdout.split())
    containerfile = (DEPLOY / "Containerfile").read_text()
    (installed,) = re.findall(r"--no-install-recommends \\\n(.+?)\n    &&", containerfile, re.S)
    assert set(installed.replace("\\", " ").split()) <= packages
    assert set(re.findall(r"^COPY \S+ /src/(\w+)$", containerfile, re.M)) == set(PACKAGES)
    assert "--require-hashes" in containerfile
    assert "--require-hashes" in (DEPLOY / "package.sh").read_text()


def postfix_lines(name: str) -> list[str]:
    """What Postfix reads of a file that is handed to operators."""
    lines = (DEPLOY / "postfix" / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_a_first_try_in_containers_agrees_with_the_image_and_the_settings() -> None:
    tried = yaml.safe_load((ROOT / "compose.yaml").read_text())
    image = (DEPLOY / "Containerfile").read_text()
    stages = set(re.findall(r"^FROM .* AS (\w+)$", image, re.MULTILINE))
    kept = set(re.findall(r"^VOLUME (\S+)$", image, re.MULTILINE))
    ours = {name: one for name, one in tried["services"].items() if "build" in one}
    assert set(ours) == {"web", "render", "runner"}
    for one in ours.values():
        assert (ROOT / one["build"]["dockerfile"]).samefile(DEPLOY / "Containerfile")
        assert one["build"]["target"] in stages
        said = {name: value for name, value in one["environment"].items() if name.startswith("CURLEW_")}
        assert load({"CURLEW_DATA": "/nowhere", **said}).database_url.startswith(
            "postgresql://curlew:curlew@db/"
        )
        assert "data:/var/lib/curlew" in one["volumes"]
    assert kept == {"/var/lib/curlew", "/var/lib/curlew-runner"}
    assert "runner:/var/lib/curlew-runner" in ours["runner"]["volumes"]
    # Only what makes containers is privileged, and nothing can be reached from other machines.
    assert [name for name, one in tried["services"].items() if one.get("privileged")] == ["runner"]
    assert [port for one in tried["services"].values() for port in one.get("ports", [])] == [
        "127.0.0.1:8000:8000"
    ]


def test_the_files_for_postfix_are_those_that_the_chapter_shows() -> None:
    chapter = (ROOT / "handlers/reference/text/operating.md").read_text()
    shown = "\n".join([*postfix_lines("main.cf"), "", *postfix_lines("curlew-domains")])
    assert f"```text\n{shown}\n```\n" in chapter


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("acme.mail.example.org", True),
        ("sales@acme.mail.example.org", True),
        ("sales@deep.acme.mail.example.org", False),
        ("acme.mailxexample.org", False),
        ("sales@acme.mail.example.org.evil.test", False),
        ("mail.example.org", False),
        ("alice@mail.example.org", False),
    ],
)
def test_postfix_hands_on_the_domains_of_organisations_alone(address: str, taken: bool) -> None:
    lines = [re.split(r"\s+", line, maxsplit=1) for line in postfix_lines("curlew-domains")]
    found = [to for pattern, to in lines if re.search(pattern.strip("/"), address)]
    assert found == ([f"lmtp:inet:{example()['mail_in']}"] if taken else [])
    assert example()["mail_in_protocol"] == "lmtp"
