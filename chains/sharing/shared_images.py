"""An engine and a builder whose images come from, and go to, the other hosts of an installation."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chains.engine.port import (
    Builder,
    BuildFailed,
    BuildOrder,
    Engine,
    EngineAway,
    EngineError,
    Exit,
    Handle,
    Image,
    Line,
    StepSpec,
)
from chains.sharing.image_store import ImageGone, ImageStore


class FetchingEngine:
    """Engine over another, which fetches an image that this host has not seen yet before it is used.

    `missed` is told of an image that is nowhere.
    """

    def __init__(self, engine: Engine, images: ImageStore, missed: Callable[[str], object]) -> None:
        self._engine = engine
        self._images = images
        self._missed = missed
        self._known: set[str] = set()

    def prepare(self, spec: StepSpec) -> Handle:
        """Create the container (Engine.prepare); an image that went meanwhile is fetched again."""
        if spec.image not in self._known:
            self._fetch(spec)
        try:
            return self._engine.prepare(spec)
        except EngineAway:
            raise
        except EngineError:
            self._known.discard(spec.image)
            if not self._fetch(spec):
                raise
        return self._engine.prepare(spec)

    def _fetch(self, spec: StepSpec) -> bool:
        try:
            has_come = self._images.fetch(spec.image)
        except ImageGone as error:
            self._missed(spec.image)
            raise EngineError(spec.image_gone) from error
        self._known.add(spec.image)
        return has_come

    def start(self, handle: Handle) -> None:
        """As Engine.start."""
        self._engine.start(handle)

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        """As Engine.wait."""
        return self._engine.wait(handle, tell)

    def stop(self, handle: Handle, grace: float) -> None:
        """As Engine.stop."""
        self._engine.stop(handle, grace)

    def remove(self, handle: Handle) -> None:
        """As Engine.remove."""
        self._engine.remove(handle)

    def command(self, spec: StepSpec) -> str:
        """As Engine.command."""
        return self._engine.command(spec)

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        """As Engine.sweep."""
        return self._engine.sweep(keep)


class OfferingBuilder:
    """Builder over another: what a recipe names is fetched, and an image is done when all can have it."""

    def __init__(self, builder: Builder, images: ImageStore) -> None:
        self._builder = builder
        self._images = images

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """Build, and offer the image (Builder.build)."""
        try:
            for named in set(order.images.values()):
                self._images.fetch(named)
        except ImageGone as error:
            raise BuildFailed(f"an image that the recipe begins with is gone: {error}") from error
        image = self._builder.build(order, tell)
        try:
            self._images.offer(image.id)
        except EngineAway:
            raise
        except EngineError as error:
            raise BuildFailed(str(error)) from error
        return image

    def find(self, image: str) -> Image | None:
        """As Builder.find, on this host."""
        return self._builder.find(image)

    def drop(self, image: str) -> None:
        """As Builder.drop, on this host."""
        self._builder.drop(image)

    def repo_images(self) -> Mapping[str, int]:
        """As Builder.repo_images, on this host."""
        return self._builder.repo_images()
