"""Signing in and out with a browser."""

from __future__ import annotations

from tests.handlers.pages.web_user import Owner, WebUser

ELSEWHERE = {
    "//evil.example/x": "/evil.example/x",
    "https://evil.example": "/",
    "/\\evil.example": "/",
    "javascript:alert(1)": "/",
    "/docs/../../x": "/",
    "": "/",
}


def test_the_way_back_has_the_query(web_user: WebUser, owner: Owner) -> None:
    web_user.open("/docs?q=quota&x=1")
    link = web_user.page.locator("header a >> text=Sign in").get_attribute("href")
    assert link == "/login?next=/docs%3Fq%3Dquota%26x%3D1"
    page = owner.job("letters", name="Letters")
    web_user.open(f"{page}?page=2")
    web_user.sign_in(owner.name)
    assert web_user.page.url == f"{page}?page=2"


def test_a_private_page_asks_who_is_there_then_shows_itself(web_user: WebUser, owner: Owner) -> None:
    page = owner.job("letters", name="Letters")
    web_user.open(page)
    assert web_user.page.url.endswith(f"/login?next=/u/{owner.name}/j/letters")
    web_user.sign_in(owner.name)
    assert web_user.page.url == page
    assert web_user.page.inner_text("h1") == "Letters"
    assert f"@{owner.name}" in web_user.page.inner_text("header")


def test_a_visitor_without_a_session_cannot_see_which_items_exist(web_user: WebUser, owner: Owner) -> None:
    owner.job("letters")
    seen = []
    for name in ("letters", "nothing"):
        status = web_user.open(f"/u/{owner.name}/j/{name}")
        seen.append(
            (status, web_user.page.url.replace(name, "*"), web_user.page.content().replace(name, "*"))
        )
    assert seen[0] == seen[1]


def test_the_session_s_cookie_is_out_of_a_script_s_reach(web_user: WebUser, owner: Owner) -> None:
    web_user.sign_in(owner.name)
    cookie = web_user.cookie()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["secure"]) == (True, "Lax", False)


def test_a_wrong_password_is_an_error_on_the_page(web_user: WebUser, owner: Owner) -> None:
    web_user.open(f"/login?next=/u/{owner.name}/j/letters")
    web_user.sign_in(owner.name, "a guess")
    assert "The user name or the password is wrong." in web_user.page.inner_text("[role=alert]")
    assert web_user.page.input_value("input[name=username]") == owner.name
    assert web_user.page.input_value("input[name=next]") == f"/u/{owner.name}/j/letters"
    web_user.sign_in("nobody-of-that-name", "a guess")
    assert "The user name or the password is wrong." in web_user.page.inner_text("[role=alert]")


def test_too_many_wrong_passwords_are_an_error_on_the_page(web_user: WebUser, owner: Owner) -> None:
    web_user.open("/login")
    for _ in range(11):
        web_user.sign_in(owner.name, "a guess")
    assert "Too many failed attempts" in web_user.page.inner_text("[role=alert]")
    web_user.sign_in(owner.name)
    assert "Too many failed attempts" in web_user.page.inner_text("[role=alert]")


def test_signing_in_leads_nowhere_else(web_user: WebUser, owner: Owner) -> None:
    for to, seen in ELSEWHERE.items():
        web_user.open(f"/login?next={to.replace(chr(92), '%5C')}")
        web_user.sign_in(owner.name)
        assert web_user.page.url == f"{web_user.server.origin}{seen}", to
        web_user.context.clear_cookies()


def test_signing_out_ends_the_session(web_user: WebUser, owner: Owner) -> None:
    page = owner.job("letters")
    web_user.sign_in(owner.name)
    token = web_user.cookie()["value"]
    web_user.page.click("[popovertarget=me]")
    web_user.press("text=Sign out")
    assert web_user.page.url.endswith("/login")
    assert web_user.context.cookies() == []
    web_user.open(page)
    assert web_user.page.locator("input[name=password]").count() == 1
    web_user.context.add_cookies([{"name": "curlew_session", "value": token, "url": web_user.server.origin}])
    web_user.open(page)
    assert web_user.page.locator("input[name=password]").count() == 1
    web_user.sign_in(owner.name)
    assert web_user.page.url == page


def test_a_signed_in_user_is_not_asked_again(web_user: WebUser, owner: Owner) -> None:
    page = owner.job("letters")
    web_user.sign_in(owner.name)
    web_user.open(f"/login?next=/u/{owner.name}/j/letters")
    assert web_user.page.url == page


def test_the_first_page_lists_the_caller_s_jobs(web_user: WebUser, owner: Owner) -> None:
    web_user.open("/")
    assert "Everything is a file over HTTP" in web_user.text()
    web_user.sign_in(owner.name)
    assert "You have nothing here yet." in web_user.text()
    owner.job("letters", name="Letters", summary="Writes them")
    web_user.open("/")
    assert "Writes them" in web_user.text()
    assert "Never run" in web_user.text()
    web_user.press("text=Letters")
    assert web_user.page.url.endswith(f"/u/{owner.name}/j/letters")
