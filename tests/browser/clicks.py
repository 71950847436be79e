"""What a person does on the page, by the names that a screen reader would read."""

import re


def status(page, name):
    return page.get_by_role("status", name=name)


def opened(page):
    """A page that shows a service."""
    status(page, "Mode").filter(has_text=re.compile("[A-Z]{3}")).wait_for()
    return page


def mode(page, word):
    """Waits until the head says it."""
    status(page, "Mode").filter(has_text=word.upper()).wait_for()


def tab(page, name):
    page.get_by_role("tab", name=name).click()


def press(page, name, sure=""):
    """A button; and the one of the question that follows."""
    page.get_by_role("button", name=re.compile(f"^{re.escape(name)}")).last.click()
    if sure:
        page.get_by_role("dialog").get_by_role("button", name=sure).click()


def take_the_lease(page):
    """Once nobody holds it: who closed a page shortly before still does for a moment."""
    press(page, "Take the lease")
    status(page, "Lease").filter(has_text="yours").wait_for()


def arm(page):
    tab(page, "Run")
    press(page, "Arm…", sure="Arm")
    mode(page, "hold")


def fill(page, name, value):
    page.get_by_label(name, exact=True).fill(str(value))


def motion(page, **fields):
    """A triangle that is checked, and started."""
    for name, value in fields.items():
        fill(page, name, value)
    press(page, "Check and preview")
    page.get_by_text(re.compile("^✔ triangle")).wait_for()
    press(page, "Start…", sure="Start")


def choose(page, name, option):
    """Of a list that opens."""
    page.get_by_role("combobox", name=name, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()
