"""ImageStore: the port through which an image that one host built is run on another."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from chains.engine.port import EngineError


class ImageGone(EngineError):
    """The store does not have an image: whoever knows its commit builds it again."""


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
        """The images that the store has. Raises EngineAway, EngineError."""
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
        """No image: there is no store."""
        return ()

    def drop(self, image: str) -> None:
        """Do nothing: the builder forgets it."""
