"""The documents as a site, in out/site: `python -m tests.handbook`. A dead link or anchor, or a page that the index
docs/README.md does not name, ends it with exit code 1.

The pages are read where they stand: a copy of them, with every file that they link to, is laid out as in the
repository, so that one link serves the site, the checkout and its host. The order and the titles of the navigation are
those of the index. The site loads nothing from a network, and its search works from the file system.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import tomli_w

HOUSE = Path(__file__).resolve().parents[1]
INDEX = "docs/README.md"
OUT = HOUSE / "out"
_SITE, _SOURCE = "site", "site-source"
ROOTS = ("README.md", "docs", "deploy", "firmware_bridge")
_OWN = HOUSE / "docs" / "site"  # a style, and what the search needs where there is no server
_SHIM = "https://unpkg.com/iframe-worker/shim"

_LINK = re.compile(r"(\]\()([^)\s#]*)(#[^)\s]*)?(\))")
_CODE = re.compile(r"```.*?```|`[^`\n]+`|^ {4}[^\n]*$", re.DOTALL | re.MULTILINE)
_MARK = re.compile(r"^<!-- \w+: (?:generated|end) -->$", re.MULTILINE)
_WITHIN = re.compile(r"^ {2,3}(?=(?:[-*]|\d+\.) )|(?<=\n\n) {2,3}(?=\S)", re.MULTILINE)
_LIST = re.compile(r"^((?!\s*(?:[-*]|\d+\.) |\s*$|\s*\||#).*\S.*)\n(?=(?:[-*]|\d+\.) )", re.MULTILINE)


class Wrong(NamedTuple):
    """What must be corrected before the site is built."""

    page: str
    why: str


def pages() -> list[str]:
    """Every page, by its path in the repository."""
    found = [HOUSE / root for root in ROOTS if root.endswith(".md")]
    found += [path for root in ROOTS for path in (HOUSE / root).rglob("*.md")]
    return sorted(str(path.relative_to(HOUSE)) for path in found)


def navigation() -> list[dict[str, object]]:
    """The sections of the index, each with its pages in their order; the front page comes first."""
    index = (HOUSE / INDEX).read_text(encoding="utf-8")
    sections: list[dict[str, object]] = [{"Start": "README.md"}]
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        listed = re.findall(r"^(?:\| |- )?\[([^\]]+)\]\(([^)#]+\.md)\)", _spread(text), re.MULTILINE)
        if listed:
            sections.append({title: [{name: _place(link)} for name, link in listed]})
    sections.append({"All pages": INDEX})
    return sections


def _spread(text: str) -> str:
    """A cell with several links, one a line."""
    return re.sub(r"\), (?=\[)", ")\n", text)


def _place(link: str) -> str:
    return str((HOUSE / INDEX).parent.joinpath(link).resolve().relative_to(HOUSE))


def listed() -> set[str]:
    """The pages that the navigation leads to."""
    found = set()
    for section in navigation():
        for inner in section.values():
            found |= {inner} if isinstance(inner, str) else {next(iter(entry.values())) for entry in inner}  # type: ignore[attr-defined]
    return found


def wrong() -> list[Wrong]:
    """Pages that cannot be reached, and links to what does not exist."""
    missing = [Wrong(page, f"is not in {INDEX}: add a row for it") for page in sorted(set(pages()) - listed())]
    dead = [Wrong(page, f"links to {link}, which does not exist") for page in pages() for link in links(page)
            if not (HOUSE / page).parent.joinpath(link).exists()]  # fmt: skip
    return missing + dead


def links(page: str) -> list[str]:
    """The files and folders of the repository that a page links to."""
    text = _CODE.sub("", (HOUSE / page).read_text(encoding="utf-8"))
    return [found[2] for found in _LINK.finditer(text) if found[2] and ":" not in found[2]]


def lay_out(out: Path) -> None:
    """The copy from which the site is made."""
    source = out / _SOURCE
    shutil.rmtree(source, ignore_errors=True)
    for page in pages():
        place = source / page
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(staged(page), encoding="utf-8")
        for link in links(page):
            _copy((HOUSE / page).parent.joinpath(link).resolve(), source)
    shutil.copytree(_OWN, source / "site")
    config = {"project": {**_project(), "nav": navigation()}}
    (out / "site.toml").write_text(tomli_w.dumps(config), encoding="utf-8")


def staged(page: str) -> str:
    """A page in the Markdown of the site: a list needs an empty line before it, what stands in it four spaces, and a
    folder is a list of its files."""
    text = (HOUSE / page).read_text(encoding="utf-8")
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\0{len(kept) - 1}\0"

    text = _CODE.sub(keep, _MARK.sub("", text))
    text = _LIST.sub(r"\1\n\n", _WITHIN.sub("    ", text))
    text = _LINK.sub(lambda found: found[1] + _shown(page, found[2]) + (found[3] or "") + found[4], text)
    return re.sub(r"\0(\d+)\0", lambda found: kept[int(found[1])], text)


def _shown(page: str, link: str) -> str:
    """What a link becomes: a file without an ending, and a folder, have a page of text."""
    target = (HOUSE / page).parent.joinpath(link)
    if not link or ":" in link or not target.is_dir():
        return link
    return f"{link.rstrip('/')}/files.md"


def _copy(target: Path, source: Path) -> None:
    place = source / target.relative_to(HOUSE)
    if target.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        names = sorted(path.name for path in target.iterdir() if path.is_file() and path.suffix != ".pyc")
        listed = "\n".join(f"- [{name}]({name})" for name in names)
        (place / "files.md").write_text(f"# {target.relative_to(HOUSE)}\n\n{listed}\n", encoding="utf-8")
        for name in names:
            shutil.copy(target / name, place / name)
    elif target.suffix != ".md":
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(target, place)


def _project() -> dict[str, object]:
    palette = [
        {"media": f"(prefers-color-scheme: {scheme})", "scheme": name, "primary": "indigo", "accent": "indigo",
         "toggle": {"icon": icon, "name": f"Switch to {other}"}}
        for scheme, name, icon, other in (("light", "default", "lucide/sun", "dark"),
                                          ("dark", "slate", "lucide/moon", "light"))
    ]  # fmt: skip
    slugs = {"permalink": True, "toc_depth": 3,
             "slugify": {"object": "pymdownx.slugs.slugify", "kwds": {"case": "lower"}}}  # fmt: skip
    return {
        "site_name": "hilctl",
        "site_description": "Real-time controller service for servo-hydraulic test rigs",
        "docs_dir": _SOURCE,
        "site_dir": _SITE,
        "use_directory_urls": False,
        "extra_css": ["site/site.css"],
        "theme": {
            "variant": "modern",
            "language": "en",
            "font": False,
            "features": ["navigation.tabs", "navigation.top", "navigation.footer", "toc.follow",
                         "content.code.copy", "search.highlight"],
            "palette": palette,
        },
        "plugins": {"search": {}, "offline": {}},
        "markdown_extensions": {
            "attr_list": {}, "md_in_html": {}, "tables": {}, "toc": slugs,
            "pymdownx": {"highlight": {"anchor_linenums": False}, "superfences": {}, "inlinehilite": {},
                         "tasklist": {"custom_checkbox": True}},
        },
    }  # fmt: skip


def _report(text: str) -> str:
    """What the builder prints, without colours and its traceback."""
    return re.sub(r"\x1b\[[\d;]*m", "", text).partition("Traceback")[0]


def _keep_at_home(site: Path) -> None:
    """The builder's pages load one script from a network: here it is a file of the site."""
    for page in site.rglob("*.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(_SHIM, f"{up}site/worker-of-files.js"), encoding="utf-8")


def built(page: str) -> str:
    """Where the site has it."""
    path = Path(page)
    return str(path.with_name("index.html") if path.name == "README.md" else path.with_suffix(".html"))


def build(out: Path = OUT) -> int:
    """Builds it below this folder; the exit code."""
    problems = wrong()
    for problem in problems:
        print(f"{problem.page}: {problem.why}", file=sys.stderr)
    if problems:
        return 1
    lay_out(out)
    site = out / _SITE
    shutil.rmtree(site, ignore_errors=True)
    program = Path(sys.executable).parent / "zensical"
    command = [str(program), "build", "--strict", "--clean", "--config-file", str(out / "site.toml")]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
    if done.returncode:
        print(_report(done.stdout + done.stderr), file=sys.stderr)
        return 1
    _keep_at_home(site)
    print(f"{len(pages())} pages in {site}: open {site / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(build())
