"""What a hostile recipe tries, and what it gets: nothing of the host, of other repos, of the base store."""

from __future__ import annotations

import http.server
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from chains.engine.port import BuildFailed, BuildOrder, Line, Mount
from chains.podman.image_store import REPO_LABEL
from tests.kit.podman import Bench, texts

pytestmark = pytest.mark.podman

SECRET = "hunter2-private-source"


def attempt(bench: Bench, recipe: str, repo: int = 2) -> str:
    """All that a build says, its reason included when it failed."""
    context = bench.folder("hostile")
    (context / "Dockerfile").write_text(recipe)
    lines: list[str] = []
    try:
        bench.builder.build(BuildOrder(repo, context, "Dockerfile", f"hostile-{repo}", {}), lines.append)
    except BuildFailed as failed:
        lines.append(str(failed))
    return "\n".join(line for line in lines if not line.startswith("STEP "))


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A file of the host that root alone may read."""
    file = tmp_path / "host-marker"
    file.write_text(SECRET)
    file.chmod(0o600)
    return file


def test_a_link_under_a_bind_mount_leads_to_nothing_of_the_host(podman_bench: Bench, marker: Path) -> None:
    written = marker.with_name("written-by-build")
    said = attempt(
        podman_bench,
        "FROM localhost/busybox AS trap\nRUN ln -s / /rootlink\nFROM localhost/busybox\n"
        "RUN --mount=type=bind,from=trap,source=/rootlink,target=/host,rw "
        f"cat /host{marker}; echo x > /host{written}; cat /host/etc/shadow; echo tried\n",
    )
    assert SECRET not in said
    assert "root:" not in said
    assert not written.exists()


def test_a_cache_that_climbs_leads_to_nothing_of_the_host(podman_bench: Bench, marker: Path) -> None:
    up = "../" * 20
    written = marker.with_name("written-by-build")
    said = attempt(
        podman_bench,
        f"FROM localhost/busybox\nRUN --mount=type=cache,id={up}{marker.parent},target=/host "
        f"cat /host/{marker.name}; echo x > /host/{written.name}; echo tried\n",
    )
    assert SECRET not in said
    assert not written.exists()


@pytest.fixture(scope="module")
def private(podman_bench: Bench) -> str:
    """The id of an image of repo 4, which no other may see."""
    context = podman_bench.folder("private")
    (context / "main.py").write_text(SECRET)
    (context / "Dockerfile").write_text("FROM localhost/busybox\nCOPY main.py /app/\n")
    order = BuildOrder(4, context, "Dockerfile", "curlew/4:main", {REPO_LABEL: "4"})
    return podman_bench.builder.build(order, lambda line: None).id


@pytest.mark.parametrize(
    "recipe",
    [
        "FROM localhost/curlew/4:main\nRUN cat /app/main.py\n",
        "FROM curlew/4:main\nRUN cat /app/main.py\n",
        "FROM {id}\nRUN cat /app/main.py\n",
        "FROM sha256:{id}\nRUN cat /app/main.py\n",
        "FROM localhost/busybox\nCOPY --from={short} /app /stolen\nRUN cat /stolen/main.py\n",
        "FROM localhost/busybox\nRUN --mount=type=bind,from=localhost/curlew/4:main,source=/app,target=/s "
        "cat /s/main.py\n",
        "FROM containers-storage:localhost/curlew/4:main\nRUN cat /app/main.py\n",
        "ARG X=localhost/curlew/4:main\nFROM $X\nRUN cat /app/main.py\n",
    ],
)
def test_another_repos_image_is_not_there(podman_bench: Bench, private: str, recipe: str) -> None:
    said = attempt(podman_bench, recipe.format(id=private, short=private[:11]))
    assert SECRET not in said
    assert "could not be built" in said


@pytest.mark.parametrize("name", ["dir:/", "dir:{host}", "oci:{host}", "oci-archive:/etc/hostname",
                                  "docker-archive:/etc/hostname", "docker://127.0.0.1:1/x"])  # fmt: skip
def test_a_path_or_an_address_is_no_image(podman_bench: Bench, tmp_path: Path, name: str) -> None:
    said = attempt(podman_bench, f"FROM {name.format(host=tmp_path)}\nRUN id\n")
    assert "could not be built" in said
    assert "uid=" not in said


@pytest.fixture
def listener() -> Iterator[int]:
    """A port of the host's loopback at which a secret is served."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(SECRET.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_a_build_is_in_a_network_of_its_own(podman_bench: Bench, listener: int) -> None:
    said = attempt(
        podman_bench,
        "FROM localhost/busybox\n"
        "RUN for n in net pid; do readlink /proc/self/ns/$n; done; cat /proc/net/unix; "
        f"wget -T 2 -qO- http://127.0.0.1:{listener}/ || echo refused\n",
    )
    spaces = {os.readlink("/proc/self/ns/net"), os.readlink("/proc/self/ns/pid")}
    assert "refused" in said
    assert "net:[" in said
    assert not any(space in said for space in spaces)
    assert "@" not in said, "abstract sockets of the host"
    fetched = attempt(podman_bench, f"FROM localhost/busybox\nADD http://127.0.0.1:{listener}/ /x\n")
    assert "could not be built" in fetched


def test_a_cache_is_a_repos_own(podman_bench: Bench) -> None:
    mount = "RUN --mount=type=cache,target=/cache"
    attempt(podman_bench, f"FROM localhost/busybox\n{mount} echo poisoned > /cache/wheel\n", repo=21)
    said = attempt(podman_bench, f"FROM localhost/busybox\n{mount} cat /cache/wheel; echo looked\n", repo=22)
    assert "poisoned" not in said
    assert "looked" in said


def test_the_root_of_a_box_with_all_its_rights_does_not_change_the_shared_store(podman_bench: Bench) -> None:
    shop = podman_bench.builder.workshop
    ready = shop.ensure()
    lines: list[Line] = []
    ready.box.run(
        "mount -o remount,rw,bind /base; touch /base/x; mount -o remount,rw /base; touch /base/x; "
        "mount --bind /base /tmp; mount -o remount,rw,bind /tmp; touch /tmp/x; "
        "for f in /etc/containers/*; do mount -o remount,rw,bind $f; echo x >> $f; done; "
        "echo x > /run/podman-init; mknod /tmp/sda b 8 0; echo c > /proc/sysrq-trigger; id -u",
        (Mount(ready.base.place, "/base"), *ready.etc),
        shop.limits,
        tell=lines.append,
    )
    assert "0" in texts(lines)
    assert not (ready.base.place / "x").exists()
    assert all(mount.source.read_bytes()[-2:].strip() != b"x" for mount in ready.etc)
    with suppress(OSError):
        (ready.base.place / "x").touch()
        raise AssertionError("the base store can be written by the host's root even")


def test_no_store_is_a_link_that_a_build_left(podman_bench: Bench) -> None:
    """The host's root gives the store away at the next build."""
    shop = podman_bench.builder.workshop
    victim = podman_bench.folder("victim")
    contents = {shop.ensure().base.version}
    with shop.volumes.lend(23, contents) as volume:
        (volume.place / "store").symlink_to(victim)
        (volume.place / "context").symlink_to(victim)
    attempt(podman_bench, "FROM localhost/busybox\nRUN true\n", repo=23)
    assert victim.stat().st_uid == 0
    assert list(victim.iterdir()) == []


def test_what_a_build_was_shown_once_is_gone_when_it_may_not_see_it_any_more(
    podman_bench: Bench, private: str
) -> None:
    context = podman_bench.folder("shown")
    (context / "Dockerfile").write_text("FROM localhost/alice/words:main\nRUN cat /app/main.py\n")
    order = BuildOrder(24, context, "Dockerfile", "t", {}, {"localhost/alice/words:main": private})
    lines: list[str] = []
    podman_bench.builder.build(order, lines.append)
    assert SECRET in "".join(lines)
    assert SECRET not in attempt(podman_bench, (context / "Dockerfile").read_text(), repo=24)
