"""Typed keys of the variable segments of a path."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Param(Generic[T]):
    """A variable segment of a path. A context maps it to the value that was loaded for it."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


USER: Param[str] = Param("user")  # the owner of the folder, and so of the items in it
