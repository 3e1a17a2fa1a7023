"""Parameters for the groups of a path."""

from __future__ import annotations

from vfs.param import Param
from vfs.ports.groups import Standing

GROUP: Param[Standing] = Param("group")
ORG: Param[Standing] = Param("org")
