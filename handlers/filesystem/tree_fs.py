"""The tree of one caller as a file system of PyFilesystem2, read and written through the kernel."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO, cast

from fs import errors
from fs.base import FS
from fs.enums import ResourceType
from fs.info import Info
from fs.mode import Mode
from fs.osfs import OSFS
from fs.path import basename, dirname, iteratepath, join
from fs.permissions import Permissions
from fs.subfs import SubFS

from handlers.filesystem.open_file import FileBody, OpenFile, content, scratch
from handlers.services.world import World
from vfs.access import Caller, Verb
from vfs.body import Body, NoBody
from vfs.call import About, Call, Data, Entry, Reply
from vfs.errors import (
    Conflict,
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
from vfs.path import Path
from vfs.ports.blobs import chunks
from vfs.serve import serve
from vfs.tree import Tree

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


CONTROLS = "".join(map(chr, (*range(32), 127)))
META: Mapping[str, str | int | None] = {
    "case_insensitive": False,
    "invalid_path_chars": f"\\{CONTROLS}",
    "network": False,
    "read_only": False,
    "supports_rename": False,
    "thread_safe": True,
    "unicode_paths": True,
    "virtual": True,
}


class CurlewFS(FS):
    """The tree below the folder `root` as one caller sees it.

    Errors are those of `fs`, with the kernel's sentence. A file is written when it is closed. Entries that
    are listed but cannot exist are left out. Removing an item removes all of it, as its files are parts of
    it; removing one of them clears it.
    """

    def __init__(self, tree: Tree, world: World, caller: Caller, root: str = "/") -> None:
        super().__init__()
        self._meta = dict(META)
        self._tree = tree
        self._world = world
        self._caller = caller
        self._root = Path(iteratepath(root))

    def __str__(self) -> str:
        return f"<curlew {self._root} as {self._caller.name or 'nobody'}>"

    def validatepath(self, path: str) -> str:
        """Implement FS.validatepath. Raises InvalidPath for text that is not Unicode."""
        found: str = super().validatepath(path)
        try:
            found.encode()
        except UnicodeEncodeError:
            raise errors.InvalidPath(path, msg="the path is not Unicode text") from None
        return found

    def getinfo(self, path: str, namespaces: Collection[str] | None = None) -> Info:
        """Implement FS.getinfo."""
        self.check()
        path = self.validatepath(path)
        return self._info(path, self._present(path).entry, namespaces or ())

    def listdir(self, path: str) -> list[str]:
        """Implement FS.listdir."""
        self.check()
        return [row.name for row in self._rows(self.validatepath(path))]

    def scandir(
        self, path: str, namespaces: Collection[str] | None = None, page: tuple[int, int] | None = None
    ) -> Iterator[Info]:
        """Implement FS.scandir; a folder is listed at once."""
        self.check()
        path = self.validatepath(path)
        infos = (self._info(join(path, row.name), row, namespaces or ()) for row in self._rows(path))
        return iter(infos if page is None else islice(infos, *page))

    def makedir(self, path: str, permissions: Permissions | None = None, recreate: bool = False) -> SubFS[FS]:
        """Implement FS.makedir: create a folder of a free tree, an item in its kind's folder, or an entry."""
        self.check()
        path = self.validatepath(path)
        there = self._find(path)
        if there is not None and not (recreate and there.entry.type == "dir"):
            raise errors.DirectoryExists(path)
        if there is None:
            self._must_be_folder(dirname(path))
            self._ask(Verb.CREATE, path, folder=True)
        return self.opendir(path)

    def openbin(self, path: str, mode: str = "r", buffering: int = -1, **options: Any) -> BinaryIO:
        """Implement FS.openbin."""
        how = Mode(mode)
        how.validate_bin()
        self.check()
        path = self.validatepath(path)
        facts = self._about(path)
        there = facts is not None and not facts.absent
        if facts is not None and facts.entry.type == "dir":
            raise errors.FileExpected(path)
        if there and how.exclusive:
            raise errors.FileExists(path)
        if not there and not how.create:
            raise errors.ResourceNotFound(path)
        if not how.writing:
            return cast("BinaryIO", OpenFile(self._content(path), how.to_platform_bin()))
        self._must_be_folder(dirname(path))
        save = self._writer(path, facts.entry.verbs if facts is not None else ())
        file = scratch()
        if there and not how.truncate:
            with self._content(path) as old:
                file.writelines(chunks(old))
            file.seek(0, io.SEEK_END if how.appending else io.SEEK_SET)
        mode = how.to_platform_bin()
        opened = OpenFile(file, mode, reading=how.reading, appending=how.appending, save=save)
        return cast("BinaryIO", opened)

    def remove(self, path: str) -> None:
        """Implement FS.remove; a permanent file is cleared."""
        self.check()
        self.validatepath(path)
        if self._present(path).entry.type == "dir":
            raise errors.FileExpected(path)
        self._ask(Verb.REMOVE, path)

    def removedir(self, path: str) -> None:
        """Implement FS.removedir."""
        path = self._folder(path)
        if path == "/":
            raise errors.RemoveRootError(path)
        try:
            self._ask(Verb.REMOVE, path)
        except errors.ResourceError as error:
            if isinstance(error.exc, Conflict):
                raise errors.DirectoryNotEmpty(path, exc=error.exc, msg=error._msg) from error
            raise

    def removetree(self, dir_path: str) -> None:
        """Implement FS.removetree with one call."""
        path = self._folder(dir_path)
        if path != "/":
            self._ask(Verb.REMOVE, path, query={"recursive": "true"})
            return
        for row in self._rows(path):
            self._ask(Verb.REMOVE, join(path, row.name), query={"recursive": "true"})

    def setinfo(self, path: str, info: Mapping[str, Mapping[str, object]]) -> None:
        """Implement FS.setinfo: nothing can be set by a caller."""
        self.getinfo(path)

    def _ask(self, verb: Verb | None, path: str, body: Body | None = None, **more: Any) -> Reply:
        where = self._root / iteratepath(path)
        try:
            return serve(self._tree, Call(verb, where, self._caller, self._world, body or NoBody(), **more))
        except VfsError as error:
            raise refusal(path, error) from error

    def _about(self, path: str) -> About | None:
        """Return the description of a path's node, existing or not; None if it is hidden from the caller."""
        try:
            facts = self._ask(None, path).value
        except errors.ResourceNotFound:
            return None
        assert isinstance(facts, Data)
        about: About = facts.value
        return about

    def _find(self, path: str) -> About | None:
        about = self._about(path)
        return None if about is None or about.absent else about

    def _present(self, path: str) -> About:
        about = self._find(path)
        if about is None:
            raise errors.ResourceNotFound(path)
        return about

    def _must_be_folder(self, path: str) -> None:
        if self._present(path).entry.type != "dir":
            raise errors.DirectoryExpected(path)

    def _folder(self, path: str) -> str:
        self.check()
        path = self.validatepath(path)
        self._must_be_folder(path)
        return path

    def _rows(self, path: str) -> list[Entry]:
        reply = self._ask(Verb.READ, path)
        if not reply.folder:
            raise errors.DirectoryExpected(path)
        rows = reply.value.value if isinstance(reply.value, Data) else ()
        return [row for row in rows if isinstance(row, Entry) and row.verbs]

    def _info(self, path: str, row: Entry, namespaces: Collection[str]) -> Info:
        folder = row.type == "dir"
        raw: dict[str, dict[str, object]] = {"basic": {"name": basename(path), "is_dir": folder}}
        if "details" in namespaces:
            raw["details"] = {
                "_write": [],
                "type": int(ResourceType.directory if folder else ResourceType.file),
                "size": 0 if folder else self._size(path, row),
                "created": _seconds(row.created_on),
                "modified": _seconds(row.last_modified),
            }
        if "access" in namespaces:
            letters = "".join(letter for letter in row.permissions if letter in "rwx")
            raw["access"] = {"permissions": Permissions(user=letters).dump()}
        return Info(raw)

    def _size(self, path: str, row: Entry) -> int:
        """Return the size in the row, else that of the content; 0 if reading is refused."""
        if row.extra is not None and "size" in row.extra:
            return int(row.extra["size"])
        try:
            with self._content(path) as file:
                return file.seek(0, io.SEEK_END)
        except errors.FSError:
            return 0

    def _content(self, path: str) -> BinaryIO:
        """Return the bytes of a file in its plain form."""
        return content(self._ask(Verb.READ, path), self._world.blobs)

    def _writer(self, path: str, verbs: Collection[Verb]) -> Callable[[BinaryIO], None]:
        """Return the function that writes a file, by the caller's verbs; raise at once if there are none."""
        verb = Verb.CREATE if Verb.CREATE in verbs and Verb.WRITE not in verbs else Verb.WRITE

        def save(file: BinaryIO) -> None:
            self._ask(verb, path, FileBody(file, basename(path)))

        if verb not in verbs:
            save(io.BytesIO())
        return save


def local_files() -> FS:
    """Return the files of this machine."""
    return OSFS("/")


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()
