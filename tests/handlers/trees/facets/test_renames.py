"""A rename that mends rewrites the references to an item of the same owner, and changes nothing else."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chains.language.ast import RepoRef, from_data
from chains.language.mapping import parse as parse_mapping
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.parts import part_requests
from handlers.render.mails.mail_html import read_mail
from handlers.rules.mounts import parse as parse_mounts
from handlers.services.documents.part_requests import PartPath, part_paths
from tests.handlers.service_world import ServiceWorld
from tests.handlers.trees.facets.named_things import FILES, PLOT, ids, rename, text_of

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


def parts(service_world: ServiceWorld, kind: str, text: str) -> list[object]:
    document = read_document(text) if kind == "doc" else read_mail(text).document
    paths = part_paths(
        part_requests(document, "doc"), PartPath(kind, "alice", "me"), service_world.world.service.kinds
    )
    named = [path for path in paths.all if path.kind not in ("", "user")]
    leads = [
        (path.kind, ids(service_world, path.kind, [(path.owner, path.name)]), path.leaf) for path in named
    ]
    return sorted(leads, key=str)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CONTENTS, MAPPINGS)
def test_references_to_a_renamed_plot_are_rewritten(stage: ServiceWorld, content: str, mapping: str) -> None:
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
    answer = rename(stage, PLOT, "zz9")
    try:
        assert "warning" not in answer
        assert meant() == before
        for kind, path in FILES.items():
            made = text_of(stage, path)
            assert made.replace("/zz9", "/one") == texts[kind]
            assert (made != texts[kind]) == (path.replace("/v1", "/v1/users/alice", 1) in answer)
        derived = text_of(stage, "/v1/vis/grids/board/json/meta_data.json")
        stage.write("alice", FILES["grid"], text_of(stage, FILES["grid"]))
        assert text_of(stage, "/v1/vis/grids/board/json/meta_data.json") == derived
    finally:
        rename(stage, "/v1/vis/plots/zz9", "one")
    assert {kind: text_of(stage, path) for kind, path in FILES.items()} == texts


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CHAINS, MOUNTS, st.sampled_from(["repos", "jobs", "spaces"]))
def test_references_in_a_job_are_rewritten(stage: ServiceWorld, chain: str, mounts: str, folder: str) -> None:
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
