"""A first sign-in, a token and signing out in Chromium, where the provider is another site."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.handlers.oidc.company import CLIENT, SECRET, open_company
from tests.kit.server import web


def test_a_person_signs_in_makes_a_token_and_signs_out(tmp_path: Path) -> None:
    with open_company("localhost") as company:
        company.asks = True
        settings = {
            "CURLEW_OIDC_ISSUER": company.issuer,
            "CURLEW_OIDC_CLIENT_ID": CLIENT,
            "CURLEW_OIDC_CLIENT_SECRET": SECRET,
            "CURLEW_OIDC_NAME": "Acme",
            "CURLEW_OIDC_CREATE": "true",
            "CURLEW_PASSWORD_SIGN_IN": "false",
        }
        with web(tmp_path, **settings) as server, sync_playwright() as driver:
            company.allow(f"{server.origin}/oidc/callback")
            browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            page = browser.new_page(base_url=server.origin)
            page.goto("/settings/tokens")
            page.get_by_role("link", name="Sign in with Acme").click()
            page.get_by_role("link", name="I am ann").click()
            page.wait_for_url("**/settings/tokens")
            page.get_by_label("Name").first.fill("laptop")
            page.get_by_role("button", name="Create", exact=True).click()
            assert page.locator(".secret code").inner_text().startswith("clw_")
            page.goto("/settings/signin")
            assert page.get_by_text("You cannot unlink it").is_visible()
            page.goto("/menu")
            page.get_by_role("button", name="Sign out").first.click()
            page.wait_for_url("**/login*")
            page.get_by_role("link", name="sign out there, too").click()
            assert page.url.startswith(f"{company.issuer}/leave?")
            browser.close()
