"""Each process closes the data folder to others, but for the way that Podman opens for steps."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from handlers.processes.world import open_world
from handlers.settings.sources import load
from storage.upkeep.installation_mark import NAME
from vfs.errors import Conflict, Unavailable


@pytest.mark.parametrize("before, after", [(None, 0o700), (0o755, 0o711), (0o770, 0o710), (0o711, 0o711)])
def test_others_may_pass_through_and_nothing_more(tmp_path: Path, before: int | None, after: int) -> None:
    folder = tmp_path / "data"
    if before is not None:
        folder.mkdir()
        folder.chmod(before)
    with open_world(load({}, data=str(folder))):
        assert stat.S_IMODE(folder.stat().st_mode) == after


@pytest.mark.parametrize("kept", ["blobs/ab/cd/abcd", "repos/7.git/HEAD"])
@pytest.mark.parametrize("how", ["is not there", "is empty"])
def test_a_folder_with_contents_is_not_opened_with_a_new_database(
    tmp_path: Path, kept: str, how: str
) -> None:
    settings = load({}, data=str(tmp_path))
    with open_world(settings):
        pass
    (tmp_path / kept).parent.mkdir(parents=True)
    (tmp_path / kept).write_text("something")
    with open_world(settings):
        pass
    for file in tmp_path.glob("curlew.db*"):
        file.unlink()
    if how == "is empty":
        (tmp_path / "curlew.db").touch()
    with pytest.raises(Unavailable, match="put the database back") as refused, open_world(settings):
        pass
    assert f"/curlew.db {how}: " in refused.value.detail
    assert (tmp_path / kept).read_text() == "something"
    assert (tmp_path / "curlew.db").exists() == (how == "is empty")


def test_nothing_starts_between_the_folder_of_one_and_the_database_of_another(tmp_path: Path) -> None:
    for name in ("one", "other"):
        with open_world(load({}, data=str(tmp_path / name))):
            pass
    database = {"CURLEW_DATABASE_URL": f"sqlite:///{tmp_path}/one/curlew.db"}
    settings = load(database, data=str(tmp_path / "other"))
    with pytest.raises(Conflict) as refusal, open_world(settings):
        pass
    for named in (str(tmp_path / "other"), str(tmp_path / "one/curlew.db")):
        assert named in refusal.value.detail
    (tmp_path / "other" / NAME).write_text((tmp_path / "one" / NAME).read_text())
    with open_world(settings):
        pass
