"""Parameters for the groups of a path."""

from __future__ import annotations

from vfs.param import Param
from vfs.ports.groups import GroupRelation

GROUP: Param[GroupRelation] = Param("group")
ORG: Param[GroupRelation] = Param("org")
