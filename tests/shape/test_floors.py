"""What must never happen on a floor of the house, read from its source."""

import re
import sys

import pytest

from tests.kit.sources import PACKAGES, Source, sources

EDGE = {source.name for source in sources("handlers/http", "handlers/reference")} | {
    "handlers/git/smart_http.py",
    "handlers/pages/site.py",
    "handlers/processes/api_proxy.py",
}
HTTP_OF_ANOTHER = {
    "chains/package_proxy/loopback.py",
    "chains/package_proxy/outbound.py",
    "chains/package_proxy/package_index.py",
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
OUTSIDE_WORLD = {
    *("http", "wsgiref", "socket", "ssl", "sqlite3", "subprocess", "os", "shutil", "tempfile", "io"),
    *("threading", "asyncio", "random", "secrets", "time"),
}  # fmt: skip
KINDS = {"doc", "plot", "grid", "mail", "repo", "job", "space"}
PERMISSION = re.compile(r"\bheld\(|\.letters\b")

KERNEL = sources("vfs")
HOOKS = [
    source
    for source in sources("handlers", "chains")
    if not source.name.startswith(("handlers/services/", "handlers/trees/facets/shares"))
]
BEHIND_THE_EDGE = [source for source in sources(*PACKAGES) if source.name not in EDGE | HTTP_OF_ANOTHER]


@pytest.mark.parametrize("source", KERNEL, ids=str)
def test_the_kernel_imports_nothing_but_the_standard_library(source: Source) -> None:
    roots = {name.partition(".")[0] for name in source.imports()}
    assert roots <= sys.stdlib_module_names | {"vfs"} | ({"pytest"} if "/testing/" in source.name else set())


@pytest.mark.parametrize("source", [source for source in KERNEL if "/testing/" not in source.name], ids=str)
def test_the_kernel_reaches_no_outside_world(source: Source) -> None:
    assert {name.partition(".")[0] for name in source.imports()} & OUTSIDE_WORLD == set()


@pytest.mark.parametrize("source", [source for source in KERNEL if "/testing/" not in source.name], ids=str)
def test_the_kernel_knows_no_kind_of_item(source: Source) -> None:
    assert [(line, value) for line, value in source.constants() if value in KINDS] == []


@pytest.mark.parametrize("source", BEHIND_THE_EDGE, ids=str)
def test_http_stays_at_the_edge(source: Source) -> None:
    assert HTTP_WORDS.findall(source.text) == []
    numbers = [(line, value) for line, value in source.constants() if type(value) is int]
    assert [(line, value) for line, value in numbers if value in STATUS_NUMBERS] == []


@pytest.mark.parametrize("source", HOOKS, ids=str)
def test_no_hook_asks_about_letters(source: Source) -> None:
    assert PERMISSION.findall(source.text) == []
