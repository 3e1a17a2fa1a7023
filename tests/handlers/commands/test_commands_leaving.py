"""`curlew export` and `curlew user remove`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.handlers.commands.backups.scene import Hand, Tokens, populate, settings_of
from tests.kit.commands import curlew, done
from tests.kit.service import Application, open_service


def friends(app: Application) -> Tokens:
    """Alice comments bobby's document, and he follows and trusts her."""
    tokens = populate(app)
    alice, bobby = Hand(app, "alice"), Hand(app, "bobby")
    bobby.do("PUT", "vis/docs/trees")
    bobby.do("POST", "vis/docs/trees/content", b"of bobby")
    bobby.do("PUT", "vis/docs/trees/shared/@alice~rw")
    bobby.do("PUT", "admin/groups/club")
    bobby.do("PUT", "admin/groups/club/roles/members/alice")
    alice.do("PUT", "users/bobby/vis/docs/trees/threads/hello")
    alice.do("POST", "users/bobby/vis/docs/trees/threads/@alice~hello/msg", b"what alice said")
    alice.do("PUT", "users/bobby/vis/docs/trees/tags/fav")
    return tokens


def test_an_account_is_written_down_and_removed(url: str | None, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with open_service(settings_of(data, url)) as app:
        tokens = friends(app)
    said = done("export", "alice", tmp_path / "alice", "--data", data, url=url)
    assert "all that alice has" in said.stdout
    mine = tmp_path / "alice/users/alice"
    assert (mine / "code/spaces/field/content/b.txt").read_text() == "b"
    assert "Birds" in (mine / "vis/docs/birds/content").read_text()
    (comment,) = map(json.loads, (tmp_path / "alice/comments.jsonl").read_text().splitlines())
    assert (comment["owner"], comment["name"], comment["text"]) == ("bobby", "trees", "what alice said")
    bundle = tmp_path / "alice/repos/first.bundle"
    subprocess.run(["git", "clone", "-q", bundle, tmp_path / "clone"], check=True)
    assert (tmp_path / "clone/Containerfile").exists()
    assert curlew("export", "alice", tmp_path / "alice", "--data", data, url=url).exit_code == 1

    assert "would lose: " in done("user", "remove", "alice", "--data", data, url=url).stdout
    with open_service(settings_of(data, url)) as app:
        app._tokens.update(tokens)
        done("user", "remove", "alice", "--yes", "--data", data, url=url)
        people = app.world.people
        gone = people.users.find("alice")
        assert gone is not None
        assert (gone.locked, gone.public, gone.email) == (True, False, None)
        assert people.tokens.of("alice") == []
        assert not app.world.leaves.versions.below(gone.item, "", 9)
        assert (
            app.call("GET", "/v1/vis", [("Authorization", f"Bearer {app.user('alice')}")], b"").status == 401
        )
        for kind in app.world.service.kinds:
            assert not list(app.world.items.visible(kind, "alice", "alice"))
        assert people.groups.find("@alice~team", None) is None
        assert people.members.find("@bobby~club", "alice") is None
        assert not list((data / "repos").glob("*.git"))
        bobby = Hand(app, "bobby")
        assert b"@alice" not in bobby.do("GET", "vis/docs/trees/shared")
        assert b"what alice said" not in bobby.do("GET", "vis/docs/trees/threads")
        assert bobby.do("GET", "vis/docs/trees/content") == b"of bobby"
    assert curlew("user", "add", "alice", "--data", data, url=url).exit_code == 1


def test_a_group_of_others_is_not_taken_from_them(tmp_path: Path) -> None:
    with open_service(settings_of(tmp_path, None)) as app:
        friends(app)
        app.world.people.members.accept("@bobby~club", "alice")
    refused = curlew("user", "remove", "bobby", "--yes", "--data", tmp_path)
    assert refused.exit_code == 1
    assert "@bobby~club has other members, such as alice" in refused.stderr
    done("user", "remove", "bobby", "--yes", "--with-groups", "--data", tmp_path)
    assert curlew("user", "remove", "nobodyatall", "--yes", "--data", tmp_path).exit_code == 1
