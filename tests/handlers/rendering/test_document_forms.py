"""Documents are rendered in confined processes, by their markup or as they were read before."""

from collections.abc import Iterator

import pytest

from handlers.rendering.forms import FORMS, render_order
from handlers.rendering.pool import RenderPool
from handlers.rendering.port import RenderOrder
from handlers.rendering.render_process import PoolLimits

TEXT = (
    "---\ntitle: Report\n---\n# Head\n\n*text* $x^2$ `code` → ✓\n\n"
    "{{ vis ref: /u/ann/p/sales }}\n\n{{ callout }}\na\n{{ /callout }}"
)
HEADS = {
    "requests": b"{",
    "references": b"[[",
    "pdf": b"%PDF-",
    "pptx": b"PK",
    "html": b"<!doctype",
    "png": b"\x89PNG",
    "txt": b"REPORT",
    "ansi": b"\x1b[1m",
    "md": b"# Report",
}


@pytest.fixture(scope="module")
def pool() -> Iterator[RenderPool]:
    pool = RenderPool(PoolLimits(processes=1))
    yield pool
    pool.close()


@pytest.mark.parametrize("form", sorted(FORMS["doc"]))
def test_each_form_is_made(form: str) -> None:
    made = render_order(RenderOrder("doc", form, {"content": TEXT}, {"cols": 60, "mode": "dark"}))
    assert made.body.startswith(HEADS[form])


def test_confined_processes_make_the_same_bytes_with_the_same_fonts(pool: RenderPool) -> None:
    for form, text in (("pdf", TEXT), ("pptx", TEXT), ("html", TEXT), ("pdf", "日本語 שלום *a* **b** `c`")):
        order = RenderOrder("doc", form, {"content": text})
        assert pool.render(order).body == render_order(order).body


@pytest.mark.parametrize(
    "text", ["> " * 4_000, "*a **b " * 3_000, "{{ callout }}\n" * 1_000, "[![" * 5_000, "|" * 9_000]
)
def test_hostile_texts_are_rendered_all_the_same(pool: RenderPool, text: str) -> None:
    assert pool.render(RenderOrder("doc", "pdf", {"content": text})).body.startswith(b"%PDF-")
