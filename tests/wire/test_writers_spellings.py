"""A writer with `w` learns nothing of the owner's by any spelling of a reference, in any form of text."""

from __future__ import annotations

import base64

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kit.service import Application
from tests.wire.test_writers import drawing_service
from tests.wire.writers import MARKER, PNG, Writers

__all__ = ["drawing_service"]

FORMS = {"doc": ("html", "md"), "mail": ("html", "txt", "ansi"), "grid": ("html", "svg", "txt", "ansi")}
SECRETS = (MARKER.encode(), base64.b64encode(PNG)[:60])
ORIGIN = "http://localhost:8000"
PLACES = (
    "p/secret",
    "g/secret",
    "d/secret",
    "p/secret/v/pay",
    "d/secret/a/mark.png",
    "p/secret/svg",
    "SHORT",
)
STARTS = (
    "/u/alice/",
    "/",
    "u/alice/",
    "/u/ALICE/",
    "/u/%61lice/",
    "/v1/u/alice/",
    "//u/alice/",
    "/u/bob/../alice/",
)
ENDS = ("", "/", "?m=d", "#a", "%00", " ", "/v/pay", "/a/mark.png", "/data", "/files/plot.svg")
WRAPS = (
    "{{ vis ref: REF }}",
    '{{ vis ref: "REF", width: 50% }}',
    "{{ vis\nref: REF\n}}",
    "{{ img ref: REF }}",
    "![a](REF)",
    "![a][b]\n\n[b]: REF",
    "[a](REF)",
    "{REF}",
    "{{ html }}\n<img src='REF'><object data='REF'></object><svg><use href='REF'/></svg>\n{{ /html }}",
    "{{ author username: alice, override bio: REF }}",
    "{{ callout info, title: {REF} }}\n{REF}\n{{ /callout }}",
    "A => REF",
    "A => REF, s: 2",
    "B => REF?mode=d",
)


@st.composite
def references(draw: st.DrawFn) -> str:
    """A reference to something of alice's, spelled in one of many ways, most of them wrong."""
    start = draw(st.sampled_from(("", ORIGIN))) + draw(st.sampled_from(STARTS))
    return start + draw(st.sampled_from(PLACES)) + draw(st.sampled_from(ENDS))


def wrapped(wrap: str, ref: str) -> str:
    return wrap.replace("REF", ref)


TEXTS = st.lists(
    st.builds(wrapped, st.sampled_from(WRAPS), references())
    | st.sampled_from(("A => SHORT", "{{ vis ref: SHORT }}")),
    min_size=1,
    max_size=12,
).map("\n\n".join)


def test_no_spelling_shows_what_only_the_owner_sees(drawing_service: Application) -> None:
    site = Writers(drawing_service, "alice")
    site.make_secret()

    @settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(TEXTS, st.sampled_from(("", "---\nauthor: alice\nlogo: /u/alice/d/secret/a/mark.png\n---\n")))
    def write(text: str, front: str) -> None:
        sent = front + text.replace("SHORT", site.shortname)
        for kind, rel in (("doc", "content"), ("mail", "content"), ("grid", "mapping")):
            site.ask("bob", "POST", f"/v1/users/alice/vis/{kind}s/r/{rel}", sent)
        for path, (_, body) in site.shown("bob", FORMS).items():
            assert not [one for one in SECRETS if one in body], (path, sent)

    write()
    site.write("alice")
    everything = b"".join(body for _, body in site.shown("bob", FORMS).values())
    assert all(one in everything for one in SECRETS)
