"""Temporary folders of these tests, in memory."""

from tests.kit.disk import quick

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory
