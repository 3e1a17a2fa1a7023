"""The straight line through a row of numbers."""


def next_of(numbers: list[float], count: int) -> list[float]:
    """So many numbers on the line, behind the last one."""
    size = len(numbers)
    middle, mean = (size - 1) / 2, sum(numbers) / size
    slope = sum((x - middle) * (y - mean) for x, y in enumerate(numbers))
    slope /= sum((x - middle) ** 2 for x in range(size))
    return [mean + slope * (x - middle) for x in range(size, size + count)]
