"""A mail with the items that it refers to."""

from __future__ import annotations

from functools import cache

from handlers.render.mails.mail_html import MailContent, read_mail
from handlers.render.mails.mail_medium import MailLook, mail_requests
from handlers.render.plots.forms.drawing import Look, draw
from handlers.words.document_parts import AuthorPart, DocumentParts, VariablePart, VisPart
from tests.handlers.render.documents.samples import PLOTS, picture

MAIL = """{{ preview }}
Revenue rose **11 %**, see the *chart*.
{{ /preview }}
# Summary
Revenue rose {/u/ann/m/news/v/total}.[[ftn: In *kroner*.]] See
{pageref##(Nowhere)}, `code` and $\\frac{a}{b}$.

{{ callout warning, title: Mind }}
Careful with $\\unknown{$.
{{ /callout }}

{{ vis ref: /u/ann/p/sales, width: 50% }}
{{ vis ref: /u/bob/p/secret }}
{{ img ref: logo.png, alt: Our logo, caption: The logo, link: "https://example.org", width: 40 }}
{{ img ref: absent.png }}

| Goods | Tons |
|---|---|
| Cod | 1 204 |
| Timber | 88 |

```python
print("hello")
```

{{ paragraph size: l, style: bold, bg: gray-100 }}
Large [[clr,fg,red-500: red]] [here](/u/ann/p/sales) and [bad](javascript:alert(1)).
{{ /paragraph }}

{{ paragraph align: c }}
middle
{{ /paragraph }}

> said

- [x] done
- [ ] not

1. one
2. two

Term
: Meaning

---

$$ x^2 $$

{{ html }}<b onclick="x()">bold</b><script>x()</script>{{ /html }}
{{ author username: ann, include bio: true, include picture: true }}
{{ author username: eve }}
{{ nothing }}
"""
ORIGIN = "https://curlew.example"


@cache
def sample_content() -> MailContent:
    """The content of the sample."""
    return read_mail(MAIL)


def sample_look(size: str = "small", theme: str = "novem") -> MailLook:
    """Return a look with all texts around the content."""
    return MailLook(
        size, theme, "Freight", "Ann Berg", ORIGIN, f"{ORIGIN}/ann/m/news", f"{ORIGIN}/unsubscribe/token"
    )


@cache
def sample_parts(column: int = 536) -> DocumentParts:
    """Return the parts of the sample for a width of lines."""
    visuals = {}
    for request in mail_requests(sample_content().document, column).visuals:
        if plot := PLOTS.get(request.ref):
            pictures = {
                mode: draw(plot, Look(mode=mode, width=request.width, height=request.height or None)).svg
                for mode in ("light", "dark")
            }
            visuals[request.key] = VisPart(pictures, "Bars of revenue", plot, "/u/ann/p/sales")
    return DocumentParts(
        visuals,
        {"logo.png": picture()},
        {"ann": AuthorPart("Ann Berg", "Leads the desk.", picture())},
        {"/u/ann/m/news/v/total": VariablePart("0.113", "relative", "+,.1%")},
        {"/u/bob/p/secret": "it is not shared with you"},
    )
