"""Pasting into a field, as a browser does."""

from __future__ import annotations

from tests.handlers.pages.web_user import WebUser


def paste(web_user: WebUser, place: str, text: str, html: str = "") -> None:
    """Paste into a field, as a browser does."""
    web_user.page.focus(place)
    web_user.page.evaluate(
        """([text, html]) => {
        const data = new DataTransfer();
        data.setData("text/plain", text);
        if (html) data.setData("text/html", html);
        const at = document.activeElement;
        const options = { clipboardData: data, bubbles: true, cancelable: true };
        if (at.dispatchEvent(new ClipboardEvent("paste", options)) && at.matches("textarea")) {
            at.setRangeText(text, at.selectionStart, at.selectionEnd, "end");
            at.dispatchEvent(new Event("input", { bubbles: true }));
        }
    }""",
        [text, html],
    )
