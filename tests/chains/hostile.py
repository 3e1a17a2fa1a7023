"""A host with things that hostile builds must not reach, and the builds at work on it."""

from __future__ import annotations

import itertools
import json
import os
import re
import socket
import stat
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chains.buildbox.box import BuildLimits
from chains.buildbox.builder import BoxBuilder
from chains.buildbox.workshop import Workshop
from chains.engine.port import BuildFailed, BuildOrder, Image, Network
from chains.host.host import HostSettings, PodmanHost
from chains.podman.api import Podman
from chains.podman.image_store import PodmanImages
from tests.chains.hostile_cases import Case, cases
from tests.chains.hostile_sources import offering
from tests.kit.podman import wipe

LIMITS = BuildLimits(memory=256 << 20, pids=150, seconds=25, disk=320 << 20, log=1 << 20)
FIRST_REPO = 100
BOBS_REPO = 4
SLEEPERS = frozenset(
    {
        "add-from-the-host",
        "killing-the-builder",
        "too-much-disk",
        "without-end",
    }
)
"""What waits for its limit, beside the two builds at a time that work."""

SECRETS = {
    name: f"{name}-{os.urandom(8).hex()}"
    for name in ("marker", "private", "cache", "listener", "socket", "pip", "proxy", "environment")
}
"""What is to be found nowhere in a build: a word for each thing that holds one."""

STEP = re.compile(r"(?:\[\d+/\d+\] )?STEP \d+/\d+: ")

LEFT = f"61{os.getpid():09}"
"""How long the processes sleep that are to outlive a build: by this number they are known."""


@dataclass
class Outcome:
    """How a build ended, and what it said."""

    lines: list[str] = field(default_factory=list)
    image: Image | None = None
    reason: str = ""

    @property
    def printed(self) -> str:
        """What the commands of the recipe wrote."""
        return "\n".join(line for line in self.lines if not STEP.match(line))

    @property
    def said(self) -> str:
        """The whole output for the pusher."""
        return "\n".join([*self.lines, self.reason])


class HostileBuilds:
    """A host with a file of root's, a listener, an abstract socket, and a private image of another user's."""

    def __init__(self, folder: Path, host: PodmanHost) -> None:
        self.host = host
        self.folder = folder / "guarded"
        self.folder.mkdir()
        self.marker = self.folder / "marker"
        self.marker.write_text(f"{SECRETS['marker']}\n")
        self.marker.chmod(0o600)
        self.reached: list[str] = []
        self._contexts = folder / "contexts"
        self._contexts.mkdir()
        self._pools = {True: ThreadPoolExecutor(2), False: ThreadPoolExecutor(2)}
        self._lock = threading.Lock()
        self._stack = ExitStack()
        self.port = self._listen()
        proxies = self._stack.enter_context(
            offering(self.port, SECRETS["pip"], SECRETS["proxy"], self.reached)
        )
        workshop = Workshop(host, Podman(host.socket), LIMITS, Network.OUTBOUND, proxies=proxies)
        workshop.clear()
        self.builder = BoxBuilder(workshop, PodmanImages(Podman(host.socket)))
        self.private = self._private()
        self.cases = cases(self._words())
        self._repos = itertools.count(FIRST_REPO)
        self._outcomes: dict[str, Future[Outcome]] = {}

    def outcome(self, name: str) -> Outcome:
        """How the build of a case ended; the first that is asked for begins them all."""
        if not self._outcomes:
            self._outcomes = {name: self.attempt(case, name in SLEEPERS) for name, case in self.cases.items()}
        return self._outcomes[name].result()

    def attempt(self, case: Case, sleeps: bool = False) -> Future[Outcome]:
        """Build a case as the first push to a separate repo."""
        return self._pools[sleeps].submit(self._attempt, next(self._repos), case)

    def build(self, repo: int, context: Path, images: dict[str, str] | None = None) -> Outcome:
        """Build a folder as a push to a repo does."""
        outcome = Outcome()
        labels = {"curlew.repo": str(repo), "curlew.commit": "c" * 40}
        order = BuildOrder(repo, context, "Dockerfile", f"curlew/{repo}:main", labels, images or {})
        try:
            outcome.image = self.builder.build(order, outcome.lines.append)
        except BuildFailed as failure:
            outcome.reason = str(failure)
        return outcome

    def recipe(self, repo: int, text: str, images: dict[str, str] | None = None) -> Outcome:
        """Build a recipe that stands alone."""
        return self.build(repo, self.context({"Dockerfile": text}), images)

    def context(self, files: dict[str, str]) -> Path:
        """A fresh folder with these files."""
        with self._lock:
            context = self._contexts / str(len(list(self._contexts.iterdir())))
            context.mkdir()
        for name, text in files.items():
            (context / name).write_text(text)
        return context

    def inspected(self, image: str) -> dict[str, Any]:
        """What Podman says about an image."""
        found: dict[str, Any] = json.loads(self.host.program.run("image", "inspect", image).stdout)[0]
        return found

    def own_files(self, image: str) -> Iterator[Path]:
        """The content of an image above the base image, as it is on the host."""
        base = set(_layers(self.inspected("localhost/python:3-slim")))
        for layer in _layers(self.inspected(image)):
            if layer not in base:
                for folder, folders, files in os.walk(layer):
                    yield from (Path(folder) / name for name in [*folders, *files])

    def left(self) -> list[str]:
        """What is left of builds that have ended: boxes, their disks where they were mounted, processes."""
        boxes = self.host.program.run("ps", "--all", "--external", "--format", "{{.Names}}").stdout.split()
        layout = self.host.folders
        places = [str(folder / "builds/volumes") for folder in (layout.folder, layout.state)]
        held = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
        for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
            with suppress(OSError):
                held.append(backing.read_text().strip())
        disks = [place for place in held if place.startswith(tuple(places))]
        sleepers = subprocess.run(
            ["pgrep", "-f", f"sleep {LEFT}"], capture_output=True, text=True, check=False
        )
        return [*boxes, *disks, *sleepers.stdout.split()]

    def close(self) -> None:
        """Let go of everything."""
        for pool in self._pools.values():
            pool.shutdown(cancel_futures=True)
        self.builder.close()
        self._stack.close()

    def _attempt(self, repo: int, case: Case) -> Outcome:
        context = self.context({})
        case.populate(context)
        return self.build(repo, context)

    def _listen(self) -> int:
        """Answer anyone who connects to a port of any address of this host, or to the abstract socket."""
        tcp = self._stack.enter_context(socket.create_server(("0.0.0.0", 0)))
        port: int = tcp.getsockname()[1]
        abstract = self._stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind("\0curlew-hostile-test")
        abstract.listen()
        six = self._stack.enter_context(socket.socket(socket.AF_INET6))
        six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        six.bind(("::1", port))
        six.listen()
        for listener in (tcp, abstract, six):
            threading.Thread(target=self._answer, args=(listener,), daemon=True).start()
        return port

    def _answer(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, peer = listener.accept()
                self.reached.append(f"{listener.family.name} {peer}")
                with connection:
                    word = SECRETS["socket" if listener.family is socket.AF_UNIX else "listener"]
                    connection.sendall(f"HTTP/1.0 200 OK\r\nContent-Length: 40\r\n\r\n{word:40}".encode())

    def _private(self) -> str:
        """The id of the image that another user made."""
        recipe = (
            "FROM localhost/python:3-slim\n"
            f"RUN --mount=type=cache,id=pip,target=/cache echo {SECRETS['cache']} > /cache/wheel\n"
            f"RUN echo {SECRETS['private']} > /secret\n"
        )
        made = self.recipe(BOBS_REPO, recipe)
        assert made.image is not None, made.said
        return made.image.id

    def _words(self) -> dict[str, str]:
        """What stands for what in the recipes."""
        store = self.host.program.run("info", "--format", "{{.Store.GraphRoot}}").stdout.strip()
        digest = self.inspected(self.private)["Digest"]
        return {
            "MARKER": str(self.marker),
            "FOLDER": str(self.folder),
            "PORT": str(self.port),
            "HOST": own_address(),
            "GATEWAY": str(self.host.bridge.gateway),
            "REPO": str(BOBS_REPO),
            "ID": self.private,
            "SHORT_ID": self.private[:12],
            "DIGEST": digest,
            "STORE": store,
            "SLEEP": LEFT,
        }


def found(text: bytes) -> list[str]:
    """The secrets that a text holds."""
    return [name for name, word in SECRETS.items() if word.encode() in text]


def _layers(inspected: dict[str, Any]) -> list[str]:
    data = inspected["GraphDriver"]["Data"]
    return [data["UpperDir"], *filter(None, data.get("LowerDir", "").split(":"))]


def own_address() -> str:
    """The address of this host's way out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


def odd(file: Path) -> str | None:
    """What makes a file of an image more than a file; None when nothing does."""
    found = file.lstat()
    mode = found.st_mode
    whiteout = stat.S_ISCHR(mode) and found.st_rdev == 0
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode) or whiteout):
        return f"{file} is of the kind {stat.filemode(mode)}"
    if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
        return f"{file} lends rights: {stat.filemode(mode)}"
    attributes = os.listxattr(file, follow_symlinks=False)
    strange = [name for name in attributes if not name.startswith("trusted.overlay.")]
    return f"{file} has attributes: {strange}" if strange else None


@contextmanager
def hostile_builds(folder: Path) -> Iterator[HostileBuilds]:
    """A host with things to reach, gone at the end of the block."""
    proxy = f"http://user:{SECRETS['proxy']}@127.0.0.1:9"
    hidden = {
        "PLANTED_SECRET": SECRETS["environment"],
        "PIP_INDEX_URL": f"http://user:{SECRETS['pip']}@127.0.0.1:9/simple/",
        "SSH_AUTH_SOCK": f"/{SECRETS['environment']}",
    }
    before = {name: os.environ.get(name) for name in hidden}
    os.environ.update(hidden)
    host = PodmanHost(HostSettings(folder=folder / "host", variables=dict.fromkeys(PROXIES, proxy)))
    builds = None
    try:
        host.ensure()
        builds = HostileBuilds(folder, host)
        yield builds
    finally:
        if builds is not None:
            builds.close()
        wipe(host)
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


PROXIES = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY")
