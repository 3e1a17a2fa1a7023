"""FakeBuilder: images that are the variables of their recipe, for FakeEngine to run."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping

from chains.engine.fake import Images
from chains.engine.port import BuildFailed, BuildOrder, Image


class FakeBuilder:
    """Builder without images: the variables of `ENV NAME=text` lines become the image's script.

    `FROM name` begins with those of an image that the order offers by that name. A line `RUN false` fails the
    build. Builds into `images`, which a FakeEngine may share; `orders` are those
    it was given.
    """

    def __init__(self, images: Images, seconds: float = 0.0) -> None:
        self._images = images
        self._seconds = seconds
        self._numbers = itertools.count(1)
        self._commits: dict[str, str | None] = {}
        self._repos: dict[str, int] = {}
        self._lock = threading.Lock()
        self.orders: list[BuildOrder] = []

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """As Builder.build."""
        self.orders.append(order)
        script: dict[str, str] = {}
        for number, line in enumerate((order.context / order.recipe).read_text().splitlines(), 1):
            tell(f"STEP {number}: {line}")
            word, _, rest = line.strip().partition(" ")
            if word == "FROM":
                script |= self._images.get(order.images.get(rest.partition(" ")[0], ""), {})
            if word == "ENV":
                name, _, text = rest.partition("=")
                script[name] = text.strip('"')
            if line.strip() == "RUN false":
                raise BuildFailed(f"Line {number} of {order.recipe} ended with exit code 1.")
        time.sleep(self._seconds)
        commit = next((value for name, value in order.labels.items() if name.endswith("commit")), None)
        with self._lock:
            id = f"image-{next(self._numbers)}"
            self._images[id] = self._images[order.tag] = script
            self._commits[id] = self._commits[order.tag] = commit
            if order.labels.get("curlew.repo", "").isdigit():
                self._repos[id] = int(order.labels["curlew.repo"])
        return Image(id, commit, 0)

    def find(self, image: str) -> Image | None:
        """As Builder.find."""
        with self._lock:
            return Image(image, self._commits.get(image), 0) if image in self._images else None

    def drop(self, image: str) -> None:
        """As Builder.drop."""
        with self._lock:
            self._images.pop(image, None)
            self._repos.pop(image, None)

    def repo_images(self) -> Mapping[str, int]:
        """As Builder.repo_images."""
        with self._lock:
            return dict(self._repos)
