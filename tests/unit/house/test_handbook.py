"""The site is built, strictly; it is whole without a network."""

import re
import shutil
from pathlib import Path

import pytest

from tests import handbook

pytestmark = pytest.mark.slow  # the site is built once for all; CI builds it in any case

_MENU = re.compile(r'<a href="([^"#]+)" class="md-nav__link')
_LOADS = re.compile(r"<(?:script|img|iframe|source)[^>]+src=\"?(https?:[^\s\">]+)|"
                    r"<link[^>]+rel=\"?(?:stylesheet|preload|preconnect|icon)[^>]+href=\"?(https?:[^\s\">]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("zensical")
    folder = tmp_path_factory.mktemp("handbook")
    assert handbook.build(folder) == 0
    return folder / "site"


def test_every_page_is_in_the_navigation_and_becomes_a_page(site):
    assert handbook.wrong() == []
    made = {str(path.relative_to(site)) for path in site.rglob("*.html")}
    missing = {page for page in handbook.pages() if handbook.built(page) not in made}
    assert missing == set()
    assert "404.html" in made
    menus = "".join((site / handbook.built(page)).read_text() for page in handbook.pages())
    led_to = {link.rpartition("/")[2] for link in _MENU.findall(menus)}
    assert {Path(handbook.built(page)).name for page in handbook.pages()} - led_to == set()


def test_a_page_that_the_index_does_not_name_is_wrong(monkeypatch):
    monkeypatch.setattr(handbook, "pages", lambda: ["docs/nowhere.md"])
    monkeypatch.setattr(handbook, "links", lambda page: ["gone.md"])
    assert [one.why for one in handbook.wrong()] == [
        "is not in docs/README.md: add a row for it", "links to gone.md, which does not exist",
    ]  # fmt: skip


def test_a_dead_anchor_fails_the_build_and_is_named(tmp_path, monkeypatch, capsys):
    pytest.importorskip("zensical")
    was = handbook.staged
    dead = "[here](safety.md#no-such-part)"
    monkeypatch.setattr(handbook, "staged", lambda page: was(page) + (dead if page == "docs/words.md" else ""))
    assert handbook.build(tmp_path) == 1
    said = capsys.readouterr().err
    assert "docs/words.md" in said and "anchor does not exist" in said
    assert "Traceback" not in said


def test_the_site_asks_a_network_for_nothing(site):
    found = {str(page.relative_to(site)): _LOADS.findall(page.read_text()) for page in site.rglob("*.html")}
    assert {page: links for page, links in found.items() if links} == {}
    assert "url(http" not in "".join(sheet.read_text() for sheet in site.rglob("*.css"))


def test_no_table_and_no_list_is_left_as_text(site):
    left = re.compile(r"<p>\||<p>[^<]*\n(?:[-*]|\d+\.) |<p>```")
    assert [str(page) for page in site.rglob("*.html") if left.search(page.read_text())] == []


def test_titles_are_the_pages_own(site):
    titles = [re.search(r"<title>(.*?)</title>", page.read_text(), re.DOTALL)[1] for page in site.rglob("*.html")]
    assert all(title.strip() for title in titles)


def test_the_search_finds_a_trip_by_its_text_where_there_is_no_server(site):
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(offline=True).new_page()
        page.goto((site / "docs" / "safety.html").as_uri())
        page.get_by_role("button", name="Search").first.click()
        page.get_by_placeholder("Search").fill("polarity")
        page.get_by_text(re.compile(r"^\d+ results?$")).wait_for(timeout=20_000)
        browser.close()
