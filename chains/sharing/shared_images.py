"""The port to share images that one host built and others run."""

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
    """A store that moves images between the engines of the hosts of one installation.

    An image is named by its engine's id, a digest of its configuration and layers: the same on every host, so
    a plan and a StepSpec can use it everywhere. All methods are thread-safe, and may be repeated after a
    failure.
    """

    def offer(self, image: str) -> None:
        """Make an image of this host's engine available to all others; it may be already.

        Raises EngineAway when the engine or the store does not answer, EngineError when it is refused.
        """

    def fetch(self, image: str) -> bool:
        """Make an image available in this host's engine; return True if it came from the store.

        An image with another id is dropped. Raises ImageGone when the store does not have it, EngineAway when
        the store does not answer, EngineError for another id.
        """

    def list_images(self) -> Collection[str]:
        """Return the images in the store. Raises EngineAway, EngineError."""

    def drop(self, image: str) -> None:
        """Remove an unused image from the store; it may be missing.

        The engines of the hosts keep it (Builder.drop). Raises EngineAway, EngineError.
        """


class LocalImages:
    """ImageStore of an installation with a single engine: nothing is moved."""

    def offer(self, image: str) -> None:
        """Do nothing: the host that runs steps has the image."""

    def fetch(self, image: str) -> bool:
        """Return False: an image that is missing here is in no store. The engine reports this."""
        return False

    def list_images(self) -> Collection[str]:
        """Return no image: there is no store."""
        return ()

    def drop(self, image: str) -> None:
        """Do nothing: the builder removes it."""


class FetchingEngine:
    """An engine that fetches missing images before another engine uses them.

    `missed` is called with an image that no store has.
    """

    def __init__(self, engine: Engine, images: ImageStore, missed: Callable[[str], object]) -> None:
        self._engine = engine
        self._images = images
        self._missed = missed
        self._known: set[str] = set()

    def prepare(self, spec: StepSpec) -> Handle:
        """Create the container (Engine.prepare); fetch an image again if it was removed meanwhile."""
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
        """Start as Engine.start does."""
        self._engine.start(handle)

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        """Wait as Engine.wait does."""
        return self._engine.wait(handle, tell)

    def stop(self, handle: Handle, grace: float) -> None:
        """Stop as Engine.stop does."""
        self._engine.stop(handle, grace)

    def remove(self, handle: Handle) -> None:
        """Remove as Engine.remove does."""
        self._engine.remove(handle)

    def command(self, spec: StepSpec) -> str:
        """Return the command as Engine.command does."""
        return self._engine.command(spec)

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        """Sweep as Engine.sweep does."""
        return self._engine.sweep(keep)


class OfferingBuilder:
    """A builder that uses another one: it fetches the images a recipe names, and shares the built image."""

    def __init__(self, builder: Builder, images: ImageStore) -> None:
        self._builder = builder
        self._images = images

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """Build, and share the image (Builder.build)."""
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
        """Find on this host as Builder.find does."""
        return self._builder.find(image)

    def drop(self, image: str) -> None:
        """Drop on this host as Builder.drop does."""
        self._builder.drop(image)

    def repo_images(self) -> Mapping[str, int]:
        """Return this host's images as Builder.repo_images does."""
        return self._builder.repo_images()
