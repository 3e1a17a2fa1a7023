"""Making, naming, tagging, sharing, copying and deleting on pages, by forms without scripts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from urllib.parse import urlencode

import pytest

from handlers.pages.examples import kind_example
from handlers.rules.kinds import ResourceKind
from handlers.trees import KINDS
from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Answer, Wire

BOUNDARY = "multipart/form-data; boundary=xx"


def send(wire: Wire, path: str, **fields: str) -> Answer:
    """Send a form of a page."""
    sent = {name.replace("__", " "): value for name, value in fields.items()}
    return wire.ask("POST", path, urlencode({**sent, "token": wire.token(path)}), Origin=wire.origin)


def follow(wire: Wire, answer: Answer) -> Answer:
    """Follow the redirect of a response."""
    assert answer.status == 303, answer.body
    return wire.ask("GET", answer.headers["Location"])


def undo(wire: Wire, page: Answer) -> Answer:
    """Press Undo."""
    form = re.search(r'<form method="post" action="([^"]*)">((?:<input[^>]*>)*)<button[^>]*>Undo', page.body)
    assert form is not None, page.body
    fields = re.findall(r'name="([^"]*)" value="([^"]*)"', form[2])
    sent = urlencode({unescape(name): unescape(value) for name, value in fields})
    return follow(wire, wire.ask("POST", unescape(form[1]), sent, Origin=wire.origin))


def read(owner: Owner, path: str) -> object:
    return owner.server.ask("GET", path, who=owner.name)


def names(owner: Owner, path: str) -> list[str]:
    return [row["name"] for row in read(owner, path)]  # type: ignore[attr-defined]


@pytest.fixture
def page(painter: Painter) -> str:
    return painter.make("plots/sales", data="a,b\nx,1\n", name="Sales")


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_each_kind_is_made_with_its_example(wire: Wire, owner: Owner, kind: ResourceKind) -> None:
    at = f"/new/{kind.noun}"
    begin = "example" if kind_example(kind) else "nothing"
    rows = {"text.data": kind_example(kind).get("data", "")}
    answer = send(wire, at, title="Größe der Möwen!", begin=begin, **rows)
    assert answer.status == 303, answer.body
    folder = f"{kind.family}/{kind.folder}/grosse_der_mowen"
    assert answer.headers["Location"].startswith(f"/u/{owner.name}/{kind.letter}/grosse_der_mowen")
    assert read(owner, f"{folder}/name") == "Größe der Möwen!"
    for file, text in kind_example(kind).items():
        content = read(owner, f"{folder}/{file}")
        assert content == text or content["size"] == len(text)  # type: ignore[index]
    again = send(wire, at, title="Größe der Möwen!", name="grosse_der_mowen", begin=begin)
    assert again.status == 409
    assert "such as grosse_der_mowen_2" in again.body and 'value="Größe der Möwen!"' in again.body
    assert 'aria-describedby="wrong-name"' in again.body


def test_a_title_that_no_address_can_be_made_of_asks_for_one(wire: Wire, owner: Owner) -> None:
    response = send(wire, "/new/plot", title="销售", begin="nothing")
    assert response.status == 400 and 'value="销售"' in response.body
    assert 'aria-describedby="wrong-name"' in response.body and "such as plot_1" in response.body
    assert send(wire, "/new/plot", title="销售", name="plot_1", begin="nothing").status == 303
    assert read(owner, "vis/plots/plot_1/name") == "销售"
    assert 'aria-describedby="wrong-title"' in send(wire, "/new/plot", title=" ", begin="nothing").body


def test_an_item_can_begin_with_a_file_and_a_wrong_file_leaves_nothing(wire: Wire, owner: Owner) -> None:
    token = wire.token("/new/plot")

    def sent(raw: bytes, title: str) -> Answer:
        fields = {"token": token, "title": title, "name": "", "begin": "file"}
        parts = [f'--xx\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}' for k, v in fields.items()]
        head = '--xx\r\nContent-Disposition: form-data; name="file"; filename="rows.csv"\r\n\r\n'
        body = "\r\n".join([*parts, head]).encode() + raw + b"\r\n--xx--\r\n"
        return wire.ask("POST", "/new/plot", body, Content_Type=BOUNDARY, Origin=wire.origin)

    assert sent(b"\xef\xbb\xbfa,b\r\nx,1\r\n", "Rows").status == 303
    assert read(owner, "vis/plots/rows/data") == "a,b\nx,1\n"
    refused = sent(b"\xff\xfe\x00", "Broken")
    assert refused.status == 400 and "is not UTF-8 text" in refused.body and 'value="Broken"' in refused.body
    empty = sent(b"\xef\xbb\xbf \r\n", "Broken")
    assert empty.status == 400 and "is empty" in empty.body
    assert "broken" not in names(owner, "vis/plots")


def test_texts_are_saved_together_or_not_at_all(wire: Wire, owner: Owner, page: str) -> None:
    at = f"{page}/settings"
    shown = follow(wire, send(wire, at, do="texts", title="New", summary="One", description="a\r\nb"))
    assert "The texts are saved." in shown.body
    assert read(owner, "vis/plots/sales/description")["raw"] == "a\nb"  # type: ignore[index]
    refused = send(wire, at, do="texts", title="Newer", summary="x" * 10_000, description="kept <b>")
    assert refused.status >= 400 and "kept &lt;b&gt;" in refused.body and 'id="wrong-summary"' in refused.body
    assert read(owner, "vis/plots/sales/name") == "New"


def test_a_star_and_tags_are_set_and_taken_back(wire: Wire, owner: Owner, page: str) -> None:
    at = f"{page}/settings"
    starred = follow(wire, send(wire, at, do="star"))
    assert 'aria-pressed="true"' in starred.body
    assert 'aria-pressed="false"' in follow(wire, send(wire, at, do="unstar")).body
    tagged = follow(wire, send(wire, at, do="tag", tag="End of Year"))
    assert "The tag end-of-year is added." in tagged.body
    assert names(owner, "vis/plots/sales/tags") == ["+end-of-year"]
    undo(wire, tagged)
    assert names(owner, "vis/plots/sales/tags") == []
    assert "The tag end-of-year" not in wire.ask("GET", at).body
    assert send(wire, at, do="tag", tag="no/such").status == 400


def test_a_variable_comes_goes_and_comes_back(wire: Wire, owner: Owner, page: str) -> None:
    at = f"{page}/settings"
    fields = {"var": "total", "var__value": "844", "var__type": "number", "var__format": ".1f"}
    follow(wire, send(wire, at, do="variable", **fields))
    gone = follow(wire, send(wire, at, do="no variable", name="total"))
    assert names(owner, "vis/plots/sales/vars") == []
    undo(wire, gone)
    assert read(owner, "vis/plots/sales/vars/total/format") == ".1f"


def test_an_alert_is_made_seen_and_ended(wire: Wire, owner: Owner, page: str) -> None:
    at, file = f"{page}/settings/variables", "vis/plots/sales/vars/total"
    fields = {"var": "total", "var__value": "7", "var__type": "number", "var__format": ""}
    assert "Alerts of total" in follow(wire, send(wire, at, do="variable", **fields)).body
    refused = send(wire, at, do="alert", var="total", alert__total="under 10", to__total="notices")
    assert refused.status == 400 and "under 10</textarea>" in refused.body
    assert "write below 10, above 3, changes by 20% or silent for 2d" in refused.body
    made = follow(
        wire,
        send(wire, at, do="alert", var="total", alert__total="below 10\r\n", to__total="notices, mail"),
    )
    assert "The alert of total is saved." in made.body and "below 10: on" in made.body
    assert (read(owner, f"{file}/alert"), read(owner, f"{file}/to")) == ("below 10", "notices, mail")
    gone = follow(wire, send(wire, at, do="no variable", name="total"))
    undo(wire, gone)
    assert read(owner, f"{file}/alert") == "below 10"
    ended = follow(wire, send(wire, at, do="alert", var="total", end="yes", alert__total="below 10"))
    assert "The alerts of total are removed." in ended.body and "no alert" in ended.body
    assert names(owner, file) == ["value", "type", "format", "about"]


def test_references_to_it_follow_a_rename(wire: Wire, owner: Owner, painter: Painter, page: str) -> None:
    painter.make("docs/report", content="{{ vis ref: /p/sales }}\n")
    at = f"{page}/settings/address"
    assert f"/u/{owner.name}/d/report" in wire.ask("GET", at).body
    refused = send(wire, at, do="rename", name="销售", mend="yes")
    assert refused.status == 400 and 'value="销售"' in refused.body
    shown = follow(wire, send(wire, at, do="rename", name=" Turnover", mend="yes"))
    assert "Its address is now turnover." in shown.body
    assert "/p/turnover" in str(read(owner, "vis/docs/report/content"))


def test_it_is_deleted_by_its_name_alone(wire: Wire, owner: Owner, page: str) -> None:
    at = f"{page}/settings"
    follow(wire, send(wire, at, do="copy", copy="other"))
    refused = send(wire, at, do="delete", sure="sale")
    assert refused.status == 400 and "nothing was deleted" in refused.body
    assert send(wire, at, do="delete", sure="sales").status == 303
    assert names(owner, "vis/plots") == ["other"]


def test_a_share_is_given_changed_taken_back_and_given_again(wire: Wire, owner: Owner, page: str) -> None:
    other = Owner(owner.server, owner.scratch).name
    at, shares = f"{page}/share", "vis/plots/sales/shared"
    given = follow(wire, send(wire, at, do="share", to=other, may="r"))
    assert f"@{other}" in given.body and names(owner, shares) == [f"@{other}~r"]
    changed = follow(wire, send(wire, at, do="share", to=f"@{other}", may="rw"))
    assert names(owner, shares) == [f"@{other}~rw"]
    undo(wire, changed)
    assert names(owner, shares) == [f"@{other}~r"]
    taken = follow(wire, send(wire, at, do="unshare", who=f"@{other}"))
    assert names(owner, shares) == []
    undo(wire, taken)
    assert names(owner, shares) == [f"@{other}~r"]
    assert send(wire, at, do="share", to=f" @{other.upper()} ", may="r").status == 303
    for odd in ("", "@", "+acme", "bob@birds.example", f"@{other}~crew~r", "~"):
        response = send(wire, at, do="share", to=odd, may="r")
        assert response.status == 400 and "type a person as @bob" in response.body, odd
    unknown = send(wire, at, do="share", to="@nobody-here", may="r")
    assert unknown.status == 404 and 'aria-describedby="wrong-asked"' in unknown.body


def test_fewer_permissions_show_fewer_controls(wire: Wire, owner: Owner, page: str) -> None:
    other = Owner(owner.server, owner.scratch)
    reader = Wire(other)
    for path in (f"{page}/settings", f"{page}/share"):
        assert reader.ask("GET", path).status == 404
        assert wire.ask("GET", path, cookie="").status == 303
    owner.server.ask("PUT", f"vis/plots/sales/shared/@{other.name}~r", who=owner.name)
    shown = reader.ask("GET", f"{page}/settings/address")
    assert shown.status == 200 and "Make a copy" in shown.body and "Rename" not in shown.body
    assert "Move to trash" not in reader.ask("GET", f"{page}/settings/delete").body
    assert reader.ask("GET", f"{page}/share").status == 403
    fields = {"do": "texts", "title": "Mine", "summary": "", "description": ""}
    token = reader.token(f"{page}/settings")
    tagged = reader.ask("POST", f"{page}/settings", urlencode({**fields, "token": token}), Origin=wire.origin)
    assert tagged.status == 403
    assert read(owner, "vis/plots/sales/name") == "Sales"
    follow(reader, send(reader, f"{page}/settings", do="copy", copy="mine"))
    assert names(other, "vis/plots") == ["mine"]


def oembed(wire: Wire, **query: str) -> Answer:
    return wire.ask("GET", f"/oembed?{urlencode(query)}", cookie="")


def test_a_public_item_can_be_embedded_and_has_oembed(wire: Wire, owner: Owner, page: str) -> None:
    hidden = wire.ask("GET", f"{page}/embed")
    assert hidden.status == 404 and "This is not public" in hidden.body
    assert oembed(wire, url=f"{wire.origin}{page}").status == 404
    owner.server.ask("PUT", "vis/plots/sales/shared/public~x", who=owner.name)
    shown = wire.ask("GET", f"{page}/embed", cookie="")
    policy = shown.headers["Content-Security-Policy"]
    assert shown.status == 200 and "frame-ancestors *" in policy and "script-src 'nonce-" in policy
    assert "<form" not in shown.body and "<script" not in shown.body
    assert "frame-ancestors 'none'" in wire.ask("GET", page).headers["Content-Security-Policy"]
    head = re.search(r'type="application/json\+oembed" href="([^"]*)"', wire.ask("GET", page, cookie="").body)
    assert head is not None
    answer = wire.ask("GET", unescape(head[1]).removeprefix(wire.origin), cookie="")
    assert answer.headers["Content-Type"] == "application/json"
    for piece in ('"version":"1.0"', '"type":"rich"', '"title":"Sales"', f"{page}/embed"):
        assert piece in answer.body
    short = str(read(owner, "vis/plots/sales/url"))
    small = oembed(wire, url=short, format="xml", maxwidth="300", maxheight="200")
    assert "<width>300</width><height>200</height>" in small.body


@pytest.mark.parametrize(
    "query, status",
    [
        ({}, 404),
        ({"url": "https://example.org/x"}, 404),
        ({"url": "{own}/u/nobody/p/x"}, 404),
        ({"url": "{own}/docs"}, 404),
        ({"url": "{own}/%zz"}, 404),
        ({"url": "{own}/p/none"}, 404),
        ({"url": "{own}/docs", "format": "yaml"}, 400),
    ],
)
def test_oembed_answers_for_nothing_else(wire: Wire, query: Mapping[str, str], status: int) -> None:
    assert (
        oembed(wire, **{name: value.replace("{own}", wire.origin) for name, value in query.items()}).status
        == status
    )
