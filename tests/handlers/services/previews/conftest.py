"""The service world of documents, and memory to write to."""

from tests.handlers.services.documents.conftest import renderer
from tests.kit.disk import quick

__all__ = ["renderer"]

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory
