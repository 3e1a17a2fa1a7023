"""PodmanBuilder against its written contract (chains.engine.port.Builder), and recipes that really build."""

from __future__ import annotations

import os
import subprocess
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from chains.buildbox.box import BuildLimits
from chains.buildbox.builder import BoxBuilder
from chains.buildbox.workshop import Workshop
from chains.builds.recipe import choose
from chains.engine.port import BuildFailed, BuildOrder, EngineAway, EngineError, Exit, Image, Line
from chains.podman.api import Podman
from chains.podman.image_store import COMMIT_LABEL, REPO_LABEL, PodmanImages
from tests.kit.podman import Bench, builder_on, texts

pytestmark = pytest.mark.podman


def build(
    bench: Bench, files: dict[str, str], tag: str = "built", repo: int = 1, **labels: str
) -> tuple[Image, list[str]]:
    """The image of a repository with these files at its root, and the log of its build."""
    context = bench.folder("repository")
    for name, text in files.items():
        (context / name).write_text(text)
    recipe = choose(context, "python:3-slim")
    (context / recipe.path).write_text(recipe.text)
    lines: list[str] = []
    return bench.builder.build(BuildOrder(repo, context, recipe.path, tag, labels), lines.append), lines


def output(bench: Bench, image: Image) -> list[str]:
    """What the image says when it runs as a step."""
    lines: list[Line] = []
    handle = bench.engine.prepare(replace(bench.step("true"), image=image.id))
    bench.engine.start(handle)
    assert bench.engine.wait(handle, lines.append) == Exit(0), texts(lines)
    bench.engine.remove(handle)
    return texts(lines)


def test_a_lone_python_file_is_built_and_runs(podman_bench: Bench) -> None:
    image, _ = build(podman_bench, {"birds.py": "print('42 curlews')"}, **{COMMIT_LABEL: "c0ffee"})
    assert output(podman_bench, image) == ["42 curlews"]
    assert image.commit == "c0ffee"
    assert image.size > 1_000_000


def test_requirements_are_installed_and_not_again(podman_bench: Bench, tmp_path: Path) -> None:
    wheel = small_wheel(tmp_path)
    files = {
        "birds.py": "import curlew_probe; print(curlew_probe.WORD)",
        "requirements.txt": f"./{wheel.name}\n",
    }
    context = podman_bench.folder("repository")
    (context / wheel.name).write_bytes(wheel.read_bytes())
    for name, text in files.items():
        (context / name).write_text(text)
    recipe = choose(context, "python:3-slim")
    (context / recipe.path).write_text(
        recipe.text.replace("COPY requirements.txt", "COPY *.whl requirements.txt")
    )
    image = podman_bench.builder.build(BuildOrder(1, context, recipe.path, "wheel", {}), lambda line: None)
    assert output(podman_bench, image) == ["installed"]
    again: list[str] = []
    podman_bench.builder.build(BuildOrder(1, context, recipe.path, "wheel", {}), again.append)
    assert any("Using cache" in line for line in again)


def small_wheel(folder: Path) -> Path:
    """A package that is installed without asking any index."""
    info = "curlew_probe-1.0.dist-info"
    path = folder / "curlew_probe-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("curlew_probe.py", "WORD = 'installed'\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: curlew-probe\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


@pytest.mark.parametrize(
    "base", ["python:3-slim", "docker.io/library/python:3-slim", "localhost/python:3-slim"]
)
def test_the_base_image_is_found_without_a_registry(podman_bench: Bench, base: str) -> None:
    image, _ = build(podman_bench, {"Dockerfile": f'FROM {base}\nCMD ["python3", "-c", "print(6 * 7)"]\n'})
    assert output(podman_bench, image) == ["42"]


def test_the_log_is_sent_while_the_build_runs(podman_bench: Bench) -> None:
    lines: list[tuple[float, str]] = []
    context = podman_bench.folder("context")
    (context / "Dockerfile").write_text("FROM localhost/busybox\nRUN echo early; sleep 2; echo late\n")
    podman_bench.builder.build(
        BuildOrder(1, context, "Dockerfile", "live", {}),
        lambda line: lines.append((time.monotonic(), line)),
    )
    moments = {line: moment for moment, line in lines}
    assert moments["late"] - moments["early"] > 0.5
    assert any(line.startswith("STEP 1/2: FROM") for _, line in lines)


def test_a_failed_build_says_which_step_and_leaves_the_tag_and_no_rubbish(podman_bench: Bench) -> None:
    before, _ = build(podman_bench, {"Dockerfile": "FROM localhost/busybox\nCMD true\n"}, tag="kept")
    with pytest.raises(BuildFailed, match=r"RUN echo no >&2 && exit 3 failed .*exit status 3"):
        build(podman_bench, {"Dockerfile": "FROM localhost/busybox\nRUN echo no >&2 && exit 3\n"}, tag="kept")
    assert podman_bench.builder.find("kept") == before
    left = podman_bench.host.program.run("ps", "--all", "--storage", "--format", "{{.Names}}").stdout
    assert "working-container" not in left


@pytest.mark.parametrize(
    ("dockerfile", "reason"),
    [
        ("FROM localhost/no-such-image\n", "no-such-image.*a recipe may begin with"),
        ("FORM localhost/busybox\n", "no FROM statement"),
        ("FROM localhost/busybox\nCOPY missing /x\n", "missing"),
        ("", "could not be built"),
    ],
)
def test_what_is_wrong_with_a_recipe_is_said(podman_bench: Bench, dockerfile: str, reason: str) -> None:
    with pytest.raises(BuildFailed, match=reason):
        build(podman_bench, {"Dockerfile": dockerfile})


def test_the_holder_of_a_tag_before_stays_usable(podman_bench: Bench) -> None:
    first, _ = build(podman_bench, {"one.py": "print(1)"}, tag="same", **{COMMIT_LABEL: "one"})
    second, _ = build(podman_bench, {"two.py": "print(2)"}, tag="same", **{COMMIT_LABEL: "two"})
    assert first.id != second.id
    assert podman_bench.builder.find("same") == second
    assert podman_bench.builder.find(first.id) == first
    assert output(podman_bench, first) == ["1"]


def test_a_dropped_image_is_gone_under_all_its_names(podman_bench: Bench) -> None:
    image, _ = build(podman_bench, {"Dockerfile": "FROM localhost/busybox\nENV A=1\n"}, tag="one-name")
    podman_bench.host.program.run("tag", image.id, "localhost/another-name")
    podman_bench.builder.drop(image.id)
    assert podman_bench.builder.find("one-name") is None
    assert podman_bench.builder.find("another-name") is None
    podman_bench.builder.drop(image.id)


def test_an_image_in_use_is_kept_from_nothing_but_its_names(podman_bench: Bench) -> None:
    image, _ = build(
        podman_bench, {"Dockerfile": 'FROM localhost/busybox\nENV B=1\nCMD ["true"]\n'}, tag="in-use"
    )
    handle = podman_bench.engine.prepare(replace(podman_bench.step("true"), image=image.id))
    podman_bench.builder.drop(image.id)
    podman_bench.engine.start(handle)
    assert podman_bench.engine.wait(handle, lambda line: None) == Exit(0)
    podman_bench.engine.remove(handle)
    assert podman_bench.builder.find("in-use") is None


def test_images_of_repos_are_known_by_their_label_and_one_in_use_outlives_a_sweep(
    podman_bench: Bench,
) -> None:
    recipe = 'FROM localhost/busybox\nENV C=%d\nCMD ["sleep", "20"]\n'
    builder, labels = podman_bench.builder, {REPO_LABEL: "77", COMMIT_LABEL: "c1"}
    used, idle = (build(podman_bench, {"Dockerfile": recipe % n}, f"t{n}", **labels)[0].id for n in (1, 2))
    other, _ = build(podman_bench, {"Dockerfile": recipe % 3}, "t3", **{REPO_LABEL: "odd"})
    context = podman_bench.folder("child")
    (context / "Dockerfile").write_text("FROM child-of\nENV D=1\n")
    podman_bench.builder.build(
        BuildOrder(2, context, "Dockerfile", "t4", {}, {"localhost/child-of:latest": used}), print
    )
    made = builder.repo_images()
    assert (made[used], made[idle], made.get(other.id)) == (77, 77, None)
    handle = podman_bench.engine.prepare(replace(podman_bench.step("true"), image=used))
    podman_bench.engine.start(handle)
    for image in (used, idle):
        builder.drop(image)
    assert builder.find(idle) is None
    assert builder.repo_images()[used] == 77, "it is asked for again at the next sweep"
    podman_bench.engine.remove(handle)
    builder.drop(used)
    assert used not in builder.repo_images()


def test_memory_of_a_build_is_limited(podman_bench: Bench) -> None:
    small = builder_on(podman_bench.host, BuildLimits(memory=128 << 20))
    context = podman_bench.folder("context")
    (context / "Dockerfile").write_text(
        "FROM localhost/busybox\nRUN head -c 300000000 /dev/zero | tail > /dev/null\n"
    )
    with pytest.raises(BuildFailed, match="more than 128 MiB of memory"):
        small.build(BuildOrder(1, context, "Dockerfile", "greedy", {}), lambda line: None)
    small.close()


def test_processes_of_a_build_are_limited(podman_bench: Bench) -> None:
    small = builder_on(podman_bench.host, BuildLimits(pids=64))
    context = podman_bench.folder("context")
    (context / "Dockerfile").write_text(
        "FROM localhost/busybox\nRUN for i in $(seq 200); do sleep 1 & done\n"
    )
    lines: list[str] = []
    with pytest.raises(BuildFailed):
        small.build(BuildOrder(1, context, "Dockerfile", "many", {}), lines.append)
    assert any("can't fork" in line for line in lines)
    small.close()


def test_what_a_build_may_do_is_less_than_podman_would_let_it(podman_bench: Bench) -> None:
    context = podman_bench.folder("context")
    (context / "Dockerfile").write_text("FROM localhost/busybox\nRUN mknod /device b 8 0 || echo refused\n")
    lines: list[str] = []
    podman_bench.builder.build(BuildOrder(1, context, "Dockerfile", "device", {}), lines.append)
    assert "refused" in lines


def test_time_of_a_build_is_limited(podman_bench: Bench) -> None:
    quick = builder_on(podman_bench.host, BuildLimits(seconds=1))
    context = podman_bench.folder("context")
    sleep = f"sleep 61{os.getpid():09}"
    (context / "Dockerfile").write_text(f"FROM localhost/busybox\nRUN {sleep}\n")
    begun = time.monotonic()
    with pytest.raises(BuildFailed, match="longer than 1 seconds"):
        quick.build(BuildOrder(1, context, "Dockerfile", "slow", {}), lambda line: None)
    assert time.monotonic() - begun < 30
    left = subprocess.run(["pgrep", "-f", f"^{sleep}"], capture_output=True, text=True, check=False)
    assert left.stdout == ""
    quick.close()


def test_a_recipe_may_not_lead_to_the_hosts_files(podman_bench: Bench) -> None:
    context = podman_bench.folder("context")
    (context / "Dockerfile").symlink_to("/etc/shadow")
    (context / "folder").symlink_to("/etc")
    for recipe in ("Dockerfile", "folder/passwd", "../context/Dockerfile", "/etc/passwd", "absent"):
        with pytest.raises(BuildFailed, match=r"plain file|no file"):
            podman_bench.builder.build(BuildOrder(1, context, recipe, "odd", {}), lambda line: None)


def test_links_are_copied_as_links_and_pipes_not_at_all(podman_bench: Bench) -> None:
    context = podman_bench.folder("context")
    (context / "away").symlink_to("/etc/hostname")
    os.mkfifo(context / "pipe")
    (context / "Dockerfile").write_text('FROM localhost/busybox\nCOPY . /app\nCMD ["ls", "-l", "/app"]\n')
    image = podman_bench.builder.build(BuildOrder(1, context, "Dockerfile", "links", {}), lambda line: None)
    listing = "\n".join(output(podman_bench, image))
    assert "away -> /etc/hostname" in listing
    assert "pipe" not in listing


def test_builds_at_once(podman_bench: Bench) -> None:
    def one(number: int) -> list[str]:
        image, _ = build(podman_bench, {"p.py": f"print({number})"}, tag=f"at-once-{number}", repo=number)
        return output(podman_bench, image)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(4))) == [[str(n)] for n in range(4)]


def test_a_builder_without_podman_says_so(podman_bench: Bench, tmp_path: Path) -> None:
    away = Podman(tmp_path / "none.sock", patience=0.1)
    nowhere = BoxBuilder(Workshop(podman_bench.host, away, BuildLimits()), PodmanImages(away))
    context = podman_bench.folder("context")
    (context / "Dockerfile").write_text("FROM localhost/busybox\n")
    with pytest.raises(EngineAway, match="Podman"):
        nowhere.build(BuildOrder(1, context, "Dockerfile", "x", {}), lambda line: None)
    with pytest.raises(EngineError):
        nowhere.find("x")
