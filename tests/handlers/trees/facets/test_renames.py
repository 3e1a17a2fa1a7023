"""After a rename that mends, what named a thing of one's own leads there still, and is else the same."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path as Folder

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chains.language.ast import RepoRef, from_data
from chains.language.mapping import parse as parse_mapping
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.parts import part_requests
from handlers.render.mails.mail_content import read_mail
from handlers.rendering.port import RenderFailed, Rendering, RenderOrder
from handlers.rules.mounts import parse as parse_mounts
from handlers.services.copies import document_places
from handlers.services.documents.part_paths import PartPath, part_paths
from handlers.trees.facets import referrers
from tests.handlers.household import TREE, Household
from tests.handlers.services.documents.stage import DOC, Reader, make_report, share
from tests.handlers.trees.town import Sent
from vfs.access import EVERYTHING, Caller, Claim, Verb, Via
from vfs.call import Call
from vfs.errors import Invalid
from vfs.path import Path
from vfs.serve import serve

PLOT = "/v1/vis/plots/one"
PATHS = st.sampled_from(
    [
        "/p/one",
        "p/one",
        "/u/alice/p/one",
        "u/alice/p/one",
        "/u/bob/p/one",
        "/p/one2",
        "/g/one",
        "https://h/p/one",
    ]
)
SIGNS = st.text("ab: =>#/`\n\r-{}", max_size=12)
CONTENTS = st.lists(
    st.one_of(
        st.builds("{{{{ vis ref: {} }}}}\n\n".format, PATHS),
        st.builds("![a]({}/a/l.png)\n".format, PATHS),
        st.builds("{{{{{}/v/rate}}}} ".format, PATHS),
        st.builds("`{}` {} ".format, PATHS, PATHS),
        st.builds("```\n{{{{ vis ref: {} }}}}\n```\n".format, PATHS),
        SIGNS,
    ),
    max_size=6,
).map("".join)
MAPPINGS = st.lists(
    st.one_of(
        st.builds(
            "{} => {}{}\n".format,
            st.sampled_from("ABC"),
            PATHS.filter(lambda path: "/g/" not in path),
            st.sampled_from(["", ", m=d", "?m=d"]),
        ),
        st.builds("{} - {}\n".format, SIGNS.map(lambda text: text.replace("=", "")), PATHS),
    ),
    max_size=4,
).map("".join)
LABELS = ("one", "cut", "two")
CHAINS = st.builds(
    lambda refs, end, order: end.join(
        [*(f"{label} <- {ref}" for label, ref in refs.items()), "# one", " -> ".join(order)]
    ),
    st.dictionaries(
        st.sampled_from(LABELS), st.sampled_from(["one", "@alice/one", "@alice/one:v2", "@bob/one", "/j/one"])
    ),
    st.sampled_from(["\n", "\r\n", " # one\n"]),
    st.permutations(LABELS),
)
MOUNTS = st.dictionaries(
    st.sampled_from(["one", "b", "c"]),
    st.sampled_from(["/u/alice/s/one", "u/bob/s/one", "/u/alice/s/one,rw"]),
).map(lambda found: "".join(f"{name} =>  {space} # /u/alice/s/one\n" for name, space in found.items()))


def rename(household: Household, path: str, name: str, *, mend: bool = True, who: str = "alice") -> str:
    wish = json.dumps({"name": name, "mend": mend})
    return str(household.call(who, Verb.RENAME, path, wish, media="application/json").value)


def text_of(household: Household, path: str) -> str:
    return str(household.call("alice", Verb.READ, path).value)


def ids(household: Household, kind: str, names: list[tuple[str, str]]) -> list[int | tuple[str, str]]:
    """The items that are named, by their ids; by what was said where there is none."""
    found = [household.world.items.find(kind, owner, name, owner) for owner, name in names]
    return [one.item.id if one is not None else name for one, name in zip(found, names, strict=True)]


def parts(household: Household, kind: str, text: str) -> list[object]:
    document = read_document(text) if kind == "doc" else read_mail(text).document
    paths = part_paths(
        part_requests(document, "doc"), PartPath(kind, "alice", "me"), household.world.service.kinds
    )
    named = [path for path in paths.all if path.kind not in ("", "user")]
    leads = [(path.kind, ids(household, path.kind, [(path.owner, path.name)]), path.leaf) for path in named]
    return sorted(leads, key=str)


@pytest.fixture
def stage(household: Household, tmp_path: Folder) -> Household:
    """alice's report, a mail, a grid and a job, and things of hers and bob's that are called `one`."""
    make_report(household, tmp_path)
    for who in ("alice", "bob"):
        for path in ("vis/plots/one", "vis/grids/one", "code/repos/one", "code/spaces/one"):
            if (who, path) != ("alice", "vis/plots/one"):
                household.call(who, Verb.CREATE, f"/v1/{path}")
    household.job("one", chain="", schedule="")
    household.job("work", chain="", schedule="")
    household.call("alice", Verb.CREATE, "/v1/vis/mails/letter")
    return household


FILES = {
    "doc": f"{DOC}/content",
    "mail": "/v1/vis/mails/letter/content",
    "grid": "/v1/vis/grids/board/mapping",
}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CONTENTS, MAPPINGS)
def test_what_names_a_plot_follows_it(stage: Household, content: str, mapping: str) -> None:
    texts = {"doc": content, "mail": content, "grid": mapping}
    for kind, path in FILES.items():
        stage.write("alice", path, texts[kind])

    def meant() -> dict[str, object]:
        bound = parse_mapping(text_of(stage, FILES["grid"]))
        named = {
            label: one.ref
            if one.ref.short
            else (ids(stage, "plot", [(one.ref.owner or "alice", one.ref.name)]), one.options)
            for label, one in bound.items()
        }
        return {
            "grid": named,
            **{kind: parts(stage, kind, text_of(stage, FILES[kind])) for kind in ("doc", "mail")},
        }

    before = meant()
    told = rename(stage, PLOT, "zz9")
    try:
        assert "warning" not in told
        assert meant() == before
        for kind, path in FILES.items():
            made = text_of(stage, path)
            assert made.replace("/zz9", "/one") == texts[kind]
            assert (made != texts[kind]) == (path.replace("/v1", "/v1/users/alice", 1) in told)
        derived = text_of(stage, "/v1/vis/grids/board/json/meta_data.json")
        stage.write("alice", FILES["grid"], text_of(stage, FILES["grid"]))
        assert text_of(stage, "/v1/vis/grids/board/json/meta_data.json") == derived
    finally:
        rename(stage, "/v1/vis/plots/zz9", "one")
    assert {kind: text_of(stage, path) for kind, path in FILES.items()} == texts


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CHAINS, MOUNTS, st.sampled_from(["repos", "jobs", "spaces"]))
def test_what_a_job_names_is_followed(stage: Household, chain: str, mounts: str, folder: str) -> None:
    config = "/v1/code/jobs/work/config"
    stage.write("alice", f"{config}/chains", chain)
    stage.write("alice", f"{config}/spaces", mounts)

    def meant() -> tuple[object, ...]:
        job = stage.world.items.find("job", "alice", "work", "alice")
        assert job is not None
        plan = stage.world.leaves.get(job.item.id, "config/plan")
        assert plan is not None
        chain = from_data(json.loads(plan.text or ""))
        steps = {
            step.label: ids(stage, "repo", [(step.ref.owner or "alice", step.ref.repo)])
            if isinstance(step.ref, RepoRef)
            else ids(stage, "job", [(step.ref.owner or "alice", step.ref.job)])
            for step in chain.steps
        }
        mounted = parse_mounts(text_of(stage, f"{config}/spaces"))
        spaces = [(one.name, ids(stage, "space", [(one.owner, one.space)]), one.writable) for one in mounted]
        return steps, sorted(chain.edges), spaces

    before = meant()
    assert "warning" not in rename(stage, f"/v1/code/{folder}/one", "zz9")
    assert meant() == before
    assert text_of(stage, f"{config}/spaces").replace("/zz9", "/one") == mounts
    rename(stage, f"/v1/code/{folder}/zz9", "one")
    assert meant() == before
    assert text_of(stage, f"{config}/spaces") == mounts


def test_a_document_that_is_renamed_follows_itself(stage: Household) -> None:
    stage.write("alice", f"{DOC}/content", "![a](/d/report/a/logo.png) d/report")
    told = rename(stage, DOC, "paper")
    assert told.endswith("/v1/users/alice/vis/docs/paper/content follows\n")
    assert text_of(stage, "/v1/vis/docs/paper/content") == "![a](/d/paper/a/logo.png) d/report"


def test_a_name_that_stays_breaks_nothing(stage: Household) -> None:
    assert rename(stage, PLOT, "one", mend=False) == f"renamed {PLOT} to {PLOT}\n"
    assert rename(stage, PLOT, "one") == f"renamed {PLOT} to {PLOT}\n"


def test_the_offer_is_as_one_types_it(stage: Household) -> None:
    told = rename(stage, PLOT, "first", mend=False)
    offer = told.splitlines()[-1]
    assert offer.endswith(
        'PATCH /v1/vis/plots/first with {"name": "one"}, '
        'then /v1/vis/plots/one with {"name": "first", "mend": true}'
    )
    for path, wish in (("/v1/vis/plots/first", {"name": "one"}), (PLOT, {"name": "first", "mend": True})):
        reply = stage.call("alice", Verb.RENAME, path, json.dumps(wish), media="application/json")
    assert "docs/report/content follows" in str(reply.value)
    assert "/p/one" not in text_of(stage, f"{DOC}/content")


def test_what_somebody_else_wrote_last_stays_theirs(stage: Household) -> None:
    """A text is shown with the rights of its last writer: the owner's would show them more."""
    share(stage, "grid", "alice", "board", "@bob", "rw")
    stage.write("bob", "/v1/users/alice/vis/grids/board/mapping", "A => /p/one")
    told = rename(stage, PLOT, "first")
    assert "warning: /v1/users/alice/vis/grids/board/mapping names one still: @bob wrote it last" in told
    assert text_of(stage, FILES["grid"]) == "A => /p/one"


def test_a_form_that_is_not_reached_is_named(stage: Household) -> None:
    stage.write("alice", FILES["doc"], "![a](/p/&#111;ne/a/l.png) `/p/one`")
    told = rename(stage, PLOT, "first")
    assert "docs/report/content names /p/one/a/l.png still, in a form that is not rewritten" in told
    assert "content follows" not in told


def test_a_text_that_grows_too_large_is_left(stage: Household) -> None:
    text = "{{ vis ref: /p/one }}\n" + "x" * ((1 << 20) - 22)
    stage.write("alice", FILES["doc"], text)
    told = rename(stage, PLOT, "first")
    assert "docs/report/content names one still: the text has more than 1,048,576 bytes" in told
    assert text_of(stage, FILES["doc"]) == text
    assert text_of(stage, FILES["grid"]) == "A => /p/first\n"


def test_what_a_credential_may_not_write_is_left(stage: Household) -> None:
    stage.write("alice", "/v1/code/jobs/work/config/chains", "one")
    wish = json.dumps({"name": "first", "mend": True}).encode()
    for claim in ({"repo": EVERYTHING}, {"repo": EVERYTHING, "job": EVERYTHING}):
        caller = Caller("alice", Via.RUN, Claim("narrow", claim))
        path = Path.parse("/v1/users/alice/code/repos/one")
        call = Call(Verb.RENAME, path, caller, stage.world, Sent(wish, "application/json"))
        told = str(serve(TREE, call).value)
        assert "warning: /v1/users/alice/code/jobs/work/config/chains names one still: " in told
        assert text_of(stage, "/v1/code/jobs/work/config/chains") == "one"
        rename(stage, "/v1/code/repos/first", "one", mend=False)


def test_only_its_owner_mends_and_copies_mend_nothing(stage: Household) -> None:
    both = json.dumps({"name": "first", "mend": True, "copy": True})
    with pytest.raises(Invalid, match="send copy or mend"):
        stage.call("alice", Verb.RENAME, PLOT, both, media="application/json")


class Meddler(Reader):
    """A renderer while whose first look at references somebody writes."""

    def __init__(self, household: Household) -> None:
        super().__init__()
        self.household: Household | None = household

    def render(self, order: RenderOrder) -> Rendering:
        household = self.household
        if order.form == "references" and household is not None:
            self.household = None
            household.write("alice", FILES["doc"], "{{ vis ref: /p/one }}")
            household.call("alice", Verb.REMOVE, "/v1/vis/grids/board")
        return super().render(order)


class Weary(Reader):
    """A renderer that reads nothing."""

    def render(self, order: RenderOrder) -> Rendering:
        raise RenderFailed("it is too much")


@pytest.mark.parametrize("other", [Meddler, lambda household: Weary()])
def test_what_was_not_read_as_it_is_is_left(stage: Household, other) -> None:
    visuals = replace(stage.world.visuals, renderer=other(stage))
    stage.world = replace(stage.world, visuals=visuals)
    assert "docs/report/content names one still: it was written just now, or" in rename(stage, PLOT, "first")
    assert "/p/one" in text_of(stage, FILES["doc"])


def test_where_there_is_no_time_the_rest_is_left(stage: Household, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_places, "AT_A_TIME", 1)
    monkeypatch.setattr(document_places, "monotonic", iter([0.0, 1e9, 1e9]).__next__)
    for name in ("a", "b"):
        stage.call("alice", Verb.CREATE, f"/v1/vis/docs/{name}")
        stage.write("alice", f"/v1/vis/docs/{name}/content", "{{ vis ref: /p/one }}")
    told = rename(stage, PLOT, "first")
    assert "docs/report/content follows" in told
    assert "docs/a/content names one still" in told
    assert "docs/b/content names one still" in told


def test_many_are_counted(stage: Household, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):
        stage.call("alice", Verb.CREATE, f"/v1/vis/grids/g{number}")
        stage.write("alice", f"/v1/vis/grids/g{number}/mapping", "A => /p/one")
    told = rename(stage, PLOT, "first", mend=False)
    assert told.count("names one still") == 10
    assert "warning: and 4 more\n" in told
    rename(stage, "/v1/vis/plots/first", "one")
    told = rename(stage, PLOT, "first")
    assert told.count(" follows\n") == 10
    assert told.endswith("and 4 more\n")
    monkeypatch.setattr(referrers, "MOST_LOOKED_UP", 3)
    assert rename(stage, "/v1/vis/plots/first", "one").count(" follows\n") == 3
