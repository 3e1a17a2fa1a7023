"""Equal orders at the same time are rendered once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from handlers.rendering.pool import SingleFlight
from handlers.rendering.port import RenderFailed, Rendering, RenderOrder
from tests.kit.fake_renderer import FakeRenderer
from tests.kit.suites.rendering import order

SECONDS = 20.0


class SlowRenderer:
    """A renderer that counts its orders and waits for `may`; an order with the data `break` fails."""

    def __init__(self) -> None:
        self.orders: list[RenderOrder] = []
        self.may, self.began = Event(), Event()

    def render(self, order: RenderOrder) -> Rendering:
        self.orders.append(order)
        self.began.set()
        assert self.may.wait(SECONDS)
        return FakeRenderer().render(order)


def ask_at_once(flight: SingleFlight, slow: SlowRenderer, orders: list[RenderOrder]) -> list[object]:
    """Return the outcomes of orders that arrive while the first is being rendered."""
    with ThreadPoolExecutor(len(orders)) as threads:
        first = threads.submit(flight.render, orders[0])
        assert slow.began.wait(SECONDS)
        others = [threads.submit(flight.render, one) for one in orders[1:]]
        while len(slow.orders) < len({one.digest for one in orders}):
            pass
        slow.may.set()
        return [one.exception(SECONDS) or one.result() for one in (first, *others)]


def test_equal_orders_are_made_once_and_others_each() -> None:
    slow = SlowRenderer()
    orders = [order(), order(), order(mode="dark"), order(), order(mode="dark")]
    made = ask_at_once(SingleFlight(slow), slow, orders)
    assert made == [FakeRenderer().render(one) for one in orders]
    assert len(slow.orders) == 2


def test_a_failure_is_shared_and_the_next_order_is_tried_again() -> None:
    slow = SlowRenderer()
    flight, broken = SingleFlight(slow), RenderOrder("plot", "svg", {"data": "break"})
    failures = ask_at_once(flight, slow, [broken, broken, broken])
    assert [type(one) for one in failures] == [RenderFailed] * 3
    with pytest.raises(RenderFailed):
        flight.render(broken)
    assert 2 <= len(slow.orders) <= 4


def test_no_result_is_kept() -> None:
    slow = SlowRenderer()
    slow.may.set()
    flight = SingleFlight(slow)
    assert flight.render(order()) == flight.render(order())
    assert len(slow.orders) == 2
