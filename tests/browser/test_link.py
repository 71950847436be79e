"""A rig on an emulated link that loses answers: moved by clicks, its losses on Health, stopped by the key."""

import pytest

from tests.browser import clicks
from tests.system.emulate_parts import driven
from tests.system.service_parts import until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def bridged():
    with driven("modbus-tcp") as (device, service, client):
        client.release()
        yield device, service


@pytest.fixture(scope="module")
def service(bridged):
    return bridged[1]


def shown(page, name):
    """What stands beside this name."""
    return page.get_by_text(name, exact=True).locator("xpath=following-sibling::*[1]").inner_text()


@pytest.mark.slow
def test_answers_that_are_lost_are_shown_while_the_table_moves_and_stop_is_in_reach(page, rig, bridged):
    device, _ = bridged
    clicks.take_the_lease(page)
    clicks.arm(page)
    device.tell("lose 100")
    clicks.motion(page, amplitude_m=0.005, speed_m_s=0.02)
    clicks.mode(page, "track")
    clicks.tab(page, "Health")
    page.get_by_text("errors: timeout", exact=True).wait_for()
    least = int(shown(page, "errors: timeout"))
    until(lambda: int(shown(page, "errors: timeout")) > least, "more of them")
    assert int(shown(page, "errors: timeout")) <= rig.status()["link"]["errors"]["timeout"]
    assert rig.status()["mode"] == "track"
    page.keyboard.press("Escape")
    clicks.mode(page, "hold")
    status = rig.status()
    assert status["trip"] is None
    assert status["link"]["state"] == "open"
    assert [event["mode"] for event in rig.events() if event["kind"] == "mode"][-2:] == ["stop", "hold"]
    clicks.press(page, "Give it back")
