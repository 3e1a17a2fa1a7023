"""Parts travel as JSON and arrive as they were."""

from handlers.words.document_parts import dump_parts, load_parts
from tests.handlers.render.documents.samples import parts_of, report


def test_parts_arrive_as_they_were() -> None:
    parts = parts_of(report(), "doc")
    assert load_parts(dump_parts(parts)) == parts
    assert dump_parts(load_parts(dump_parts(parts))) == dump_parts(parts)
