"""Images that one host built and others run: the port to them, and how they are kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

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


class ImageGone(EngineError):
    """The store does not have an image; it can be built again from its commit."""


class ImageStore(Protocol):
    """Moves images between the engines of the hosts of one installation.

    An image is known by its engine's id, which is the digest of what it is made of (its configuration with
    the digests of its layers): the same on every host, so a plan and a StepSpec name it everywhere. All
    methods may be called from several threads at once, and again after they failed.
    """

    def offer(self, image: str) -> None:
        """Have an image of this host's engine fetched by all others from now on; again is no error.

        Raises EngineAway when the engine or the store does not answer, EngineError when it is refused.
        """
        ...

    def fetch(self, image: str) -> bool:
        """Have an image in this host's engine: at once where it is there, else from the store (True).

        What came is that image, compared by its id, or is dropped again. Raises ImageGone when the store does
        not have it, EngineAway when the store does not answer, EngineError when something else came.
        """
        ...

    def list_images(self) -> Collection[str]:
        """Return the images that the store has. Raises EngineAway, EngineError."""
        ...

    def drop(self, image: str) -> None:
        """Let the store forget an image that nothing names any more; it need not be there.

        The engines of the hosts are no matter of it (Builder.drop). Raises EngineAway, EngineError.
        """
        ...


class LocalImages:
    """ImageStore of an installation whose only engine is this host's: nothing is moved, nothing is paid."""

    def offer(self, image: str) -> None:
        """Do nothing: who runs steps has the image."""

    def fetch(self, image: str) -> bool:
        """Do nothing: what is missing here is nowhere, and the engine says so."""
        return False

    def list_images(self) -> Collection[str]:
        """Return no image: there is no store."""
        return ()

    def drop(self, image: str) -> None:
        """Do nothing: the builder forgets it."""


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
