"""Images built upon images of other users, by a whole service with real boxes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from chains.podman.api import Podman
from chains.podman.image_store import PodmanImages
from handlers.__main__ import main
from handlers.processes.hosting.podman_host import host_of
from handlers.settings.sources import load
from tests.kit.command import Service, serving

pytestmark = pytest.mark.podman

SECRET = "heron-7"
WORDS = f"FROM localhost/busybox:latest\nRUN echo {SECRET} > /word\n"
UPON = """FROM @bob/words:main AS words
RUN cat /word
FROM localhost/busybox:latest
COPY --from=words /word /from-the-stage
COPY --from=@bob/words /word /copied
RUN --mount=type=bind,from=@bob/words:main,source=/,target=/seen cat /seen/word /copied
"""
SHARED = "/v1/code/repos/words/shared/@alice~x"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving("serve", tmp_path_factory.mktemp("served") / "data", NETWORK="none") as service:
        yield service


def pushed(service: Service, token: str, repo: str) -> str:
    """Return the error of a failed push of alice's, or else the log of the repo."""
    try:
        service.push("alice", token, repo, UPON)
    except SystemExit as failure:
        return str(failure)
    return service.want("GET", f"/v1/users/alice/code/repos/{repo}/log", token).decode()


def test_a_build_uses_an_image_while_it_may(service: Service, tmp_path: Path) -> None:
    alice, bob = service.user("alice"), service.user("bob")
    service.push("bob", bob, "words", WORDS)
    refused = pushed(service, alice, "before")
    service.want("PUT", SHARED, bob)
    built = pushed(service, alice, "meanwhile")
    service.want("DELETE", SHARED, bob)
    again = pushed(service, alice, "after")
    assert built.splitlines().count(SECRET) == 3, built
    assert "FROM @bob/words:main AS words" in built
    assert "curlew.invalid" not in built
    for said in (refused, again):
        assert "@alice may not use @bob/words:main" in said
        assert SECRET not in said


def test_a_missing_image_is_reported_and_built_again(service: Service) -> None:
    carol = service.user("carol")
    service.push("carol", carol, "echo", 'FROM localhost/busybox:latest\nCMD ["echo", "hello"]\n')
    service.want("PUT", "/v1/code/jobs/night", carol)
    service.want("POST", "/v1/code/jobs/night/config/chains", carol, b"echo")
    run = ("POST", "/v1/code/jobs/night/data", carol, b"{}", "application/json")
    service.want(*run)
    images = PodmanImages(Podman(host_of(load({}, data=str(service.folder))).socket))
    for image in images.repo_images():
        images.drop(image)
    images.close()
    status, said = service.ask(*run)
    assert status == 422
    assert b"the image @carol/echo:latest of step echo no longer exists" in said
    assert b"curlew repo rebuild @carol/echo" in said
    assert service.want("GET", "/v1/code/repos/echo/status", carol) == b"missing"
    words = ["repo", "rebuild", "@carol/echo", "--data", str(service.folder)]
    assert CliRunner().invoke(main, words).stdout.startswith("queued @carol/echo:main, @carol/echo:latest")
    deadline = time.monotonic() + 120
    while service.want("GET", "/v1/code/repos/echo/status", carol) != b"ready":
        assert time.monotonic() < deadline
        time.sleep(0.2)
    service.want(*run)
