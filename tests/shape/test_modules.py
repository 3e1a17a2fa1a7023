"""A module does nothing as it is imported, and keeps nothing: no threads, pools, locks, lists to fill."""

import ast
from collections.abc import Iterator

from tests.kit.sources import PACKAGES, Source, offenders, sources

WORK = {
    "ThreadPoolExecutor", "ProcessPoolExecutor", "Thread", "Timer", "Popen", "run", "open", "socket",
    "Lock", "RLock", "Condition", "Event", "Semaphore", "BoundedSemaphore", "Queue", "SimpleQueue", "local",
    "OrderedDict", "defaultdict", "deque", "Counter", "WeakSet", "WeakKeyDictionary", "WeakValueDictionary",
    "register_at_fork", "register", "read_text", "read_bytes", "connect",
}  # fmt: skip
"""Calls that begin something, or make what changes, by the last word of their names."""
STANDS = {
    "handlers/render/grids/placement.py": "a blank cell is a box like any other, and is only read",
    "storage/database/process_connections.py": "connections learn of a fork from the only hook that there is",
}
EMPTY = {"dict", "list", "set"}


def _mutable_classes() -> set[str]:
    """Data classes whose fields change."""
    found = set()
    for source in sources(*PACKAGES):
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ClassDef):
                said = [ast.unparse(one) for one in node.decorator_list]
                if any(one.startswith("dataclass") and "frozen=True" not in one for one in said):
                    found.add(node.name)
    return found


MUTABLE = _mutable_classes()


def _is_read_only(node: ast.AnnAssign) -> bool:
    """Whether a collection is one by its type that nobody may write to."""
    said = ast.unparse(node.annotation).partition("[")[0]
    return isinstance(node.value, ast.Dict | ast.List) and said not in EMPTY


def _values(body: list[ast.stmt]) -> Iterator[ast.expr]:
    """What is worked out as a module or a class of it is read."""
    for node in body:
        if isinstance(node, ast.AnnAssign) and _is_read_only(node):
            continue
        if isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign) and node.value is not None:
            yield node.value
        elif isinstance(node, ast.With | ast.If | ast.Try | ast.For):
            yield from _values(node.body)


def _changes(value: ast.expr) -> bool:
    if isinstance(value, ast.Dict | ast.List | ast.Set) and not ast.unparse(value).strip("{}[]"):
        return True
    if not isinstance(value, ast.Call):
        return False
    name = ast.unparse(value.func).rpartition(".")[2]
    return name in WORK or name in MUTABLE or (name in EMPTY and not value.args and not value.keywords)


def state_of(source: Source) -> list[str]:
    """What a module begins or keeps as it is imported."""
    return [
        f"line {one.lineno}: {ast.unparse(one)[:60]}" for one in _values(source.tree.body) if _changes(one)
    ]


def test_no_module_works_or_keeps_what_changes() -> None:
    found = {source.name: state_of(source) for source in sources(*PACKAGES) if source.name not in STANDS}
    assert not offenders(found)


def test_such_is_found() -> None:
    for text in (
        "A = ThreadPoolExecutor(1)", "L = threading.Lock()", "_seen = {}", "K: list[int] = []",
        "os.register_at_fork(f)", "S = set()", "D = PictureStore()",
    ):  # fmt: skip
        assert any(map(_changes, _values(ast.parse(text).body))), text
    for text in (
        "A = (1, 2)",
        "P = {1: 2}",
        "N: Mapping[str, str] = {}",
        "R = re.compile('a')",
        "T = frozenset()",
        "'said'",
    ):
        assert not any(map(_changes, _values(ast.parse(text).body))), text
