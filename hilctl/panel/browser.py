"""A browser without a screen, for pictures and measurements of the page."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hilctl.errors import HilctlError

NAMES = ("chromium", "chromium-browser", "google-chrome")


def executable() -> str | None:
    """Where it is; None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextmanager
def chromium() -> Iterator[Any]:
    """One that ends with the block. HilctlError where there is none."""
    path = executable()
    if path is None:
        raise HilctlError("no Chromium is installed", remedy="apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise HilctlError("Playwright is not installed", remedy="pip install playwright") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
