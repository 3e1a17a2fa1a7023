"""The Equal Earth projection, on which areas keep their proportions (Savric, Patterson and Jenny, 2018)."""

from __future__ import annotations

import math

A1, A2, A3, A4 = 1.340264, -0.081106, 0.000893, 0.003796
ROOT = math.sqrt(3) / 2


def project(longitude: float, latitude: float) -> tuple[float, float]:
    """The place of longitude and latitude in degrees: to the right and downward, the world 5.41 by 2.63."""
    theta = math.asin(ROOT * math.sin(math.radians(latitude)))
    square = theta * theta
    sixth = square * square * square
    below = A1 + 3 * A2 * square + sixth * (7 * A3 + 9 * A4 * square)
    x = math.radians(longitude) * math.cos(theta) / (ROOT * below)
    y = theta * (A1 + A2 * square + sixth * (A3 + A4 * square))
    return x, -y
