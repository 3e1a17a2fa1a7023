"""A model of the layout language written apart: the rules asked of every cut of every box."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

Canvas = list[list[str]]
SECOND = "\ud800"  # stands in the second column of a wide character


class Broken(Exception):
    """The drawing keeps to no rule."""


def model(text: str) -> Any:
    """The boxes of a drawing as nested tuples `(kind, width, height, floating, said, children)`."""
    said = cropped([columns(line) for line in re.split("\r\n|\r|\n", text)])
    return Model(said).solve(0, len(said) - 1, 0, len(said[0]) - 1) if said else None


def columns(line: str) -> list[str]:
    """What stands in each column of a terminal, with the marks on it."""
    found: list[str] = []
    for character in line:
        if character == "\t":
            found += [" "] * (8 - len(found) % 8)
        elif unicodedata.category(character) in ("Mn", "Me", "Cf"):
            if found and unicodedata.category(character) != "Cf":
                found[-1] += character
        else:
            found.append(" " if character.isspace() else character)
            if unicodedata.east_asian_width(character) in ("W", "F"):
                found.append(" " if character.isspace() else SECOND)
    return found


def blank(cells: list[str]) -> bool:
    return all(cell[0] == " " for cell in cells)


def cropped(rows: Canvas) -> Canvas:
    """The drawing without the blanks around it."""
    while rows and blank(rows[0]):
        rows = rows[1:]
    while rows and blank(rows[-1]):
        rows = rows[:-1]
    while rows and all(blank(row[:1]) for row in rows):
        rows = [row[1:] for row in rows]
    canvas = []
    for row in rows:
        while row and blank(row[-1:]):
            row = row[:-1]
        canvas.append(row)
    return canvas


class Model:
    """One drawing: what is said in each column, and the lines among it."""

    def __init__(self, said: Canvas) -> None:
        self.said = said
        self.drawn = [[cell[0] for cell in row] for row in said]
        for number, row in enumerate(self.drawn):
            if len(row) != len(said[0]):
                raise Broken
            if number in (0, len(said) - 1):
                if any(cell not in ("+", "-") for cell in row) or (row[0], row[-1]) != ("+", "+"):
                    raise Broken
            elif row[0] not in ("|", "+") or row[-1] not in ("|", "+"):
                raise Broken

    def solve(self, top: int, bottom: int, left: int, right: int) -> Any:
        """A box between four border lines."""
        if bottom - top < 2 or right - left < 2:
            raise Broken
        rows, across = range(top + 1, bottom), range(left + 1, right)
        drawn, size = self.drawn, (right - left, bottom - top)
        lying = [y for y in rows if all(drawn[y][x] in ("-", "+") for x in across)]
        standing = [x for x in across if all(drawn[y][x] in ("|", "+") for y in rows)]
        fixed = [y for y in lying if drawn[y][left] != "|" and drawn[y][right] != "|"]
        if fixed or (lying and not standing):
            cuts = [top, *(fixed or lying), bottom]
            parts = [self.solve(*cuts[at : at + 2], left, right) for at in range(len(cuts) - 1)]
            return ("column", *size, not fixed, None, parts)
        if standing:
            cuts = [left, *standing, right]
            parts = [self.solve(top, bottom, *cuts[at : at + 2]) for at in range(len(cuts) - 1)]
            return ("row", *size, False, None, parts)
        for y in rows:
            refuse_loose([drawn[y][x] for x in across], ("-", "+"))
        for x in across:
            refuse_loose([drawn[y][x] for y in rows], ("|", "+"))
        said = "".join(self.said[y][x].lstrip(SECOND) for y in rows for x in across)
        return ("cell", *size, False, instruction(said), [])


def refuse_loose(line: list[str], mark: tuple[str, str]) -> None:
    """A line that begins at an edge, or is alone in its row or column, was to be a divider."""
    alone = all(cell in ("-", "|", "+", " ") for cell in line)
    pairs = any(line[at] in mark and line[at + 1] in mark for at in range(len(line) - 1))
    if line[0] in mark or line[-1] in mark or (alone and pairs):
        raise Broken


def instruction(said: str) -> tuple[str, str] | None:
    """Label and position of a cell."""
    bare = "".join(character for character in said if character not in "-|+" and not character.isspace())
    if not bare:
        return None
    if len(bare) < 3 or bare[0] != "{" or bare[-1] != "}" or any(one in "{}" for one in bare[1:-1]):
        raise Broken
    label, _, position = bare[1:-1].partition(":")
    if not label.isalnum():
        raise Broken
    names = {"": "middle", "^": "top", "v": "bottom"}
    return (label, names[position]) if position in names else None
