"""The programs by which recipes make users in images that are made here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chains.host.image_accounts import main
from chains.host.rootfs import PASSWD


class Image:
    """A folder that is an image's root."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "etc").mkdir()
        (root / "etc/passwd").write_text(PASSWD)
        (root / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")

    def run(self, line: str) -> int:
        """The exit code of a line of a recipe, without quotes."""
        return main([word.replace("''", "") for word in line.split()], self.root / "etc", self.root)

    def rows(self, name: str) -> list[str]:
        """The accounts or groups that were added."""
        return (self.root / "etc" / name).read_text().splitlines()[2:]


@pytest.fixture
def image(tmp_path: Path) -> Image:
    return Image(tmp_path)


@pytest.mark.parametrize(
    ("lines", "users", "groups"),
    [
        ("useradd app", ["app:x:1000:1000::/home/app:/bin/sh"], ["app:x:1000:"]),
        ("/usr/local/sbin/useradd -r app", ["app:x:999:999::/home/app:/bin/sh"], ["app:x:999:"]),
        (
            "useradd --create-home --uid 5 --shell /bin/bash -c x -d /app app",
            ["app:x:5:5:x:/app:/bin/bash"],
            ["app:x:5:"],
        ),
        ("useradd -mlNb /srv app", ["app:x:1000:100::/srv/app:/bin/sh"], []),
        (
            "groupadd -g 70 staff; groupadd -f staff; groupadd -r more; useradd -gstaff -Gmore, app",
            ["app:x:1000:70::/home/app:/bin/sh"],
            ["staff:x:70:", "more:x:999:app"],
        ),
        (
            "addgroup --gid 1000 staff; addgroup -S s; useradd app; adduser app staff; addgroup app staff",
            ["app:x:1001:1001::/home/app:/bin/sh"],
            ["staff:x:1000:app", "s:x:999:", "app:x:1001:"],
        ),
        (
            "groupadd -g 7 seven; useradd -u 7 app",
            ["app:x:7:1000::/home/app:/bin/sh"],
            ["seven:x:7:", "app:x:1000:"],
        ),
        (
            "adduser --disabled-password --gecos '' --home /nonexistent --shell /sbin/nologin "
            "--no-create-home --uid 10001 appuser",
            ["appuser:x:10001:10001::/nonexistent:/sbin/nologin"],
            ["appuser:x:10001:"],
        ),
        ("adduser --system app", ["app:x:999:65534::/nonexistent:/usr/sbin/nologin"], []),
        (
            "adduser --system --group app",
            ["app:x:999:999::/nonexistent:/usr/sbin/nologin"],
            ["app:x:999:"],
        ),
        (
            "addgroup -S app; adduser -S -D -H -h /app -G app app",
            ["app:x:998:999::/app:/usr/sbin/nologin"],
            ["app:x:999:"],
        ),
    ],
)
def test_users_and_groups_are_made_as_the_usual_programs_do(
    image: Image, lines: str, users: list[str], groups: list[str]
) -> None:
    assert [image.run(line) for line in lines.split(";")] == [0] * len(lines.split(";"))
    assert image.rows("passwd") == users
    assert image.rows("group") == groups


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("useradd nobody", "useradd: user 'nobody' already exists"),
        ("groupadd root", "groupadd: group 'root' already exists"),
        ("useradd -g nothing app", "useradd: group 'nothing' does not exist"),
        ("useradd -u x app", "useradd: 'x' is no number of a user or group"),
        ("useradd a:b", "useradd: 'a:b' is no name"),
        ("useradd --nonsense app", "useradd: option --nonsense not recognized"),
        ("useradd", "useradd: give exactly one name"),
        ("useradd a b", "useradd: give exactly one name"),
    ],
)
def test_what_cannot_be_is_said_and_changes_nothing(
    image: Image, line: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert image.run(line) == 1
    assert capsys.readouterr().err == f"{reason}\n"
    assert (image.rows("passwd"), image.rows("group")) == ([], [])


@pytest.mark.parametrize(
    ("line", "made"),
    [("useradd app", False), ("useradd -m app", True), ("adduser app", True), ("adduser -H app", False)],
)
def test_a_home_is_made_for_its_user_where_it_is_wanted(image: Image, line: str, made: bool) -> None:
    (image.root / "etc/group").unlink()
    assert image.run(line) == 0
    home = image.root / "home/app"
    assert home.exists() is made
    if made:
        assert (home.stat().st_uid, home.stat().st_gid) == (1000, 1000)
        assert os.access(home, os.X_OK)
