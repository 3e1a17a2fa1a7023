"""A Dockerfile means in a build, and in a step, what it says; what it cannot mean is refused by name."""

from __future__ import annotations

import pytest

from chains.builds.recipe_words import spell_out_shells
from chains.engine.port import BuildFailed, BuildOrder
from tests.chains.buildbox.test_context_mounts import said_by
from tests.kit.podman import Bench

pytestmark = pytest.mark.podman


def build(bench: Bench, recipe: str, number: int = 91) -> str:
    """The image of a recipe, with the folder's files `p/a.js` and `p/[id].js`."""
    context = bench.folder("context")
    (context / "p").mkdir()
    for name in ("a.js", "[id].js"):
        (context / "p" / name).write_text(name)
    (context / "Dockerfile").write_text(spell_out_shells(recipe))
    return bench.builder.build(BuildOrder(number, context, "Dockerfile", "words", {}), lambda line: None).id


def test_the_shell_of_a_recipe_runs_its_commands(podman_bench: Bench) -> None:
    image = build(
        podman_bench,
        "FROM python:3-slim\n"
        'SHELL ["python3", "-c"]\nRUN open("/c", "w").write("py")\n'
        'CMD print(open("/c").read(), flush=True)\n',
    )
    assert said_by(podman_bench, image) == ["py"]
    pipe = 'FROM busybox\nSHELL ["/bin/sh", "-o", "pipefail", "-c"]\nRUN cat /nope | cat > /c\n'
    with pytest.raises(BuildFailed, match=r"RUN cat /nope \| cat > /c failed"):
        build(podman_bench, pipe)


def test_a_trigger_of_a_stage_is_done_by_the_stage_upon_it(podman_bench: Bench) -> None:
    recipe = 'FROM busybox AS one\nONBUILD RUN echo later > /c\nFROM one\nCMD ["cat", "/c"]\n'
    assert said_by(podman_bench, build(podman_bench, recipe)) == ["later"]


@pytest.mark.parametrize("copied", ["COPY p/*.js /w/", 'COPY ["p/[[]id].js", "/c"]', "COPY p/[id].js /c"])
def test_brackets_in_names_are_refused_with_advice(podman_bench: Bench, copied: str) -> None:
    with pytest.raises(BuildFailed, match=r"brackets are a pattern.*name the folder"):
        build(podman_bench, f"FROM busybox\n{copied}\n")
    build(podman_bench, "FROM busybox\nCOPY p /p\n")
