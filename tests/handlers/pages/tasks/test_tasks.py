"""Common tasks, each in a limited number of clicks from home, with scripts and without."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser

from tests.handlers.pages.account.letters import letters_to, link_in
from tests.handlers.pages.tasks import code_tasks, people_tasks, visual_tasks
from tests.handlers.pages.tasks.person import Person
from tests.handlers.pages.web_user import Library, Owner
from tests.kit.server import Server


class Task(NamedTuple):
    """A goal, its steps, and the most clicks with scripts and without."""

    goal: str
    most: int
    plain: int
    do: Callable[[Person], None]


TASKS = (
    Task("1 first account", 1, 1, people_tasks.make_first_account),
    Task("2 account of a colleague", 5, 5, people_tasks.invite_a_colleague),
    Task("3 plot of a CSV with German numbers", 4, 4, visual_tasks.plot_a_file),
    Task("4 plot pasted from a sheet", 3, 4, visual_tasks.plot_pasted_rows),
    Task("5 title, type and colours of a plot", 5, 5, visual_tasks.change_a_chart),
    Task("6 document of text, plot and table", 8, 9, visual_tasks.write_with_a_chart),
    Task("7 grid of three plots", 11, 12, visual_tasks.make_a_grid),
    Task("8 mail with a plot", 6, 7, visual_tasks.mail_it),
    Task("9 share with a colleague, who accepts", 5, 5, people_tasks.share_with_a_colleague),
    Task("10 group, invitation, acceptance", 5, 5, people_tasks.make_a_group),
    Task("11 share with a group", 4, 4, people_tasks.share_with_a_group),
    Task("12 comment that tells somebody", 4, 4, people_tasks.comment_and_tell),
    Task("13 tag", 3, 3, people_tasks.tag_it),
    Task("14 find", 0, 0, people_tasks.find_by_name),
    Task("15 code of a repo", 5, 5, code_tasks.write_code),
    Task("16 job with a chain", 5, 6, code_tasks.write_a_chain),
    Task("17 run with a file", 3, 3, code_tasks.run_with_a_file),
    Task("18 answer a hold, one file edited", 4, 4, code_tasks.answer_a_hold),
    Task("19 why a run failed", 1, 1, code_tasks.see_why_a_run_failed),
    Task("20 every Monday at six", 4, 5, code_tasks.run_on_mondays),
    Task("21 PDF, PPTX and XLSX", 4, 4, visual_tasks.download_it),
    Task("22 delete, and what names it", 5, 5, visual_tasks.delete_it),
    Task("23 rename, and what names it", 4, 4, visual_tasks.rename_it),
    Task("24 copy of a colleague's document", 4, 4, visual_tasks.copy_a_colleague_s),
    Task("25 two tabs, and a session that ends", 6, 6, visual_tasks.lose_nothing),
)
WAYS = {
    "F1 share with somebody whom one does not see": (
        "tasks/people_tasks.py::share_with_a_colleague",
        "people/test_inviting.py::test_a_refused_share_asks_waits_and_begins",
    ),
    "F3 mail of a server that sends none": (
        "writing/test_editors.py::test_a_mail_is_addressed_and_sent_from_its_own_page",
        "framing/test_page_words.py::test_no_sentence_says_that_a_mail_leaves_a_server_without_a_relay",
        "tasks/people_tasks.py::make_first_account",
    ),
    "F4 what is not saved, after each round trip": (
        "editing/test_every_editor.py::test_each_round_trip_is_kept_and_then_saved",
    ),
    "F5 rows pasted over others": (
        "charts/test_chart_editors.py::test_a_paste_into_the_first_cell_replaces_rows_that_nobody_changed",
        "charts/test_new_plot.py::test_an_example_is_chosen_and_nothing_is_empty",
    ),
    "F6 a chart in a text": (
        "tasks/visual_tasks.py::write_with_a_chart",
        "writing/test_inserting.py::test_each_kind_is_inserted_with_keys_alone",
    ),
    "F9 months of German sheets": ("tasks/visual_tasks.py::plot_pasted_rows",),
    "F10 one title": ("tasks/visual_tasks.py::plot_pasted_rows", "tasks/visual_tasks.py::change_a_chart"),
    "F11 a copy that lacks its chart": (
        "owning/test_shown_parts.py::test_the_parts_that_a_copy_will_lack_are_listed_and_can_be_requested",
    ),
    "F12 a mistyped path": ("looks/test_one_head.py::test_a_missing_page_has_the_frame_of_all_pages",),
    "F13 a chart on a phone": ("documents/test_on_a_phone.py::test_nothing_of_a_document_is_cut_on_a_phone",),
    "F15 the first home of a colleague": ("tasks/people_tasks.py::share_with_a_colleague",),
    "F21 how one becomes an operator": ("tasks/people_tasks.py::make_first_account",),
    "F22 a server without accounts": ("tasks/people_tasks.py::make_first_account",),
}
"""Former dead ends, and the tests of their solutions."""
PAGES = Path(__file__).parents[1]


@pytest.fixture(scope="module", params=[True, False], ids=["scripts", "no scripts"])
def me(
    request: pytest.FixtureRequest,
    server: Server,
    library: Library,
    browser: Browser,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Person]:
    """A person with a session and a verified address."""
    owner = Owner(server, tmp_path_factory.mktemp("tasks"), library)
    person = Person(browser, owner, scripts=request.param)
    ((_, letter),) = letters_to(server, f"{owner.name}@birds.example")
    person.window.open(link_in(letter, server))
    person.press("text=Verify the address")
    yield person
    person.window.close()


@pytest.mark.parametrize("task", TASKS, ids=[task.goal.replace(" ", "-") for task in TASKS])
def test_it_is_done_in_few_clicks(me: Person, task: Task) -> None:
    task.do(me)
    assert me.clicks == (task.most if me.scripts else task.plain)


@pytest.mark.parametrize(
    "path, name", sorted({tuple(way.split("::")) for ways in WAYS.values() for way in ways})
)
def test_each_dead_end_has_a_test_of_its_way_on(path: str, name: str) -> None:
    tree = ast.parse((PAGES / path).read_text("utf-8"))
    assert name in {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}
    assert name.startswith("test_") or name in {task.do.__name__ for task in TASKS}
