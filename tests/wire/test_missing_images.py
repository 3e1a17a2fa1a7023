"""Images that are gone from the store: what is reported of them, and how they come back."""

from __future__ import annotations

import json

from click.testing import CliRunner, Result

from handlers.__main__ import main
from tests.kit.client import Answer
from tests.kit.service import Application

REPO = "/v1/code/repos/count"
RECIPE = {"Containerfile": "FROM scratch\nENV WRITE=counts.txt=3"}


def ask(service: Application, method: str, path: str, body: str = "", **more: str) -> Answer:
    headers = [("Authorization", f"Bearer {service.user('alice')}"), *more.items()]
    media = "application/json" if body.startswith("{") else "text/plain"
    return service.call(method, path, [*headers, ("Content-Type", media)] if body else headers, body.encode())


def text(service: Application, path: str) -> str:
    return ask(service, "GET", path, Accept="text/plain").body.decode()


def operate(service: Application, *words: str) -> Result:
    """The operator's command on the folder of the service."""
    settings = service.world.service.settings
    found = {"CURLEW_DATA": settings.data, "CURLEW_DATABASE_URL": settings.database}
    return CliRunner().invoke(main, ["repo", *words], env=found)


def lose_all(service: Application) -> None:
    """A store that has no image, as after a restore; the runner looks when it starts."""
    assert service.engine._images is not None
    service.engine._images.clear()  # type: ignore[attr-defined]
    service.world.code.builds.note_store(lambda: ())


def await_builds(service: Application) -> None:
    builds, repo = service.world.code.builds, service.item("repo", "alice/count").id
    newest = builds.latest(repo)
    assert newest is not None
    list(builds.follow(newest.id, 60))


def built(service: Application) -> dict[str, str | None]:
    rows = json.loads(ask(service, "GET", f"{REPO}/labels", Accept="application/json").body)
    return {row["label"]: row["built"] for row in rows}


def test_an_image_that_is_gone_is_promised_nowhere_and_comes_back(service: Application) -> None:
    service.push("alice/count", RECIPE)
    sha = built(service)["main"]
    assert text(service, f"{REPO}/status") == "ready"
    assert ask(service, "PUT", "/v1/code/jobs/night").status == 201
    assert ask(service, "POST", "/v1/code/jobs/night/config/chains", "count").status == 200
    assert operate(service, "rebuild", "--all").stdout.startswith("nothing is queued")
    lose_all(service)
    assert text(service, f"{REPO}/status") == "missing"
    assert built(service) == {"latest": None, "main": None}
    assert text(service, f"{REPO}/labels") == f"latest\t{sha}\tmissing\nmain\t{sha}\tmissing\n"
    assert "missing: the image store has no latest, main any more" in text(service, f"{REPO}/log")
    refused = ask(service, "POST", "/v1/code/jobs/night/data", "{}")
    assert refused.status == 422
    assert b"the image @alice/count:latest of step count no longer exists" in refused.body
    assert b"curlew repo rebuild @alice/count" in refused.body
    (row,) = json.loads(operate(service, "list", "--json").stdout)
    assert row["build"] == "missing"
    assert operate(service, "rebuild", "@alice/count").stdout == (
        f"queued @alice/count:main, @alice/count:latest from {str(sha)[:7]}, as pushed by @alice\n"
    )
    await_builds(service)
    assert text(service, f"{REPO}/status") == "ready"
    assert built(service) == {"latest": sha, "main": sha}
    assert ask(service, "POST", "/v1/code/jobs/night/data", "{}").status in (200, 204)


def test_who_may_write_has_it_built_again_by_the_status(service: Application) -> None:
    service.push("alice/count", RECIPE)
    lose_all(service)
    said = ask(service, "POST", f"{REPO}/status", "building")
    assert (said.status, said.body) == (
        202,
        b"building count:main, count:latest again; see its log\n",
    )
    await_builds(service)
    assert text(service, f"{REPO}/status") == "ready"


def test_wrong_names_and_kept_images_are_reported(service: Application) -> None:
    service.push("alice/count", RECIPE)
    assert operate(service, "rebuild").exit_code == 2
    assert operate(service, "rebuild", "--all", "@alice/count").exit_code == 2
    assert "there is no repo @alice/none" in operate(service, "rebuild", "@alice/none").stderr
    assert operate(service, "rebuild", "--all", "--every").stdout.startswith("queued @alice/count:main")
    await_builds(service)
    lose_all(service)
    assert ask(service, "POST", f"{REPO}/config/type", "code").status == 200
    assert operate(service, "rebuild", "--all").stdout.startswith("nothing is queued")


def test_a_repo_whose_last_branch_is_gone_is_empty(service: Application) -> None:
    service.push("alice/count", RECIPE)
    repositories = service.world.code.repositories
    item = service.item("repo", "alice/count").id
    repositories.git.run(repositories.path(item), "update-ref", "-d", "refs/heads/main")  # type: ignore[attr-defined]
    assert text(service, f"{REPO}/status") == "empty"
    assert built(service) == {}
