"""Every view of the operator's page in both themes, of a rig that was commissioned: `python -m tests.browser.pictures`.

They are written to out/panel; those that the documents show are copied there.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from hilctl.client import Client, Jobs, private_service
from tests.browser import clicks
from tests.browser.conftest import CHROMIUM, Panel
from tests.pictures import MAKERS

ROOT = Path(__file__).resolve().parents[2]
OUT, DOCS = ROOT / "out" / "panel", ROOT / "docs"
SHOWN = [Path(name).stem.removeprefix("panel-") for name in MAKERS["panel"].pictures]
SIZE = {"width": 1280, "height": 720}
PLAN = ("--budget", "60", "--sines", "0.5", "1", "2", "--warm-up", "2")


def main() -> int:
    """Commissions the simulated rig, and looks at it."""
    OUT.mkdir(parents=True, exist_ok=True)
    with private_service("table-500") as service, tempfile.TemporaryDirectory() as folder:
        panel = Panel(service.commands, Path(folder))
        try:
            with Client(service.commands, lease="none") as rig, sync_playwright() as playwright:
                jobs = Jobs(rig)
                print("commissioning")
                jobs.wait(jobs.start("commission", *PLAN)["job"])
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                for theme in ("light", "dark"):
                    context = browser.new_context(viewport=SIZE, color_scheme=theme)
                    page = context.new_page()
                    page.goto(panel.url)
                    look(page, theme)
                    context.close()
                tablet(browser, panel.url)
                browser.close()
        finally:
            panel.end()
    for name in SHOWN:
        shutil.copy(OUT / f"{name}.png", DOCS / f"panel-{name}.png")
    print(f"{len(list(OUT.glob('*.png')))} pictures in {OUT}")
    return 0


def look(page: Page, theme: str) -> None:
    """A session, with a picture of each view."""

    def keep(name: str) -> None:
        page.mouse.move(640, 700)
        page.wait_for_timeout(400)
        page.locator(".q-notification").first.wait_for(state="detached")
        page.screenshot(path=OUT / f"{name}-{theme}.png")

    clicks.status(page, "Mode").filter(has_text=re.compile("[A-Z]{3}")).wait_for()
    clicks.take_the_lease(page)
    if "OFF" in clicks.status(page, "Mode").inner_text():
        clicks.arm(page)
    clicks.tab(page, "Run")
    for name, value in {"amplitude_m": 0.04, "speed_m_s": 0.2, "cycles": 3}.items():
        clicks.fill(page, name, value)
    clicks.press(page, "Check and preview")
    page.get_by_text(re.compile("^✔ triangle")).wait_for()
    keep("run")
    clicks.tab(page, "Scope")
    for channel, value in (("level", 0.02), ("before", 0.5), ("after", 1.2)):
        clicks.fill(page, channel, value)
    clicks.press(page, "Capture once")
    clicks.tab(page, "Run")
    clicks.press(page, "Start…", sure="Start")
    clicks.mode(page, "hold")
    clicks.tab(page, "Scope")
    page.get_by_text(re.compile("none is missing")).wait_for()
    clicks.press(page, "Cursors")
    page.evaluate("window.scrollTo(0, 0)")
    keep("scope")
    for name in ("Friction", "Commission"):
        clicks.tab(page, name)
        page.get_by_text(re.compile("commission, done")).first.wait_for()
        heading = "Friction over speed" if name == "Friction" else "Distortion"
        page.get_by_role("heading", name=heading).evaluate(
            "one => window.scrollTo(0, one.getBoundingClientRect().top + scrollY - 80)"
        )
        keep(name.lower())
    clicks.tab(page, "Parameters")
    page.get_by_label("find a key or a meaning").fill("friction.")
    page.get_by_text("≠ rig file").first.wait_for()
    page.get_by_label("friction.fc", exact=True).fill("300")
    keep("parameters")
    for name in ("Health", "Log and recordings"):
        clicks.tab(page, name)
        keep(name.split()[0].lower())
    clicks.press(page, "Give it back")


def tablet(browser, url: str) -> None:
    """The first view on a small screen, held upright."""
    context = browser.new_context(viewport={"width": 800, "height": 1180}, has_touch=True)
    page = context.new_page()
    page.goto(url)
    clicks.status(page, "Mode").filter(has_text=re.compile("[A-Z]{3}")).wait_for()
    page.screenshot(path=OUT / "run-tablet.png")
    context.close()


if __name__ == "__main__":
    sys.exit(main())
