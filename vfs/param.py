"""Typed keys of what a path leads through."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Param(Generic[T]):
    """A segment of a path that stands for many names; a place gives the value that was loaded for it."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


USER: Param[str] = Param("user")  # whose folder it is, and so who owns the items in it
