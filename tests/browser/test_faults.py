"""What goes wrong around the page: it says so, shows the truth, sends nothing twice, loses nothing that was typed."""

import re
import signal
import socket
from contextlib import contextmanager

import pytest

from hilctl.client import Client, Jobs, private_service
from tests.browser import clicks
from tests.system.service_parts import until

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def service():
    with private_service("table-500", changes={"service.lease_timeout_s": 3.0}) as service:
        yield service


@pytest.fixture
def rig(rig):
    """Left without a lease and without a trip."""
    yield rig
    until(lambda: rig.status()["lease"] is None, "a free lease")
    with_lease(rig, lambda: (rig.reset() if rig.status()["trip"] else None))


def with_lease(rig, do):
    rig.take()
    try:
        return do()
    finally:
        rig.release()


def moves(rig, kind, **parameters):
    """Somebody else's motion, from off to off; what a test before has left moving comes to rest."""

    def do():
        if rig.status()["mode"] != "hold":
            rig.pass_time(2.0)
            rig.arm()
        rig.run(kind, **parameters)
        rig.off()

    with_lease(rig, do)


def sways(rig):
    moves(rig, "sine", amplitude_m=0.01, frequency_hz=1.0, cycles=2)


def edit(page, key, value):
    clicks.tab(page, "Parameters")
    page.get_by_label("find a key or a meaning").fill(key)
    page.get_by_label(key, exact=True).fill(str(value))


def send(page):
    clicks.press(page, "Review the changes…")
    page.get_by_role("dialog").get_by_role("button", name="Send").click()


def test_nothing_is_asked_of_any_other_host(panel, chromium):
    context = chromium.new_context()
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(panel.url)
    clicks.opened(page)
    for name in ("Scope", "Health"):
        clicks.tab(page, name)
    own = panel.url.split("/?")[0]
    assert asked
    assert [url for url in asked if not url.startswith((own, own.replace("http", "ws"), "data:", "blob:"))] == []
    context.close()


def test_without_the_address_that_was_printed_the_password_is_asked_for(panel, chromium):
    address, _, password = panel.url.partition("?token=")
    context = chromium.new_context()
    page = context.new_page()
    page.goto(address)
    page.get_by_label("Password").fill("not it")
    page.get_by_role("button", name="Open").click()
    page.get_by_text("Wrong password").wait_for()
    until(lambda: opens(page, password), "the page")
    context.close()


def opens(page, password):
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Open").click()
    page.get_by_text(re.compile("Take the lease|Wait a second")).first.wait_for()
    return page.get_by_role("button", name="Stop").count() == 1


def test_the_lease_is_seen_on_every_page_and_losing_it_too(page, panel, open_page):
    other = clicks.opened(open_page(panel.url))
    clicks.take_the_lease(page)
    clicks.status(other, "Lease").filter(has_text=re.compile("held by panel")).wait_for()
    clicks.press(other, "Take over the lease…", sure="Take over")
    clicks.status(other, "Lease").filter(has_text="yours").wait_for()
    page.get_by_role("alert").filter(has_text="The lease was lost").wait_for()
    assert page.get_by_role("button", name="Arm…").is_disabled()
    clicks.press(other, "Give it back")


def test_a_browser_that_is_closed_loses_the_lease_as_the_rig_file_says(panel, open_page, rig):
    page = clicks.opened(open_page(panel.url))
    clicks.take_the_lease(page)
    until(lambda: rig.status()["lease"], "the lease")
    page.context.close()
    until(lambda: rig.status()["lease"] is None, "the loss of the lease")
    assert any(event["kind"] == "lease_lost" for event in rig.events())


def test_a_page_that_is_loaded_again_has_its_lease_and_what_was_typed(page, rig):
    clicks.take_the_lease(page)
    edit(page, "machine.m", 512)
    page.get_by_text("1 typed, not sent").wait_for()
    page.reload()
    clicks.opened(page)
    clicks.status(page, "Lease").filter(has_text="yours").wait_for()
    clicks.tab(page, "Parameters")
    page.get_by_text("1 typed, not sent").wait_for()
    page.get_by_label("find a key or a meaning").fill("machine.m")
    assert page.get_by_label("machine.m", exact=True).input_value() == "512"
    assert not [event for event in rig.events() if event["kind"] == "lease_lost" and "typed" in str(event)]
    clicks.press(page, "Give it back")


def test_a_value_typed_wrong_says_what_is_accepted_and_is_not_sent(page, rig):
    epoch = rig.status()["epoch"]
    edit(page, "machine.m", "0.5")
    page.get_by_text(re.compile("machine.m: 0.5, must be 1 to 1000000 kg")).first.wait_for()
    clicks.press(page, "Review the changes…")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("alert").filter(has_text="must be 1 to").wait_for()
    assert dialog.get_by_role("button", name="Send").is_disabled()
    dialog.get_by_role("button", name="Cancel").click()
    assert rig.status()["epoch"] == epoch


def test_an_update_that_is_refused_keeps_what_was_typed(page, rig):
    """Without the lease; and, with it, where somebody else has changed parameters meanwhile."""
    edit(page, "machine.m", 513)
    send(page)
    page.get_by_text(re.compile("take the lease first")).wait_for()
    page.get_by_text("1 typed, not sent").wait_for()
    with_lease(rig, lambda: rig.set({"machine.m": 505}, "somebody else"))
    clicks.status(page, "Lease").filter(has_text="free").wait_for()
    page.get_by_text("✎ active: 505").wait_for()
    clicks.take_the_lease(page)
    send(page)
    page.get_by_text(re.compile("Active as epoch")).wait_for()
    assert rig.get("machine.m")["machine.m"] == 513
    clicks.press(page, "Give it back")


def test_a_change_during_the_review_is_noticed(page, rig):
    clicks.take_the_lease(page)
    edit(page, "machine.m", 514)
    clicks.press(page, "Review the changes…")
    secret = page  # the dialog is open while somebody takes over, changes, and gives back
    with_takeover(rig, lambda: rig.set({"machine.m": 506}, "somebody else"))
    until(lambda: rig.status()["lease"] is None, "a free lease")
    secret.get_by_role("dialog").get_by_role("button", name="Send").click()
    page.get_by_text(re.compile("take the lease first|506|epoch")).first.wait_for()
    page.get_by_text("1 typed, not sent").wait_for()
    assert rig.get("machine.m")["machine.m"] == 506


def with_takeover(rig, do):
    rig.take(takeover=True)
    do()
    rig.release()


def test_a_trip_is_shown_reset_and_reported(page, rig, open_page):
    clicks.take_the_lease(page)
    clicks.arm(page)
    edit(page, "limits.tracking_error.max_m", "0.00005")
    send(page)
    page.get_by_text(re.compile("Active as epoch")).wait_for()
    clicks.tab(page, "Run")
    clicks.motion(page, amplitude_m=0.02, speed_m_s=0.2, cycles=2)
    banner = page.get_by_role("alert").filter(has_text="TRIPPED: tracking error")
    banner.filter(has_text="limits.tracking_error").wait_for()
    banner.filter(has_text="check supply, valve and gains").wait_for()
    clicks.mode(page, "off")
    clicks.press(page, "Reset the trip")
    banner.wait_for(state="hidden")
    clicks.tab(page, "Log and recordings")
    page.get_by_text(re.compile("black box")).first.wait_for()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Report").first.click()
    opened.value.get_by_text(re.compile("tracking.error", re.IGNORECASE)).first.wait_for()
    clicks.tab(page, "Parameters")
    clicks.press(page, "Undo the last set…", sure="Undo")
    page.get_by_text(re.compile("Undone")).wait_for()
    clicks.press(page, "Give it back")


def test_a_slow_browser_is_served_less_and_misses_nothing(page, rig):
    """It holds back its word that it has drawn: after four frames nothing is sent, and then all that came meanwhile."""
    clicks.tab(page, "Scope")
    page.evaluate("""() => {
        window.held = []; window.known = hilctl.scope.said; window.really = hilctl.socket.send.bind(hilctl.socket);
        hilctl.socket.send = (text) => text.includes('drawn') ? window.held.push(text) : window.really(text); }""")
    until(lambda: (sways(rig), page.evaluate("hilctl.scope.taken === window.known + 4"))[1], "four frames")
    frames = page.evaluate("hilctl.frames")
    sways(rig)
    assert page.evaluate("hilctl.frames") == frames
    page.evaluate("() => { hilctl.socket.send = window.really; window.really(window.held.pop()); }")
    page.wait_for_function("frames => hilctl.frames > frames", arg=frames)
    gap = page.evaluate("""() => {
        const s = hilctl.scope; let gaps = 0;
        for (let c = Math.ceil(s.window[0] / s.step); c < s.have[1] - 1; c++)
            if (Number.isNaN(s.ring[0][2 * (c % 2048)])) gaps++;
        return gaps; }""")
    assert gap == 0


def test_a_page_that_is_loaded_again_finds_the_job(page, rig):
    job = Jobs(rig).start("friction", "--budget", "30", "--speeds", "0.01", "0.02", "0.05", "0.1")
    clicks.tab(page, "Friction")
    page.get_by_text(re.compile("friction, running")).first.wait_for()
    page.reload()
    clicks.opened(page)
    clicks.tab(page, "Friction")
    page.get_by_text(re.compile("friction, (running|done)")).first.wait_for()
    clicks.press(page, "Abort…", sure="Abort the job") if rig.status()["job"] else None
    Jobs(rig).wait(job["job"])
    page.get_by_text(re.compile("friction, (aborted|done)")).first.wait_for()


def test_a_spike_of_one_sample_is_seen_at_every_width(page, rig):
    """Of the command at the begin of a motion: its highest sample, whichever window it is looked at in."""
    clicks.tab(page, "Scope")
    moves(rig, "triangle", amplitude_m=0.01, speed_m_s=0.1, cycles=1)
    end = rig.status()["history"]["end"]
    true = max(rig.samples(end - 8000, end - 1, ["u_cmd"])["u_cmd"])
    for window in ("10 s", "30 s", "2 min", "10 min"):
        clicks.choose(page, "window", window)
        page.wait_for_function(HIGHEST, arg=[true])


HIGHEST = """([expected]) => {
    const s = hilctl.scope; if (!s.about) return false;
    const ring = s.ring[s.about.channels.indexOf('u_cmd')]; let high = -Infinity;
    for (let c = Math.max(s.have[0], Math.floor((s.end - 8000) / s.step)); c < s.have[1]; c++)
        high = Math.max(high, ring[2 * (c % 2048) + 1]);
    return high >= expected - 1e-6 && high < expected + 0.2; }"""


# --- a service that ends, and comes again at the same place


def free_ports():
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return dict(zip(("service.commands_port", "service.telemetry_port", "service.scope_port"), ports, strict=True))


@contextmanager
def running(ports, **changes):
    with private_service("table-500", changes={**ports, **changes}) as service:
        yield service


def test_a_service_that_goes_and_comes_again_with_another_rig_file(serving, open_page, tmp_path):
    ports = free_ports()
    panel = serving(f"tcp://127.0.0.1:{ports['service.commands_port']}", tmp_path)
    page = open_page(panel.url)
    clicks.status(page, "Mode").filter(has_text="no service").wait_for()
    with running(ports):
        clicks.opened(page)
        clicks.take_the_lease(page)
        edit(page, "machine.m", 480)
    clicks.status(page, "Mode").filter(has_text="no service").wait_for()
    page.get_by_text(re.compile("nobody listens|no reply")).first.wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("alert").filter(has_text="STOP was not taken").wait_for()
    with running(ports, **{"machine.m": 450}) as service:
        clicks.opened(page)
        clicks.tab(page, "Parameters")
        page.get_by_text("1 typed, not sent").wait_for()
        page.get_by_text("✎ active: 450").wait_for()
        page.keyboard.press("Escape")
        page.get_by_text("STOP was not taken").wait_for(state="hidden")
        with Client(service.commands, lease="none") as rig:
            assert rig.status()["epoch"] == 1  # nothing was sent again
            assert rig.status()["lease"] is None


def test_a_page_whose_panel_is_silent_or_has_ended_says_that_it_is_old(service, serving, open_page, tmp_path):
    first = serving(service.commands, tmp_path)
    page = clicks.opened(open_page(first.url))
    page.wait_for_function("hilctl.connected")
    first.process.send_signal(signal.SIGSTOP)
    try:
        page.locator("body.hil-away").wait_for()
    finally:
        first.process.send_signal(signal.SIGCONT)
    page.locator("body:not(.hil-away)").wait_for()
    assert first.end() == 0
    page.locator("body.hil-away").wait_for()
    assert page.evaluate("getComputedStyle(document.body, '::after').content").startswith('"No connection')
