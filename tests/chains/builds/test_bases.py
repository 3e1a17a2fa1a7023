"""Images that recipes may begin with, and the answers about others."""

from __future__ import annotations

import pytest

from chains.builds.bases import OfferedImages, settle_bases
from chains.engine.port import BuildFailed
from chains.language.ast import RepoRef

OFFER = OfferedImages("localhost/python:3-slim", "3.11", ("ghcr.io",))


def is_repo(ref: RepoRef) -> bool:
    """Only `words` is one."""
    return ref.repo == "words"


def settled(text: str, offer: OfferedImages = OFFER) -> tuple[str, list[str]]:
    """The recipe, and the warnings for the pusher."""
    warnings: list[str] = []
    return settle_bases(text, offer, is_repo, warnings.append), warnings


@pytest.mark.parametrize(
    "name",
    [
        "python:3-slim",
        "localhost/python:3-slim",
        "docker.io/library/python:3-slim",
        "busybox",
        "busybox:latest",
        "localhost/busybox",
        "scratch",
        "@bob/other:v1",
        "words",
        "words:v2",
        "ghcr.io/x/y:1",
        "--platform=linux/amd64 python:3-slim",
        "$UNKNOWN",
    ],
)
def test_what_is_here_stays_as_it_is(name: str) -> None:
    text = f"FROM {name} AS one\nFROM one\nFROM ONE AS two\n"
    assert settled(text) == (text, [])


@pytest.mark.parametrize(
    "name",
    [
        "python:3.11-slim",
        "python:3.11",
        "python:3.11.9-slim-bookworm",
        "docker.io/library/python:3.11",
        "python:3",
        "python:latest",
        "python:slim",
        "python",
        "python:${VERSION}-slim",
        "$WHOLE",
    ],
)
def test_a_python_of_the_same_version_is_the_base_image(name: str) -> None:
    head = "ARG VERSION=3.11\nARG WHOLE=python:3.11\n"
    text, warnings = settled(f"{head}FROM {name} AS one\nRUN true\n")
    assert text == f"{head}FROM localhost/python:3-slim AS one\nRUN true\n"
    (line,) = warnings
    assert line.endswith(" is python:3-slim here, with Python 3.11")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("python:3.12-slim", "this server has Python 3.11; write FROM python:3-slim (Python 3.11)"),
        ("python:2.7", "this server has Python 3.11"),
        ("python:3.11-alpine", "is no alpine"),
        ("node:20-alpine", "no such image; write FROM python:3-slim"),
        ("ubuntu", "no such image"),
        ("docker.io/library/golang:1.22", "no such image"),
        ("quay.io/x/y", "or one of ghcr.io"),
        ("localhost/other", "no such image"),
        ("busybox:1.36", "FROM busybox"),
        ("docker-archive:/x.tar", "no such image"),
    ],
)
def test_another_is_refused_with_those_that_work(name: str, reason: str) -> None:
    with pytest.raises(BuildFailed) as failed:
        settled(f"FROM busybox\nFROM {name}\n")
    assert str(failed.value).startswith(f"FROM {name}: ")
    assert reason in str(failed.value)


@pytest.mark.parametrize("registries", [None, ("docker.io",)])
def test_where_the_hub_is_open_nothing_stands_for_anything(registries: tuple[str, ...] | None) -> None:
    text = "FROM python:3.12-slim\nFROM node:20\n"
    assert settled(text, OfferedImages("localhost/python:3-slim", "3.11", registries)) == (text, [])


def test_without_a_known_version_no_python_stands_for_another() -> None:
    with pytest.raises(
        BuildFailed, match=r"no such image; write FROM python:3-slim, FROM busybox.*build_reg"
    ):
        settled("FROM python:3.11", OfferedImages("localhost/python:3-slim"))
