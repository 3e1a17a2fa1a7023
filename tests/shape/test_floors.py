"""What must never happen on a floor of the house, read from its source."""

import re
import sys
from collections.abc import Iterator, Mapping, Set

from tests.kit.sources import PACKAGES, Source, imports_between, offenders, sources

EDGE = {
    source.name
    for source in sources(
        "handlers/dav",
        "handlers/events",
        "handlers/graphql",
        "handlers/hooks",
        "handlers/links",
        "handlers/http",
        "handlers/mcp",
        "handlers/oauth",
        "handlers/oidc",
        "handlers/reference",
    )
} | {
    "handlers/git/backend.py",
    "handlers/git/smart_http.py",
    "handlers/metrics/listener.py",
    "handlers/pages/responses.py",
    "handlers/processes/api_proxy.py",
}
HTTP_OF_ANOTHER = {
    "handlers/services/outgoing_hooks.py",
    "chains/package_proxy/loopback.py",
    "chains/package_proxy/outbound.py",
    "chains/package_proxy/package_sources.py",
    "chains/package_proxy/apt_relay.py",
    "chains/podman/api.py",
    "chains/podman/engine.py",
    "chains/podman/image_store.py",
}
STATUS_NUMBERS = {
    *(201, 202, 204, 206, 304),
    *(400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 424, 425, 429, 503, 507),
}
HTTP_WORDS = re.compile(r"\b(falcon|HTTPStatus|http\.client|wsgiref|WWW-Authenticate|status_code)\b")
SPOKEN_ABOVE = re.compile(
    r"\b(?:HTTP|RFC|GET|POST|PUT|PATCH|OPTIONS|Authorization|Bearer|Content-Type|Last-Event-ID|respond-async|"
    r"[Cc]ookie|[Hh]eader|multipart|premium|RunFailed)\b|/v1\b"
)
OUTSIDE_WORLD = {
    *("http", "wsgiref", "socket", "ssl", "sqlite3", "subprocess", "os", "shutil", "tempfile", "io"),
    *("threading", "asyncio", "random", "secrets", "time"),
}  # fmt: skip
KINDS = {"doc", "plot", "grid", "mail", "repo", "job", "space"}
PERMISSION = re.compile(r"(?<!def )\baccess_(?:of|through|through_all)\(|\.letters\b")
KIND_QUERIES = re.compile(
    r"\bisinstance\([^()]*(?:Spot|Node|Dir|Entries|Items|Each|File|Derived|Link|Ghost|Subtree)\b"
    r"|\btype\(|\bmatch "
)

KERNEL = sources("vfs")
HOOKS = [
    source
    for source in sources("handlers", "chains")
    if not source.name.startswith(("handlers/services/", "handlers/trees/facets/shares"))
]
BEHIND_THE_EDGE = [source for source in sources(*PACKAGES) if source.name not in EDGE | HTTP_OF_ANOTHER]

# Their numbers are weights of type, pixels, and numbers of system calls.
DRAWING = ("handlers/render/", "handlers/rendering/")


def test_the_kernel_imports_nothing_but_the_standard_library() -> None:
    def strange(source: Source) -> set[str]:
        known = sys.stdlib_module_names | {"vfs"}
        return {name.partition(".")[0] for name in source.imports()} - known

    assert not offenders({source.name: strange(source) for source in KERNEL})


def test_the_kernel_reaches_no_outside_world() -> None:
    found = {
        source.name: {name.partition(".")[0] for name in source.imports()} & OUTSIDE_WORLD
        for source in KERNEL
    }
    assert not offenders(found)


def test_the_road_of_a_request_asks_no_node_for_its_kind() -> None:
    road = {"vfs/serve.py", "vfs/listing.py", "vfs/permission.py"}
    found = {source.name: KIND_QUERIES.findall(source.text) for source in KERNEL if source.name in road}
    assert set(found) == road and not offenders(found)


def test_the_kernel_knows_no_kind_of_item() -> None:
    found = {
        source.name: [(line, value) for line, value in source.constants() if value in KINDS]
        for source in KERNEL
    }
    assert not offenders(found)


def test_the_kernel_speaks_of_no_protocol_and_no_run() -> None:
    found = {source.name: SPOKEN_ABOVE.findall(source.text) for source in KERNEL}
    assert not offenders(found)


def test_http_stays_at_the_edge() -> None:
    def words(source: Source) -> list[object]:
        measures = source.name.startswith(DRAWING)
        numbers = [(line, value) for line, value in source.constants() if type(value) is int and not measures]
        return [
            *HTTP_WORDS.findall(source.text),
            *((line, value) for line, value in numbers if value in STATUS_NUMBERS),
        ]

    assert not offenders({source.name: words(source) for source in BEHIND_THE_EDGE})


def test_no_hook_asks_about_letters() -> None:
    assert not offenders({source.name: PERMISSION.findall(source.text) for source in HOOKS})


def test_no_imports_run_in_circles() -> None:
    circles = _circles(imports_between(sources(*PACKAGES)))
    assert [sorted(circle) for circle in circles if len(circle) > 1] == []


def _circles(graph: Mapping[str, Set[str]]) -> Iterator[frozenset[str]]:
    """The strongly connected parts of a graph."""
    below = {module: _reached(graph, module) for module in graph}
    seen: set[str] = set()
    for module in graph:
        if module not in seen:
            circle = frozenset(other for other in below[module] if module in below[other]) | {module}
            seen |= circle
            yield circle


def _reached(graph: Mapping[str, Set[str]], start: str) -> set[str]:
    """The modules that one imports, itself or through others."""
    found: set[str] = set()
    left = [start]
    while left:
        fresh = graph[left.pop()] - found
        found |= fresh
        left += fresh
    return found
