"""An image that the store of all hosts lacks is built again from its commit; on one host it is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from handlers.processes.runner import note_loss
from handlers.settings.settings import Settings
from tests.kit.service import SECONDS, open_service


@pytest.mark.parametrize("registry", ["", "http://127.0.0.1:1/curlew"])
def test_an_image_that_even_the_registry_lacks_is_built_again(tmp_path: Path, registry: str) -> None:
    settings = Settings(data=str(tmp_path), registration="open", registry_url=registry)
    with open_service(settings) as app:
        app.push("alice/count", {"Containerfile": "FROM scratch\n"})
        repo, builds = app.item("repo", "alice/count").id, app.world.code.builds
        first, image = builds.latest(repo), builds.image(repo, "main")
        assert first is not None and image is not None and not image.missing
        lost: set[str] = set()
        for _ in range(2):  # two steps miss it at once
            note_loss(app.world, lost, image.image)
        assert lost == {image.image}
        again = builds.latest(repo)
        assert again is not None
        assert (again.id > first.id) is bool(registry)
        list(builds.follow(again.id, SECONDS))
        newest, made = builds.latest(repo), builds.image(repo, "main")
        assert newest is not None and made is not None
        assert newest.id == again.id
        assert made.missing is not bool(registry)
        assert made.commit == image.commit
