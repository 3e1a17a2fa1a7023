"""Which recipe a repository is built by."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chains.builds.packages import INSTALL, INSTALLER
from chains.builds.recipe import Heuristic, NoRecipe, choose
from chains.engine.port import BuildFailed

BASE = "python:3-slim"


def repository(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# {name}\n")
    return folder


@pytest.mark.parametrize("name", ["Dockerfile", "Containerfile"])
def test_a_recipe_in_the_repository_is_used_as_it_is(tmp_path: Path, name: str) -> None:
    recipe = choose(repository(tmp_path, name, "a.py", "requirements.txt"), BASE)
    assert (recipe.path, recipe.text, recipe.heuristic) == (name, f"# {name}\n", Heuristic.OWN)


def test_of_two_recipes_the_dockerfile_wins(tmp_path: Path) -> None:
    assert choose(repository(tmp_path, "Containerfile", "Dockerfile"), BASE).path == "Dockerfile"


def test_a_lone_python_file_is_run_on_the_base_image(tmp_path: Path) -> None:
    recipe = choose(repository(tmp_path, "birds.py", "README.md", "data/more.py"), BASE)
    assert recipe.heuristic is Heuristic.PROGRAM
    assert recipe.path not in ("Dockerfile", "Containerfile")
    lines = recipe.text.splitlines()
    assert lines[0] == f"FROM {BASE}"
    assert lines[-1] == 'CMD ["python3", "birds.py"]'
    assert not [line for line in lines if line.startswith("RUN")]
    assert "birds.py" in recipe.reason


def test_what_requirements_name_is_there_before_they_are_installed(tmp_path: Path) -> None:
    repository(tmp_path, "a.py", "requirements/base.txt")
    (tmp_path / "requirements.txt").write_text("-r requirements/base.txt\n")
    lines = choose(tmp_path, BASE).text.splitlines()
    assert lines[-3:-1] == ["COPY . .", f"RUN {PIP} -r requirements.txt"]


def test_requirements_are_installed_before_the_rest_is_copied(tmp_path: Path) -> None:
    lines = choose(repository(tmp_path, "a.py", "requirements.txt"), BASE).text.splitlines()
    install = next(n for n, line in enumerate(lines) if line.startswith(f"RUN {INSTALLER} pip install"))
    assert lines[install].endswith("-r requirements.txt")
    assert lines.index("COPY requirements.txt ./") < install < lines.index("COPY . .")


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (
            ("a.py", "b.py", "notes.txt"),
            "2 Python files, none of them main.py or app.py, among: a.py, b.py, notes.txt",
        ),
        (("notes.txt", "src/a.py"), "no Python file among: notes.txt, src/"),
        ((), "no Python file among: nothing"),
    ],
)
def test_without_a_recipe_the_files_found_are_named(
    tmp_path: Path, names: tuple[str, ...], problem: str
) -> None:
    (tmp_path / ".git").mkdir()
    with pytest.raises(BuildFailed) as failed:
        choose(repository(tmp_path, *names), BASE)
    assert problem in str(failed.value)
    assert "add a Dockerfile" in str(failed.value)


def test_many_files_are_counted_rather_than_named(tmp_path: Path) -> None:
    with pytest.raises(BuildFailed, match=r"f00, .* and 28 more"):
        choose(repository(tmp_path, *(f"f{n:02}" for n in range(40))), BASE)


def test_a_link_counts_for_the_file_of_the_repository_it_leads_to(tmp_path: Path) -> None:
    repository(tmp_path, "docker/Dockerfile", "src/main.py", "requirements/base.txt", "a.py")
    (tmp_path / "Dockerfile").symlink_to("docker/again")
    (tmp_path / "docker/again").symlink_to("Dockerfile")
    recipe = choose(tmp_path, BASE)
    assert (recipe.path, recipe.heuristic) == ("docker/Dockerfile", Heuristic.OWN)
    assert recipe.reason == "built by its Dockerfile, which is docker/Dockerfile"
    (tmp_path / "Dockerfile").unlink()
    (tmp_path / "a.py").unlink()
    (tmp_path / "main.py").symlink_to("src/main.py")
    (tmp_path / "requirements.txt").symlink_to("requirements/base.txt")
    made = choose(tmp_path, BASE).text.splitlines()
    assert made[-1] == 'CMD ["python3", "main.py"]'
    assert made.index("COPY . .") < next(n for n, line in enumerate(made) if "uv pip install" in line)


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "Dockerfile", "nowhere", "docker"])
def test_a_recipe_that_leads_to_no_file_of_the_repository_is_refused_by_name(
    tmp_path: Path, target: str
) -> None:
    (tmp_path / "outside").write_text("FROM x")
    folder = repository(tmp_path / "repo", "main.py", "docker/x")
    (folder / "Dockerfile").symlink_to(target)
    with pytest.raises(BuildFailed, match=r"^Dockerfile is a link that leads to no file of the repository"):
        choose(folder, BASE)


def test_other_links_that_lead_away_count_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "away.py").symlink_to("/etc/passwd")
    (tmp_path / "requirements.txt").symlink_to("/etc/passwd")
    assert choose(repository(tmp_path, "here.py"), BASE).text.endswith('CMD ["python3", "here.py"]\n')


def test_a_recipe_that_was_not_checked_out_is_refused_by_name(tmp_path: Path) -> None:
    left_out = ["left out x: a link that leads outside of the repo", "left out dockerfile: a submodule"]
    with pytest.raises(BuildFailed, match=r"^dockerfile is a submodule: replace it"):
        choose(repository(tmp_path, "here.py"), BASE, left_out)
    assert choose(tmp_path, BASE, left_out[:1]).heuristic is Heuristic.PROGRAM


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (("dockerfile", "a.py"), "dockerfile"),
        (("DockerFile", "containerfile"), "DockerFile"),
        (("containerfile", "a.py"), "containerfile"),
        (("dockerfile", "Containerfile"), "Containerfile"),
        (("dockerfile", "Dockerfile", "DOCKERFILE"), "Dockerfile"),
        (("dockerfile/x", "Containerfile"), "Containerfile"),
    ],
)
def test_a_recipe_is_found_in_any_case(tmp_path: Path, names: tuple[str, ...], chosen: str) -> None:
    recipe = choose(repository(tmp_path, *names), BASE)
    assert (recipe.path, recipe.reason) == (chosen, f"built by its {chosen}")


@pytest.mark.parametrize("content", [b"FROM \xff\n", b"#" * (1 << 20 | 1)])
def test_a_recipe_that_is_no_reasonable_text_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "Dockerfile").write_bytes(content)
    with pytest.raises(BuildFailed, match="Dockerfile is"):
        choose(tmp_path, BASE)


@given(
    st.text(
        st.characters(blacklist_characters="/\0", blacklist_categories=("Cs", "Cc")), min_size=1, max_size=40
    )
)
@example("$(id)")
@example("${x}")
@example("we'ird\"$x\\")
@example("-c")
@example("--version")
@example("a\u2028b")
def test_any_name_of_a_file_stays_one_word_of_the_command(
    tmp_path_factory: pytest.TempPathFactory, stem: str
) -> None:
    folder = tmp_path_factory.mktemp("named")
    name = f"{stem}.py"
    if len(os.fsencode(name)) > 255:
        return
    (folder / name).write_text("")
    command = choose(folder, BASE).text.split("\n")[-2]
    assert json.loads(command.removeprefix("CMD ")) == ["python3", f"./{name}" if stem[0] == "-" else name]


def test_a_program_whose_name_is_not_utf_8_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text("")
    with pytest.raises(BuildFailed, match=r"^the name of the program caf.\.py is not UTF-8"):
        choose(tmp_path, BASE)


PYPROJECT = '[project]\nname = "birds"\nversion = "1"\n'
BUILD = '[build-system]\nrequires = ["setuptools"]\n'
DEPENDS = 'dependencies = ["six>=1", "rich; python_version > \'3\'"]\n'
HEADER = '# /// script\n# dependencies = [\n#   "six",\n# ]\n# ///\n'
PIP = " ".join(INSTALL)
RICH = "rich; python_version > '3'"
LISTED = f"RUN {json.dumps([*INSTALL, 'six>=1', RICH])}"
WHOLE = f"RUN {json.dumps([*INSTALL, '.'])}"


@pytest.mark.parametrize(
    ("files", "lines", "reason"),
    [
        ({"main.py": "", "helper.py": ""}, ["COPY . .", 'CMD ["python3", "main.py"]'], "runs main.py on"),
        ({"app.py": "", "b.py": ""}, ["COPY . .", 'CMD ["python3", "app.py"]'], "runs app.py on"),
        ({"job.py": "", "setup.cfg": "", "test_job.py": ""}, ['CMD ["python3", "job.py"]'], "runs job.py on"),
        ({"birds/__main__.py": ""}, ['CMD ["python3", "-m", "birds"]'], "runs the package birds on"),
        ({"main.sh": "echo"}, ['CMD ["sh", "main.sh"]'], "runs main.sh on"),
        ({"main.sh": "#!/usr/bin/env bash\n"}, ['CMD ["bash", "main.sh"]'], "runs main.sh on"),
        (
            {"main.py": "", "pyproject.toml": PYPROJECT + DEPENDS, "requirements.txt": "other"},
            [LISTED, "COPY . .", 'CMD ["python3", "main.py"]'],
            "with pyproject.toml installed",
        ),
        (
            {"main.py": "", "pyproject.toml": PYPROJECT + DEPENDS, "uv.lock": ""},
            [
                "COPY pyproject.toml uv.lock ./",
                "RUN /usr/local/bin/uv export",
                "COPY . .",
                'CMD ["python3", "main.py"]',
            ],
            "with pyproject.toml by uv.lock installed",
        ),
        (
            {
                "src/birds/__init__.py": "",
                "pyproject.toml": PYPROJECT + DEPENDS + '[project.scripts]\nfly = "birds:fly"\n' + BUILD,
            },
            [LISTED, "COPY . .", WHOLE, 'CMD ["fly"]'],
            "runs the script fly on",
        ),
        (
            {"src/birds/__main__.py": "", "pyproject.toml": PYPROJECT + BUILD},
            ["COPY . .", WHOLE, 'CMD ["python3", "-m", "birds"]'],
            "with pyproject.toml installed",
        ),
        (
            {"main.py": "", "pyproject.toml": "[tool.ruff]\n", "requirements.txt": "six"},
            ["COPY requirements.txt ./", f"RUN {PIP} -r requirements.txt", "COPY . ."],
            "with requirements.txt installed",
        ),
        (
            {"main.py": HEADER, "b.py": ""},
            [f"RUN {json.dumps([*INSTALL, 'six'])}", "COPY . ."],
            "with the header of main.py installed",
        ),
        ({"main.py": "", "setup.py": ""}, ["COPY . .", WHOLE], "runs main.py on"),
        (
            {"main.py": "", "requirements.txt": "six", "poetry.lock": "", "package.json": "{}"},
            ["COPY . ."],
            "installed; poetry.lock, package.json are not read",
        ),
    ],
)
def test_what_people_have_is_built(
    tmp_path: Path, files: dict[str, str], lines: list[str], reason: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    recipe = choose(tmp_path, BASE)
    assert reason in recipe.reason
    rest = iter(recipe.text.split("\n"))
    for line in lines:
        assert any(found.startswith(line) for found in rest), recipe.text


@pytest.mark.parametrize(
    ("files", "reason", "line"),
    [
        ({"main.py": "", "Pipfile": ""}, "Pipfile is not read here", "pipenv install"),
        ({"main.py": "", "poetry.lock": ""}, "poetry.lock is not read", "poetry install"),
        ({"main.py": "", "environment.yml": ""}, "environment.yml is not read", "pip3 install"),
        ({"package.json": "{}", "index.js": ""}, "package.json is not read", 'CMD ["node", "index.js"]'),
        ({"go.mod": "", "main.go": ""}, "go.mod is not read", "go build"),
        ({"plot.R": ""}, "plot.R is not read", 'CMD ["Rscript", "plot.R"]'),
        ({"a.py": "", "b.py": ""}, "none of them main.py", 'CMD ["python3", "main.py"]'),
    ],
)
def test_what_is_not_read_is_refused_with_a_dockerfile(
    tmp_path: Path, files: dict[str, str], reason: str, line: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(NoRecipe) as failed:
        choose(tmp_path, BASE)
    assert reason in str(failed.value)
    assert any(line in shown for shown in failed.value.lines)


@pytest.mark.parametrize(
    "text",
    [
        "[project",
        "[project]\ndependencies = 3\n",
        '[project]\ndependencies = ["--index-url=http://x"]\n',
        '[project]\ndependencies = ["a\\nRUN true"]\n',
        "a." * 400_000 + "a = 1\n",
        "x = {" + "a." * 5000 + "a = 1}\n",
    ],
)
def test_a_project_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "main.py").write_text("")
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(BuildFailed, match=r"pyproject\.toml"):
        choose(tmp_path, BASE)


@given(st.text("#/ scriptdependencies=[]\"'\n\r\\a", max_size=300))
def test_a_header_is_read_or_refused_with_any_content(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    folder = tmp_path_factory.mktemp("header")
    (folder / "main.py").write_text(f"# /// script\n{text}\n# ///\n")
    with suppress(BuildFailed):
        choose(folder, BASE)
