"""A report and slides, with the items that they refer to."""

from __future__ import annotations

import io
from functools import cache

from PIL import Image

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.parts import part_requests
from handlers.render.plots.forms.drawing import Look, draw
from handlers.words.document_parts import (
    AssetPart,
    AuthorPart,
    DocumentParts,
    VariablePart,
    VisPart,
)
from handlers.words.plot import Plot

SALES = Plot("region,2025,2026\nBergen,3.4,4.2\nOslo,5.1,5.3\n", {"type": "gbar", "title": "Revenue"})
MATRIX = Plot("a,b,c\nx,1,2\ny,3,4\n", {"type": "heatmap", "title": "Heat"})
PLOTS = {"/u/ann/p/sales": SALES, "/u/ann/p/heat": MATRIX}

REPORT = """---
title: Freight 2026
subtitle: What it cost
author: Alice Berg
toc: true
---
# Summary
Revenue rose {/u/ann/d/report/v/total}.[[ftn: In *kroner*.]]
See page {pageref##(The year)} and {pageref#Nowhere}.

{{ callout warning, title: Mind }}
Careful with $\\frac{a}{b}$.
{{ /callout }}

{{ vis ref: /u/ann/p/sales }}
{{ vis ref: /u/bob/p/secret }}
{{ img ref: logo.png, alt: Our logo, caption: The logo, link: "https://example.org" }}

| Goods | Tons |
|---|---|
| Cod | 1 204 |
| Timber | 88 |

```python
print("hello")  # a note
```

{{ page orient: landscape, cols: 2 /}}
## The year {colspan: all}
left

{{ colbreak /}}
right [link](https://example.org)

{{ author username: ann }}
"""

DECK = """---
title: Board
---
{{ page /}}
# Three **things**
1. one
2. two with [a link](https://example.org)
   - inner

{{ page /}}
# A table
| Office | Share |
|---|--:|
| Oslo | 2.1 % |

{{ page /}}
# A chart
{{ vis ref: /u/ann/p/sales }}

{{ page /}}
# A picture
{{ vis ref: /u/ann/p/heat }}

{{ page /}}
# Part two
"""


@cache
def picture() -> AssetPart:
    """A small picture."""
    made = io.BytesIO()
    Image.new("RGB", (30, 12), "#0b5a6e").save(made, "PNG")
    return AssetPart(made.getvalue(), "image/png")


def parts_of(document: Document, kind: str) -> DocumentParts:
    """Return the parts that the samples refer to and may show."""
    visuals = {}
    for request in part_requests(document, kind).visuals:
        if plot := PLOTS.get(request.ref):
            pictures = {
                mode: draw(plot, Look(mode=mode, width=request.width, height=request.height or None)).svg
                for mode in ("light", "dark")
            }
            visuals[request.key] = VisPart(pictures, f"Chart of {request.ref}", plot)
    return DocumentParts(
        visuals,
        {"logo.png": picture()},
        {"ann": AuthorPart("Ann Berg", "Leads the desk.", picture())},
        {"/u/ann/d/report/v/total": VariablePart("0.113", "relative", "+,.1%")},
        {"/u/bob/p/secret": "it is not shared with you"},
    )


@cache
def report() -> Document:
    """The report."""
    return read_document(REPORT)


@cache
def deck() -> Document:
    """The slides."""
    return read_document(DECK)
