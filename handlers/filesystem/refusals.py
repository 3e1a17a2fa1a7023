"""Errors of the kernel as errors of PyFilesystem2, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fs import errors

from vfs.errors import (
    Denied,
    Gone,
    Invalid,
    NoSpace,
    NotFound,
    TooLarge,
    Unauthenticated,
    Unsupported,
    VfsError,
    WrongMedia,
)

REFUSALS: Mapping[type[VfsError], type[errors.FSError]] = {
    NotFound: errors.ResourceNotFound,
    Gone: errors.ResourceNotFound,
    Denied: errors.PermissionDenied,
    Unauthenticated: errors.PermissionDenied,
    Unsupported: errors.ResourceReadOnly,
    Invalid: errors.ResourceInvalid,
    WrongMedia: errors.ResourceInvalid,
    TooLarge: errors.InsufficientStorage,
    NoSpace: errors.InsufficientStorage,
}


def refusal(path: str, error: VfsError) -> errors.FSError:
    """Return an error of the kernel as one of PyFilesystem2, with its sentence and the original error."""
    alike = (there for here, there in REFUSALS.items() if isinstance(error, here))
    kind: Any = next(alike, errors.ResourceError)
    converted: errors.FSError = kind(path, exc=error, msg=error.detail.replace("{", "{{").replace("}", "}}"))
    return converted


@contextmanager
def vfs_errors() -> Iterator[None]:
    """Raise errors of a file system as errors of the kernel."""
    try:
        yield
    except errors.FSError as error:
        cause = getattr(error, "exc", None)
        raise (cause if isinstance(cause, VfsError) else Invalid(str(error))) from error
