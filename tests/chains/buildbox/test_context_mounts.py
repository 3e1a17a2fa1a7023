"""A command of a recipe sees the repository by bind mounts, in every form of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chains.buildbox import builder_image
from chains.builds.recipe import Heuristic, choose
from chains.builds.references import PREFIX, resolve_references
from chains.engine.port import BuildFailed, BuildOrder, Line
from tests.kit.podman import Bench, texts

pytestmark = pytest.mark.podman

SEEN = {
    "a file": "source=requirements.txt,target=/m/requirements.txt",
    "a file, read-only by name": "source=requirements.txt,target=/m/requirements.txt,ro",
    "a file, with the long words": "src=requirements.txt,destination=/m/requirements.txt,readonly",
    "a file, writable": "source=requirements.txt,target=/m/requirements.txt,rw",
    "a folder": "source=parts,target=/m",
    "a folder below another": "source=parts/deeper,target=/m",
    "all of it": "target=/m",
    "all of it, by a dot": "source=.,target=/m",
    "a folder of a stage": "from=stage,source=/parts,target=/m",
    "a file of another image": "from={other},source=/requirements.txt,target=/m/requirements.txt",
}


def test_every_form_of_a_bind_mount_builds(podman_bench: Bench) -> None:
    context = podman_bench.folder("context")
    (context / "parts/deeper").mkdir(parents=True)
    for folder in (".", "parts", "parts/deeper"):
        (context / folder / "requirements.txt").write_text("six==1.16.0\n")
    plain = "FROM localhost/busybox\nCOPY requirements.txt /\n"
    (context / "Dockerfile").write_text(plain)
    image = podman_bench.builder.build(BuildOrder(62, context, "Dockerfile", "o", {}), lambda line: None).id
    other = f"{PREFIX}:{image}"
    recipe = ["FROM localhost/busybox AS stage", "COPY parts /parts", "FROM localhost/busybox"]
    for number, (name, words) in enumerate(SEEN.items()):
        mount = f"type=bind,{words.format(other=other)}"
        recipe.append(f"RUN --mount={mount} grep -q six /m/requirements.txt && echo {number} {name}")
    recipe += [
        "RUN --mount=type=bind,target=/m ! touch /m/new 2>/dev/null && echo kept",
        "RUN --mount=type=bind,target=/m,rw touch /m/new && echo more >> /m/requirements.txt && echo written",
        "",
    ]
    (context / "Dockerfile").write_text("\n".join(recipe))
    lines: list[str] = []
    order = BuildOrder(61, context, "Dockerfile", "mounts", {}, {other: image})
    podman_bench.builder.build(order, lines.append)
    expected = [f"{number} {name}" for number, name in enumerate(SEEN)] + ["kept", "written"]
    assert [line for line in lines if line in expected] == expected
    assert (context / "requirements.txt").read_text() == "six==1.16.0\n"


USUAL = """# syntax=docker/dockerfile:1
ARG VERSION=3
FROM python:${VERSION}-slim as Base
ENV PYTHONDONTWRITEBYTECODE=1
WORKDIR /app
ARG UID=10001
RUN adduser --disabled-password --gecos "" --home "/nonexistent" --shell "/sbin/nologin" \\
    --no-create-home --uid "${UID}" appuser
RUN --mount=type=cache,target=/root/.cache/pip \\
    --mount=type=bind,source=requirements.txt,target=requirements.txt \\
    python -m pip install --no-index -r requirements.txt && echo read "$(cat requirements.txt)"
FROM base
USER appuser
COPY --from=BASE --chown=appuser --chmod=0500 . .
COPY --chown=appuser . .
RUN id -un
CMD python3 main.py
"""


def test_the_usual_dockerfile_of_a_python_program_builds_and_runs(podman_bench: Bench) -> None:
    context = podman_bench.folder("context")
    (context / "main.py").write_text("import os; print(os.getuid(), os.getcwd())")
    (context / "requirements.txt").write_text("# nothing")
    resolved = resolve_references(USUAL, {"python:3-slim"}, lambda ref: None)
    (context / "Dockerfile").write_text(resolved.text)
    lines: list[str] = []
    order = BuildOrder(65, context, "Dockerfile", "usual", {})
    image = podman_bench.builder.build(order, lines.append).id
    assert {"read # nothing", "appuser"} <= set(lines)
    assert said_by(podman_bench, image) == ["10001 /app"]


def test_a_heredoc_is_refused_in_one_sentence_where_the_builder_does_not_know_them(
    podman_bench: Bench,
) -> None:
    context = podman_bench.folder("context")
    (context / "Dockerfile").write_text("FROM localhost/busybox\nRUN <<EOF\nset -e\necho built\nEOF\n")
    lines: list[str] = []
    order = BuildOrder(66, context, "Dockerfile", "heredoc", {})
    if builder_image.knows_heredocs(podman_bench.host.program):
        podman_bench.builder.build(order, lines.append)
        assert "built" in lines
    else:
        with pytest.raises(
            BuildFailed, match=r"^RUN <<EOF: heredocs need buildah 1\.33 or newer.*COPY a script"
        ):
            podman_bench.builder.build(order, lines.append)
        assert lines == []


@pytest.mark.parametrize(
    "files",
    [
        {
            "main.py": "print(1)",
            "requirements.txt": "-r more/base.txt\n-c more/c.txt\n",
            "more/base.txt": "",
            "more/c.txt": "",
        },
        {
            "dockerfile": "FROM python:3-slim\nCOPY main.py /\nCMD python3 /main.py",
            "main.py": "print(1)",
            "b.py": "",
        },
        {"Dockerfile": "-> docker/File", "docker/File": "FROM python:3-slim\nCMD echo 1"},
    ],
    ids=["requirements of requirements", "in lower case", "a link"],
)
def test_a_repository_is_built_as_people_write_it(podman_bench: Bench, files: dict[str, str]) -> None:
    context = podman_bench.folder("context")
    for name, text in files.items():
        (context / name).parent.mkdir(exist_ok=True)
        if text.startswith("-> "):
            (context / name).symlink_to(text.removeprefix("-> "))
        else:
            (context / name).write_text(text)
    recipe = choose(context, "python:3-slim")
    if recipe.heuristic is not Heuristic.OWN:
        (context / recipe.path).write_text(recipe.text)
    order = BuildOrder(67, context, recipe.path, "people", {})
    assert said_by(podman_bench, podman_bench.builder.build(order, lambda line: None).id) == ["1"]


def said_by(bench: Bench, image: str) -> list[str]:
    """What a step of an image says, which has to succeed."""
    handle, said = bench.engine.prepare(replace(bench.step("true"), image=image)), list[Line]()
    bench.engine.start(handle)
    ended = bench.engine.wait(handle, said.append)
    bench.engine.remove(handle)
    assert ended.succeeded, texts(said)
    return texts(said)
