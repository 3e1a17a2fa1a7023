"""Signing in and out with a browser."""

from __future__ import annotations

from tests.handlers.pages.visitor import Owner, Visitor

ELSEWHERE = {
    "//evil.example/x": "/evil.example/x",
    "https://evil.example": "/",
    "/\\evil.example": "/",
    "javascript:alert(1)": "/",
    "/docs/../../x": "/",
    "": "/",
}


def test_the_way_back_has_the_query(visitor: Visitor, owner: Owner) -> None:
    visitor.open("/docs?q=quota&x=1")
    link = visitor.page.locator("header a >> text=Sign in").get_attribute("href")
    assert link == "/login?next=/docs%3Fq%3Dquota%26x%3D1"
    page = owner.job("letters", name="Letters")
    visitor.open(f"{page}?page=2")
    visitor.sign_in(owner.name)
    assert visitor.page.url == f"{page}?page=2"


def test_a_private_page_asks_who_is_there_then_shows_itself(visitor: Visitor, owner: Owner) -> None:
    page = owner.job("letters", name="Letters")
    visitor.open(page)
    assert visitor.page.url.endswith(f"/login?next=/u/{owner.name}/j/letters")
    visitor.sign_in(owner.name)
    assert visitor.page.url == page
    assert visitor.page.inner_text("h1") == "Letters"
    assert f"@{owner.name}" in visitor.page.inner_text("header")


def test_nobody_learns_before_signing_in_what_there_is(visitor: Visitor, owner: Owner) -> None:
    owner.job("letters")
    seen = []
    for name in ("letters", "nothing"):
        status = visitor.open(f"/u/{owner.name}/j/{name}")
        seen.append((status, visitor.page.url.replace(name, "*"), visitor.page.content().replace(name, "*")))
    assert seen[0] == seen[1]


def test_the_session_s_cookie_is_out_of_a_script_s_reach(visitor: Visitor, owner: Owner) -> None:
    visitor.sign_in(owner.name)
    cookie = visitor.cookie()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["secure"]) == (True, "Lax", False)


def test_a_wrong_password_is_told_on_the_page(visitor: Visitor, owner: Owner) -> None:
    visitor.open(f"/login?next=/u/{owner.name}/j/letters")
    visitor.sign_in(owner.name, "a guess")
    assert "The user name or the password is wrong." in visitor.page.inner_text("[role=alert]")
    assert visitor.page.input_value("input[name=username]") == owner.name
    assert visitor.page.input_value("input[name=next]") == f"/u/{owner.name}/j/letters"
    visitor.sign_in("nobody-of-that-name", "a guess")
    assert "The user name or the password is wrong." in visitor.page.inner_text("[role=alert]")


def test_too_many_wrong_passwords_are_told_on_the_page(visitor: Visitor, owner: Owner) -> None:
    visitor.open("/login")
    for _ in range(11):
        visitor.sign_in(owner.name, "a guess")
    assert "Too many wrong tries" in visitor.page.inner_text("[role=alert]")
    visitor.sign_in(owner.name)
    assert "Too many wrong tries" in visitor.page.inner_text("[role=alert]")


def test_signing_in_leads_nowhere_else(visitor: Visitor, owner: Owner) -> None:
    for to, seen in ELSEWHERE.items():
        visitor.open(f"/login?next={to.replace(chr(92), '%5C')}")
        visitor.sign_in(owner.name)
        assert visitor.page.url == f"{visitor.server.origin}{seen}", to
        visitor.context.clear_cookies()


def test_signing_out_ends_the_session(visitor: Visitor, owner: Owner) -> None:
    page = owner.job("letters")
    visitor.sign_in(owner.name)
    token = visitor.cookie()["value"]
    visitor.page.click("[popovertarget=me]")
    visitor.press("text=Sign out")
    assert visitor.page.url.endswith("/login")
    assert visitor.context.cookies() == []
    visitor.open(page)
    assert visitor.page.locator("input[name=password]").count() == 1
    visitor.context.add_cookies([{"name": "curlew_session", "value": token, "url": visitor.server.origin}])
    visitor.open(page)
    assert visitor.page.locator("input[name=password]").count() == 1
    visitor.sign_in(owner.name)
    assert visitor.page.url == page


def test_who_is_signed_in_is_not_asked_again(visitor: Visitor, owner: Owner) -> None:
    page = owner.job("letters")
    visitor.sign_in(owner.name)
    visitor.open(f"/login?next=/u/{owner.name}/j/letters")
    assert visitor.page.url == page


def test_the_first_page_lists_the_caller_s_jobs(visitor: Visitor, owner: Owner) -> None:
    visitor.open("/")
    assert "Everything is a file over HTTP" in visitor.text()
    visitor.sign_in(owner.name)
    assert "Nothing is yours yet." in visitor.text()
    owner.job("letters", name="Letters", summary="Writes them")
    visitor.open("/")
    assert "Writes them" in visitor.text()
    assert "Never run" in visitor.text()
    visitor.press("text=Letters")
    assert visitor.page.url.endswith(f"/u/{owner.name}/j/letters")
