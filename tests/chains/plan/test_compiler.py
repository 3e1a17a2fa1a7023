"""Plans: the order of steps, jobs spliced in, holds, what is refused, and what is stored."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.language.ast import JobRef, Phase, RepoRef
from chains.language.chain import parse
from chains.language.mistake import Mistake
from chains.plan.compiler import DEPTH, PlanFault, compile_chain, source_key
from chains.plan.frontier import Progress
from chains.plan.model import ComposedStep, Hold, ImageSource, JobSource, Plan, from_data, to_data

COMMIT = "3f9a01cc" * 5


class Registry:
    """Every repo has an image; jobs are given as `owner/job` and the text of their chain."""

    def __init__(self, jobs: dict[str, str]) -> None:
        self.jobs = {
            name: JobSource(*name.split("/"), item, f"Short{item}", parse(text))
            for item, (name, text) in enumerate(jobs.items(), 1)
        }

    def sources(self, chain, inside=None, depth=0):
        """Return all that a chain and its jobs refer to."""
        found = {}
        for step in chain.steps:
            key = source_key(step.ref, inside)
            found[key] = source = self.look_up(key[0])
            if isinstance(source, JobSource) and depth < DEPTH:
                found |= self.sources(source.chain, source, depth + 1)
        return found

    def look_up(self, ref):
        owner = ref.owner or "anna"
        if isinstance(ref, RepoRef):
            return ImageSource(owner, ref.repo, ref.label, f"sha256:{owner}-{ref.repo}", None)
        return self.jobs[f"{owner}/{ref.job}"]


def planned(text: str, **jobs: str) -> Plan:
    by_name = {name.replace("_", "/", 1): chain for name, chain in jobs.items()}
    return compile_chain(parse(text), Registry(by_name).sources(parse(text)))


def names(steps) -> list[str]:
    return [step.name for step in steps]


def refused(text: str, **jobs: str) -> Mistake:
    with pytest.raises(Mistake) as error:
        planned(text, **jobs)
    assert error.value.line == 0
    return error.value


def test_steps_stand_in_the_order_of_their_mention_where_edges_leave_a_choice():
    plan = planned("last -> end\nfetch -> left -> join\nfetch -> right -> join\njoin -> last\n")
    assert names(plan.steps) == ["fetch", "left", "right", "join", "last", "end"]
    assert [step.ordinal for step in plan.steps] == list(range(6))
    assert plan.edges == (
        ("fetch", "left"),
        ("fetch", "right"),
        ("left", "join"),
        ("right", "join"),
        ("join", "last"),
        ("last", "end"),
    )
    assert plan.step("join").predecessors == ("left", "right")
    with pytest.raises(KeyError):
        plan.step("nobody")


def test_ends_and_what_is_ready():
    plan = planned("a -> c\nb -> c -> d\nb -> e\n")
    assert names(plan.ends) == ["d", "e"]
    assert names(Progress(plan).ready()) == ["a", "b"]
    assert names(Progress(plan, {"b"}).ready()) == ["a", "e"]
    assert names(Progress(plan, {"a", "b"}).ready()) == ["c", "e"]
    assert names(Progress(plan, {"a", "b", "c", "d", "e"}).ready()) == []


def test_the_log_names_the_chain_then_every_image_and_commit():
    plan = planned("pull -> .cut -> pack\ncut <- @acme/splitter:v2\n")
    built = replace(plan.step("cut"), source=replace(plan.step("cut").source, commit=COMMIT))
    plan = replace(plan, steps=(plan.steps[0], built, plan.steps[2]))
    assert plan.headline() == "Chain: pull -> cut -> pack"
    assert plan.lines() == (
        "pull: @anna/pull:latest",
        f"cut: @acme/splitter:v2 (commit {COMMIT})",
        "pack: @anna/pack:latest",
    )
    assert [step.fan_out for step in plan.steps] == [False, True, False]


def test_a_short_reference_of_a_job_gets_the_owner_of_the_job():
    registry = Registry({"bea/sub": "x -> y", "bea/deep": "in <- j/sub\nz -> in"})
    chain = parse("in <- /u/bea/j/deep\none <- x\none -> in")
    plan = compile_chain(chain, registry.sources(chain))
    assert plan.step("in__in__x").source.owner == "bea"
    assert plan.step("one").source.owner == "anna"


def test_a_job_is_spliced_between_its_neighbours():
    plan = planned("sub <- j/sub\na -> sub -> b\nc -> sub\n", anna_sub="x -> y\nx -> z\nw -> z\n")
    assert names(plan.steps) == ["a", "c", "sub__x", "sub__y", "sub__w", "sub__z", "b"]
    assert set(plan.edges) == {
        ("a", "sub__x"),
        ("a", "sub__w"),
        ("c", "sub__x"),
        ("c", "sub__w"),
        ("sub__x", "sub__y"),
        ("sub__x", "sub__z"),
        ("sub__w", "sub__z"),
        ("sub__y", "b"),
        ("sub__z", "b"),
    }
    assert plan.step("sub__w").parent == "sub"
    assert plan.step("a").parent is None
    assert plan.composed == (ComposedStep("sub", "anna", "sub", 1, "Short1", None),)


def test_jobs_in_jobs_are_spliced_by_joined_names():
    plan = planned(
        "outer <- j/outer\nouter -> end\n",
        anna_outer="inner <- /u/bea/j/inner\npre -> inner",
        bea_inner="step -> .last",
    )
    assert plan.headline() == "Chain: outer__pre -> outer__inner__step -> outer__inner__last -> end"
    assert [(c.name, c.owner, c.job, c.parent) for c in plan.composed] == [
        ("outer", "anna", "outer", None),
        ("outer__inner", "bea", "inner", "outer"),
    ]
    last = plan.step("outer__inner__last")
    assert (last.parent, last.fan_out, last.source.owner) == ("outer__inner", True, "bea")


def test_a_lone_job_is_its_steps():
    plan = planned("/u/bea/j/sub", bea_sub="a -> b")
    assert plan.edges == (("sub__a", "sub__b"),)


def test_holds_stand_in_the_order_of_the_run():
    plan = planned("a! -> !b! -> !c")
    assert plan.holds == (
        Hold("a", Phase.AFTER, 0, ("a",)),
        Hold("b", Phase.BEFORE, 1, ("b",)),
        Hold("b", Phase.AFTER, 1, ("b",)),
        Hold("c", Phase.BEFORE, 2, ("c",)),
    )


def test_holds_of_a_job_stand_around_its_first_and_last_steps_and_inner_ones_are_kept():
    plan = planned("sub <- j/sub\na -> !sub!", anna_sub="!x! -> z\ny -> z\nx -> w!")
    assert names(plan.steps) == ["a", "sub__x", "sub__y", "sub__z", "sub__w"]
    assert plan.holds == (
        Hold("sub", Phase.BEFORE, 1, ("sub__x", "sub__y")),
        Hold("sub__x", Phase.BEFORE, 1, ("sub__x",)),
        Hold("sub__x", Phase.AFTER, 1, ("sub__x",)),
        Hold("sub__w", Phase.AFTER, 4, ("sub__w",)),
        Hold("sub", Phase.AFTER, 4, ("sub__z", "sub__w")),
    )


def test_a_job_that_runs_itself_is_refused_with_the_circle():
    mistake = refused("a -> sub\nsub <- j/sub", anna_sub="/u/anna/j/sub")
    assert mistake.label is PlanFault.RECURSION
    assert "/u/anna/j/sub -> /u/anna/j/sub" in mistake.detail


def test_a_circle_of_jobs_is_named_without_the_way_to_it():
    jobs = {"anna_start": "/u/bea/j/b", "bea_b": "/u/cy/j/c", "cy_c": "x -> sub\nsub <- /u/bea/j/b"}
    mistake = refused("/j/start", **jobs)
    assert mistake.label is PlanFault.RECURSION
    assert ": /u/bea/j/b -> /u/cy/j/c -> /u/bea/j/b;" in mistake.detail


def nested(depth: int) -> dict[str, str]:
    jobs = {f"anna_j{number}": f"j/j{number + 1}" for number in range(1, depth)}
    return jobs | {f"anna_j{depth}": "step"}


def test_jobs_stand_eight_deep_and_no_deeper():
    plan = planned("j/j1", **nested(8))
    assert names(plan.steps) == ["j1__j2__j3__j4__j5__j6__j7__j8__step"]
    mistake = refused("j/j1", **nested(9))
    assert mistake.label is PlanFault.TOO_DEEP
    assert "/u/anna/j/j9" in mistake.detail


def test_a_name_of_more_than_200_characters_is_refused():
    label = "x" * 64
    jobs = {"anna_j1": f"{label} <- j/j2", "anna_j2": f"{label} <- j/j3", "anna_j3": label}
    assert refused(f"{label} <- j/j1", **jobs).label is PlanFault.LONG_NAME


def wide(count: int) -> str:
    return "\n".join(f"s{number} <- j/wide\nend -> s{number}" for number in range(count))


def test_many_steps_by_few_words_are_refused():
    jobs = {
        "anna_wide": "\n".join(f"s{n} <- j/deep\nend -> s{n}" for n in range(120)),
        "anna_deep": wide(120),
    }
    jobs["anna_deep"] = jobs["anna_deep"].replace("j/wide", "repo")
    assert refused(wide(1), **jobs).label is PlanFault.TOO_MANY


def test_many_edges_by_few_words_are_refused():
    lanes = "\n".join(f"a{number} -> b{number}" for number in range(250))
    mistake = refused("left <- j/lanes\nright <- j/lanes\nleft -> right", anna_lanes=lanes)
    assert mistake.label is PlanFault.TOO_MANY
    assert "edges" in mistake.detail


def test_a_plan_is_stored_as_plain_data():
    plan = planned("sub <- j/sub\n!a -> sub! -> .b\n", anna_sub="x! -> y")
    data = json.loads(json.dumps(to_data(plan)))
    assert from_data(data) == plan
    assert data["steps"][1] == {
        "name": "sub__x",
        "ordinal": 1,
        "source": {
            "owner": "anna",
            "repo": "x",
            "label": "latest",
            "image_id": "sha256:anna-x",
            "commit": None,
            "item": None,
            "lack": "",
        },
        "fan_out": False,
        "predecessors": ["a"],
        "parent": "sub",
    }
    assert data["holds"][0] == {"step": "a", "phase": "before", "ordinal": 0, "steps": ["a"]}


LABELS = [f"s{number}" for number in range(9)]


@given(
    st.lists(
        st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=20, unique=True
    )
)
def test_every_plan_is_in_topological_order_and_round_trips(pairs):
    edges = sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]} | {("s0", "s9")})
    text = "s1 <- j/sub\n" * any("s1" in edge for edge in edges) + "\n".join(f"{a} -> {b}" for a, b in edges)
    plan = planned(text, anna_sub="x -> y\nx -> z")
    places = {step.name: step.ordinal for step in plan.steps}
    assert list(places.values()) == list(range(len(places)))
    assert all(places[before] < places[after] for before, after in plan.edges)
    assert {(p, step.name) for step in plan.steps for p in step.predecessors} == set(plan.edges)
    assert from_data(json.loads(json.dumps(to_data(plan)))) == plan
    done: set[str] = set()
    while ready := Progress(plan, done).ready():
        done.update(names(ready))
    assert done == set(places)


def test_two_jobs_may_use_different_items_of_a_name():
    registry = Registry({"bea/one": "@anna/x", "cy/two": "@anna/x"})
    chain = parse("a <- /u/bea/j/one\nb <- /u/cy/j/two\na -> b")
    sources, other = registry.sources(chain), ImageSource("anna", "x", "latest", "sha256:other", None)
    plan = compile_chain(chain, {**sources, (RepoRef("anna", "x", "latest"), 2): other})
    assert plan.step("b__x").source == other != plan.step("a__x").source


def test_a_child_run_keeps_the_author_and_the_spaces_of_its_job():
    source = JobSource("bea", "sub", 7, "Short7", parse("x"), "cy", "n => /u/bea/s/notes")
    image = ImageSource("bea", "x", "latest", None, None)
    sources = {(JobRef("bea", "sub"), None): source, (RepoRef("bea", "x", "latest"), 7): image}
    (composed,) = compile_chain(parse("/u/bea/j/sub"), sources).composed
    assert (composed.author, composed.spaces) == ("cy", "n => /u/bea/s/notes")
