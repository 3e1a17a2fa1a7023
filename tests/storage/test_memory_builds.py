"""The book of builds in dictionaries keeps the promises of the port."""

from chains.builds import Builds
from chains.testing.builds import BuildsSuite
from storage.memory_builds import MemoryBuilds


class TestMemoryBuilds(BuildsSuite):
    """In dictionaries."""

    def builds(self) -> Builds:
        return MemoryBuilds()
