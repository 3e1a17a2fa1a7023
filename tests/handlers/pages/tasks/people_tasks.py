"""Tasks with accounts, colleagues and groups, and of finding things."""

from __future__ import annotations

from tests.handlers.pages.account.first_start import start
from tests.handlers.pages.painter import ROWS, Painter
from tests.handlers.pages.tasks.person import MAIN, Person
from tests.handlers.pages.web_user import Owner

PASSWORD = "mud and reeds at dawn"


def make_first_account(me: Person) -> None:
    folder = me.owner.scratch / "first"
    folder.mkdir()
    with start(folder) as started, me.elsewhere(started.server):
        assert started.printed.splitlines()[-1].strip() == started.address
        me.begin()
        assert "This server has no account yet" in me.say() and "curlew serve" in me.say()
        assert me.page.locator("a[href='/register']").count() == 0
        assert me.window.open(started.address) == 200
        assert me.page.locator("header form, header nav").count() == 0
        me.fill("[name=username]", "ada")
        me.fill("[name=email]", "ada@birds.example")
        me.fill("[name=password]", "adaadaadaada")
        me.window.press("main button")
        assert me.page.url == started.address and "It is the user name" in me.say()
        assert me.page.input_value("[name=username]") == "ada"
        me.fill("[name=password]", PASSWORD)
        me.press("main button")
        assert me.page.url.partition("?")[0] == f"{started.server.origin}/"
        assert "Your account is created" in me.say() and "counts as verified" in me.say()
        assert ("Europe/Oslo" if me.scripts else "UTC") in me.page.inner_text("footer")
        assert me.window.open("/operator") == 200 and "CURLEW_OPERATORS" in me.say()
        me.window.open("/settings/profile")
        assert "sends no mail yet" in me.say() and "not verified" not in me.say()
        assert me.window.open(started.address) == 404 and "This address has expired" in me.say()
        key = started.address.partition("key=")[2].encode()
        kept = [path for path in folder.rglob("*") if path.is_file() and key in path.read_bytes()]
        assert kept == []


def invite_a_colleague(me: Person) -> None:
    me.begin()
    me.click("[popovertarget=me]")
    me.press("#me a[href='/invite']")
    me.fill("[name=for]", "Dora")
    me.press("button:text-is('Create a link')")
    link, name = me.page.inner_text(".secret code"), f"dora-{me.owner.name}"
    with me.colleague():
        me.window.open(link)
        for username in (me.owner.name, name):  # a refused name does not use the link up
            me.fill("[name=username]", username)
            me.fill("[name=email]", f"{name}@birds.example")
            me.fill("[name=password]", PASSWORD)
            me.press("main button")
        assert "Your account is created, and you are connected." in me.say()
        assert me.page.url.partition("?")[0].endswith(f"/u/{me.owner.name}")
        assert me.window.open(link) == 404
    assert [row["name"] for row in me.read("admin/social/connections")] == [name]


def share_with_a_colleague(me: Person) -> None:
    other = Owner(me.owner.server, me.owner.scratch).name
    me.owner.server.ask("POST", "admin/profile/public", b"no", other)
    me.make("docs/margins", content="# Margins\n", name="Margins of the year")
    me.begin()
    me.press("main a:has-text('Margins of the year')")
    me.go_on(".title a.button:has-text('Share')")
    me.fill("[name=to]:not([type=hidden])", f"@{other}")
    me.press("form:has([name=may]) button.primary:has-text('Share')")
    me.press(f"button:text-is('Invite @{other}')")
    assert f"The share begins as soon as @{other} accepts." in me.say()
    with me.colleague(other):
        me.press(f"button:has-text('Accept @{me.owner.name}')")
        me.window.open("/")
        heads = me.page.locator("main h2").all_inner_texts()
        assert heads[:2] == ["Shared with you", "Start with an example"]
        me.window.press("section[aria-labelledby=shared] a:has-text('Margins of the year')")
    me.window.open(f"/u/{me.owner.name}/d/margins")
    assert f"You and @{other}; not public" in me.page.inner_text(".meta")


def make_a_group(me: Person) -> None:
    other = Owner(me.owner.server, me.owner.scratch).name
    me.begin()
    me.new("group", "Sales team")
    me.press(MAIN)
    me.fill("[name=user]", f"@{other}")
    me.press("button:text-is('Invite')")
    with me.colleague(other):
        me.press(f"button:has-text('Accept @{me.owner.name}~sales_team')")
        assert "You joined Sales team." in me.say()


def share_with_a_group(me: Person) -> None:
    me.owner.server.ask("PUT", "admin/groups/crew", who=me.owner.name)
    me.owner.job("nightly", name="Nightly")
    me.begin()
    me.press("main a:has-text('Nightly')")
    me.go_on(".title a.button:has-text('Share')")
    me.pick("[name=known]", f"@{me.owner.name}~crew")
    me.press("form:has([name=known]) button.primary")
    assert "may now read" in me.page.inner_text("[role=status]")
    assert me.read(f"code/jobs/nightly/shared/@{me.owner.name}~crew~r") is not None


def comment_and_tell(me: Person) -> None:
    friend = Painter(Owner(me.owner.server, me.owner.scratch))
    friend.make("docs/theirs", content="# Theirs", name="Theirs")
    friend.share("docs/theirs", f"@{me.owner.name}~r")
    me.begin()
    me.press("main a:has-text('Theirs')")
    assert not me.page.is_visible("textarea[name=text]")
    me.click(".say > summary")
    me.fill("textarea[name=text]", f"@{friend.name} what of *June*?")
    me.press("main button:has-text('Comment')")
    with me.colleague(friend.name):
        me.press("header a[href='/notices']")
        assert "what of June?" in me.say() and "“Theirs”" in me.say()


def tag_it(me: Person) -> None:
    me.make("plots/tagged", data=ROWS, name="Of the third quarter")
    me.begin()
    me.press("main a:has-text('Of the third quarter')")
    me.click(".tags > summary")
    me.fill("[name=tag]", "Q3 review")
    me.press(".tags form:has([name=tag]) button")
    assert "The tag q3-review is added." in me.say()


def find_by_name(me: Person) -> None:
    me.make("plots/found", data=ROWS, name="Curlews of a spring")
    me.begin()
    if me.scripts:
        me.page.keyboard.press("/")
    else:
        me.page.focus("#q")
    me.page.keyboard.type("curlews of")
    with me.page.expect_navigation():
        me.page.keyboard.press("Enter")
    assert me.page.locator(".rows li a").first.inner_text() == "Curlews of a spring"
