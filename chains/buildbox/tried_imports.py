"""Tries the top-level imports of a program, with the Python of an image, version 3.7 or later.

The program is read and not run. Its own modules are read in turn, others are imported. Each import that fails
is one line of JSON on standard output, after a mark.
"""

from __future__ import annotations

import ast
import glob
import importlib
import json
import os
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder

MARK = "curlew-import "
LARGEST, MOST_FILES = 1 << 20, 500
CATCHES = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException")
UNOPENED = ": cannot open shared object file"


class TriedProgram:
    """A program: the folders of its modules, and the imports found in them."""

    def __init__(self, folders: list[str]) -> None:
        self.folders = folders
        self.own = own_names()
        self.read: set[str] = set()
        self.wanted: dict[tuple[str, tuple[str, ...]], str] = {}
        self.changes_path = False

    def follow(self, file: str, package: str = "") -> None:
        """Read a file of the program, and the program's own modules that it imports."""
        real = os.path.realpath(file)
        if real in self.read or len(self.read) >= MOST_FILES or os.path.getsize(real) > LARGEST:
            return
        self.read.add(real)
        with open(real, "rb") as opened:
            tree = ast.parse(opened.read(), file)
        self.changes_path |= any(
            isinstance(node, ast.Attribute) and node.attr in ("path", "addsitedir")
            and isinstance(node.value, ast.Name) and node.value.id in ("sys", "site")
            for node in ast.walk(tree)
        )  # fmt: skip
        for node in at_the_top(tree.body):
            where = f"{os.path.relpath(file)}, line {node.lineno}"
            for module, names in wanted_by(node, package):
                self._look_up(module, names, where)

    def _look_up(self, module: str, names: list[str], where: str) -> None:
        if not module or module == "__future__":
            return
        found = self._files(module)
        if found is None:
            self.wanted.setdefault((module, tuple(names)), where)
            return
        for name in names:
            found += self._files(f"{module}.{name}") or []
        for file, package in found:
            self.follow(file, package)

    def _files(self, module: str) -> list[tuple[str, str]] | None:
        """Return the files that an import of the program's own module reads, with their packages, or None."""
        path, package = self.folders, ""
        files: list[tuple[str, str]] = []
        for part in module.split("."):
            top = not package
            spec = PathFinder.find_spec(part, path)
            if top and spec is None and part in self.own:
                spec = PathFinder.find_spec(part, sys.path)
            if spec is None:
                return None if top else files
            places = list(spec.submodule_search_locations or ())
            inside = package
            package = f"{package}.{part}" if package else part
            if spec.origin and spec.origin.endswith(".py"):
                files.append((spec.origin, package if places else inside))
            elif not places:
                return None if top else files
            path = places
        return files


def own_names() -> set[str]:
    """Return the names of modules installed from a folder of the image, such as by pip install ."""
    names: set[str] = set()
    for folder in sys.path:
        for url_file in glob.glob(os.path.join(folder, "*.dist-info", "direct_url.json")):
            with open(url_file) as opened:
                is_local = "dir_info" in json.load(opened)
            record = os.path.join(os.path.dirname(url_file), "RECORD")
            if is_local and os.path.exists(record):
                with open(record) as opened:
                    names |= {line.split("/")[0].split(".py,")[0] for line in opened}
    return names


def at_the_top(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that always run when the module runs."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, (ast.With, ast.ClassDef)) or (isinstance(node, ast.If) and is_main(node.test)):
            yield from at_the_top(node.body)
        elif isinstance(node, ast.Try):
            if not any(map(catches, node.handlers)):
                yield from at_the_top(node.body)
                yield from at_the_top(node.orelse)
            yield from at_the_top(node.finalbody)


def is_main(test: ast.expr) -> bool:
    """Return whether a condition tests that the module is the main program."""
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def catches(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler catches a failed import."""
    if handler.type is None:
        return True
    names = [node for node in ast.walk(handler.type) if isinstance(node, (ast.Name, ast.Attribute))]
    return any((getattr(node, "id", None) or getattr(node, "attr", None)) in CATCHES for node in names)


def wanted_by(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the modules that an import names, each with the names imported from it."""
    if isinstance(node, ast.Import):
        for name in node.names:
            yield name.name, []
        return
    module = node.module or ""
    if node.level:
        base = package.split(".")[: len(package.split(".")) - node.level + 1] if package else []
        module = ".".join([*base, module] if module else base)
    yield module, [name.name for name in node.names if name.name != "*"]


def attempt(module: str, names: tuple[str, ...]) -> Exception | None:
    """Import a module and names from it. Return the error if it fails."""
    try:
        found = importlib.import_module(module)
        for name in names:
            if not hasattr(found, name):
                try:
                    importlib.import_module(f"{module}.{name}")
                except ModuleNotFoundError:
                    raise ImportError(f"cannot import name {name!r} from {module!r}") from None
    except (ImportError, OSError) as error:
        return error
    except BaseException:
        # It needs something that only a run has, such as a variable.
        return None
    return None


def describe(error: BaseException, module: str) -> dict[str, str] | None:
    """Describe an error by its first cause that names a library or a module."""
    chain: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in chain:
        chain.append(following)
        following = following.__cause__ or following.__context__
    for one in chain:
        words = str(one).partition(UNOPENED)
        if words[1] and words[0].split():
            return {"module": module, "library": os.path.basename(words[0].split()[-1])}
    for one in chain:
        if isinstance(one, ModuleNotFoundError) and one.name:
            return {"module": module, "missing": one.name}
    if not isinstance(error, ImportError):
        return None
    return {"module": module, "why": str(error).strip().split("\n")[0]}


def program_file(kind: str, word: str) -> str | None:
    """Return the file of a program given by its path or, with -m, by its name; None if there is none."""
    if kind == "-m":
        sys.path.insert(0, os.getcwd())
        spec = PathFinder.find_spec(word.split(".", maxsplit=1)[0], sys.path)
        if spec is None:
            return None
        folder = list(spec.submodule_search_locations or ())
        path = os.path.join(folder[0], *word.split(".")[1:]) if folder else spec.origin or ""
        tried = [path, path + ".py", os.path.join(path, "__main__.py")]
    else:
        tried = [word, os.path.join(word, "__main__.py")]
        sys.path.insert(0, os.path.dirname(os.path.abspath(word)))
    return next((file for file in tried if os.path.isfile(file)), None)


def main(kind: str, word: str) -> None:
    """Try the imports of the program, and print those that fail."""
    sys.path[:] = [folder for folder in sys.path if folder]
    out, nothing = os.dup(1), os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    file = program_file(kind, word)
    if file is None:
        return
    program = TriedProgram(sys.path[:1])
    package = ".".join(word.split(".")[:-1]) if kind == "-m" and not file.endswith("__main__.py") else word
    program.follow(file, package if kind == "-m" else "")
    for (module, names), where in program.wanted.items():
        error = attempt(module, names)
        failure = describe(error, module) if error is not None else None
        elsewhere = program.changes_path and failure and failure.get("missing") == module.split(".")[0]
        if failure and not elsewhere:
            os.write(out, (MARK + json.dumps(dict(failure, where=where)) + "\n").encode())
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:3])
