"""The pages of repos, spaces and a job's editor: accessible by axe's rules, and within their width."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.handlers.pages.visitor import Owner, Visitor

LONG = "a_name_of_a_file_that_nobody_would_type_by_hand_but_programs_do_all_the_time_and_without_a_gap.csv"
SCREENS = {"phone": (390, "dark"), "desktop": (1280, "light"), "narrow": (320, "light")}


def addresses(owner: Owner) -> list[str]:
    """The pages, with long names and names from right to left."""
    readme = "# Words\n\n| a | b |\n|--|--|\n| 1 | 2 |\n"
    files = {"Containerfile": "FROM scratch", "README.md": readme, LONG: "x" * 3_000, "ملف.txt": "مرحبا"}
    owner.push("split", files)
    owner.put("spaces/raw")
    for name in ("2026/a.csv", LONG, "%D9%85%D9%84%D9%81.txt"):
        owner.write(f"spaces/raw/content/{name}", "a,b\n" + "1" * 3_000)
    job = owner.job(
        "weekly", "split -> .total -> !report", config__schedule="30 6 * * 1", config__env__KEY="x"
    )
    sha = owner.read("repos/split/commits")[0]["name"]
    repo, space = f"/u/{owner.name}/r/split", f"/u/{owner.name}/s/raw"
    return [
        *(repo, f"{repo}/at/main/{LONG}", f"{repo}/commits", f"{repo}/commits/{sha}", f"{repo}/builds"),
        *(space, f"{space}/2026", f"{space}/{LONG}", f"{space}/changes", job, f"{job}/edit"),
    ]


def test_pages_are_accessible_and_fit(window: Callable[..., Visitor], owner: Owner) -> None:
    axe, wrong, pages = Axe(), [], addresses(owner)
    for width, scheme in SCREENS.values():
        view = {
            "viewport": {"width": width, "height": 800},
            "color_scheme": scheme,
            "reduced_motion": "reduce",
        }
        visitor = window(**view)
        visitor.sign_in(owner.name)
        for path in pages:
            assert visitor.open(path) == 200
            for closed in visitor.page.locator("details").all():
                closed.evaluate("one => { one.open = true; }")
            found = axe.run(visitor.page, options={"resultTypes": ["violations"], "preload": False})
            wrong += [f"{path} {width}: {one['id']}: {one['nodes']}" for one in found.response["violations"]]
            over = visitor.page.evaluate("document.documentElement.scrollWidth")
            wrong += [f"{path}: {over} wide of {width}"] * (over > width)
    assert wrong == []


@pytest.mark.parametrize("path", ["/u/{}/r/absent", "/u/{}/s/absent", "/u/{}/j/absent/edit"])
def test_what_is_not_there_is_said_so(visitor: Visitor, owner: Owner, path: str) -> None:
    visitor.sign_in(owner.name)
    assert visitor.open(path.format(owner.name)) == 404
