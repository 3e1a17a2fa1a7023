"""install.sh where steps run on several hosts: certificates, library, and units that it does not start."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from packaging.requirements import Requirement

from tests.test_deploy import DASK, DEPLOY, LOCKED

SCRIPT = (DEPLOY / "install.sh").read_text()


def test_the_web_cannot_read_what_the_scheduler_shows_to_workers() -> None:
    scheduler = (DEPLOY / "dask" / "curlew-scheduler.service").read_text()
    worker = (DEPLOY / "dask" / "curlew-worker.service").read_text()
    assert "\nDynamicUser=yes\n" in scheduler
    assert "\nLoadCredential=host.key:/etc/curlew/dask/host.key\n" in scheduler
    assert "\nExecStart=/opt/curlew/.venv/bin/curlew scheduler --config" in scheduler
    assert "\nExecStart=/opt/curlew/.venv/bin/curlew worker --config /etc/curlew/curlew.toml\n" in worker


def test_the_lock_for_several_hosts_adds_what_they_need_to_that_of_all() -> None:
    every, added = (
        {name: version for name, version, _ in LOCKED.findall((DEPLOY / place).read_text())}
        for place in ("requirements.lock", "dask/requirements.lock")
    )
    assert not set(every) & set(added)
    assert Requirement("distributed >=2026.8, <2027").specifier.contains(added["distributed"])
    assert added["dask"] == added["distributed"]


def test_certificates_are_roots_alone_wherever_they_came_from(tmp_path: Path) -> None:
    """The block of the script, on a folder as an operator may have copied it."""
    (block,) = re.findall(r'^\[ ! -d "\$certificates" \] \|\| \{\n.*?^\}\n', SCRIPT, re.MULTILINE | re.DOTALL)
    folder, away = tmp_path / "dask", tmp_path / "away"
    folder.mkdir(mode=0o755)
    (folder / "old").mkdir(mode=0o775)
    for place in (folder / "host.key", folder / "old" / "host.key", folder / "ca.pem", away):
        place.write_text("")
        place.chmod(0o664)
    (folder / "link.pem").symlink_to(away)
    subprocess.run(["chown", "-R", "daemon:daemon", folder], check=True)
    subprocess.run(["sh", "-euc", f"certificates={folder}\n{block}"], check=True)
    found = {
        path.name: (path.lstat().st_uid, path.lstat().st_gid, path.lstat().st_mode & 0o777)
        for path in (folder, folder / "old", *folder.rglob("*.key"), folder / "ca.pem")
    }
    private, file = (0, 0, 0o700), (0, 0, 0o600)
    assert found == {"dask": private, "old": private, "host.key": file, "ca.pem": file}
    assert away.stat().st_mode & 0o777 == 0o664, "nothing beyond the folder is touched"
    subprocess.run(["sh", "-euc", f"certificates={tmp_path}/absent\n{block}"], check=True)


def test_units_for_several_hosts_are_put_there_and_begun_by_the_operator() -> None:
    (far,) = re.findall(r'^far_units="(.+)"$', SCRIPT, re.M)
    assert set(far.split()) == {unit.name for unit in DASK}
    assert '[ ! -d "$certificates" ] || units="$units $far_units"\n' in SCRIPT
    assert 'case $far_units in *"$unit"*) from=$here/deploy/dask' in SCRIPT
    begins = re.findall(
        r"^.*systemctl (?:enable|start) .*(?:far_units|curlew-worker|scheduler).*$", SCRIPT, re.M
    )
    assert begins == ['[ "$worked" = no ] || systemctl start curlew-worker || why curlew-worker']
    # A worker's steps end before the scheduler does, and it begins under one of its own release.
    acts = ("stop curlew-worker", "try-restart curlew-scheduler", "start curlew-worker", "clean # by now")
    assert sorted(acts, key=SCRIPT.index) == list(acts)
