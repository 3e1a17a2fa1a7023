"""Write the text of each PDF."""

from pathlib import Path

from pypdf import PdfReader

for file in Path("/input").glob("*.pdf"):
    pages = PdfReader(file).pages
    Path("/output", f"{file.stem}.txt").write_text("\n".join(page.extract_text() for page in pages))
