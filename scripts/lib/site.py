"""Writes the pages of the site that scripts/docs builds, and checks that every link among them leads somewhere.

usage: site.py FOLDER [MODULE of the SDK]...
"""

import html
import html.parser
import os
import pathlib
import re
import shutil
import sys
import urllib.parse

import markdown

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The pages in the order of the navigation; a page of a folder has the folder in its address.
SECTIONS = {
    "Brasa": ["README.md", "docs/operating.md", "docs/console.md", "docs/cluster.md", "docs/security.md"],
    "Products": ["docs/*.md"],
    "Guide": ["docs/guide/README.md", "docs/guide/start.md", "docs/guide/iphone.md", "docs/guide/*.md"],
    "Examples": ["Examples/README*.md", "Examples/*/README*.md"],
    "Project": [
        "docs/architecture.md", "docs/walkthroughs.md", "docs/targets.md", "docs/keys.md", "docs/internals.md", "docs/testing.md",
        "Benchmarks/README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md",
    ],
    "Português": [
        "README.pt-BR.md", "docs/*.pt-BR.md", "docs/guia/README.md", "docs/guia/preparo.md", "docs/guia/iphone.md", "docs/guia/*.md",
    ],
}
IMAGES = {".png", ".svg", ".jpg", ".gif", ".webp"}
STYLE = """
:root { color-scheme: light dark; --line: #8884; --accent: #d9480f; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; display: grid; grid-template-columns: 15rem minmax(0, 46rem); gap: 3rem; }
nav { border-right: 1px solid var(--line); padding: 1.5rem; min-height: 100vh; box-sizing: border-box; }
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; opacity: .7; margin: 1.5rem 0 .4rem; }
nav ul { list-style: none; margin: 0; padding: 0; } nav a { display: block; padding: .1rem 0; text-decoration: none; }
nav [aria-current] { font-weight: 600; color: var(--accent); }
main { padding: 1.5rem 1rem 5rem; } main img { max-width: 100%; } a { color: var(--accent); }
pre { padding: .8rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; font-size: .9rem; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
@media (max-width: 60rem) { body { display: block; } nav { min-height: 0; border-right: 0; border-bottom: 1px solid var(--line); } }
"""


class Page:
    """A text of the project as a page of the site."""

    def __init__(self, source):
        self.source = source
        name = source.relative_to(ROOT).with_suffix(".html")
        self.address = pathlib.Path("index.html") if str(name) == "README.html" else name
        text = source.read_text(encoding="utf-8")
        title = re.search(r"^# (.+)$", text, re.M)
        self.title = re.sub(r"[`*]", "", title[1]) if title else source.stem
        converter = markdown.Markdown(
            extensions=["tables", "fenced_code", "toc", "sane_lists", "md_in_html"],
            extension_configs={"toc": {"slugify": slug}},
        )
        # The words behind a block's language are for our tests; the converter knows the language alone.
        self.body = converter.convert(re.sub(r"^```(\w+) .+$", r"```\1", text, flags=re.M))


def slug(title, separator="-"):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", separator)


def pages():
    """The pages of each section; a page that two sections name is in the first."""
    seen, result = set(), {}
    specific = {path for name, patterns in SECTIONS.items() for pattern in patterns if "*" not in pattern for path in [pattern]}
    for section, patterns in SECTIONS.items():
        result[section] = []
        for pattern in patterns:
            for source in sorted(ROOT.glob(pattern)):
                name = str(source.relative_to(ROOT))
                is_elsewhere = "*" in pattern and (name in specific or (name.endswith(".pt-BR.md") and section == "Products"))
                if name not in seen and not is_elsewhere:
                    seen.add(name)
                    result[section].append(Page(source))
    return result


def links(page, known, files):
    """The body with links to other texts turned to their pages; links to the project's other files become plain text."""

    def target(match):
        attribute, value = match[1], html.unescape(match[2])
        address = urllib.parse.urlsplit(value)
        if address.scheme or not address.path:
            return match[0]
        source = pathlib.Path(os.path.normpath(page.source.parent / urllib.parse.unquote(address.path)))
        if source.is_dir() and (source / "README.md").exists():
            source = source / "README.md"
        if source in known:
            found = os.path.relpath(known[source].address, page.address.parent)
            return f'{attribute}="{found}{"#" + address.fragment if address.fragment else ""}"'
        if source.suffix in IMAGES and source.exists():
            files.add(source)
            return match[0]
        if source.exists() and ROOT in source.parents:
            return f'data-file="{html.escape(str(source.relative_to(ROOT)))}"'
        return match[0]

    return re.sub(r'\b(href|src)="([^"]*)"', target, page.body)


def is_portuguese(source):
    return ".pt-BR" in source.name or source.parent.name == "guia"


def document(page, body, navigation):
    return (
        f'<!doctype html>\n<html lang="{"pt-BR" if is_portuguese(page.source) else "en"}">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{html.escape(page.title)} · Brasa</title>\n'
        f"<style>{STYLE}</style>\n<nav>{navigation}</nav>\n<main>\n{body}\n</main>\n</html>\n"
    )


def navigation(page, sections, modules):
    lists = []
    for section, members in sections.items():
        items = "".join(
            f'<li><a href="{os.path.relpath(one.address, page.address.parent)}"'
            f'{" aria-current=page" if one is page else ""}>{html.escape(one.title)}</a>'
            for one in members
        )
        if items:
            lists.append(f"<h2>{section}</h2><ul>{items}</ul>")
    if modules:
        up = os.path.relpath(".", page.address.parent)
        items = "".join(f'<li><a href="{up}/sdk/{name}/documentation/{name.lower()}/index.html">{name}</a>' for name in modules)
        lists.append(f"<h2>Swift SDK</h2><ul>{items}</ul>")
    return "".join(lists)


class Reader(html.parser.HTMLParser):
    """The anchors and links of a page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            if name in ("href", "src") and value is not None:
                self.links.append(value)


def broken(folder):
    """The links of our pages that lead nowhere: the page and the link."""
    read, result = {}, []
    own = [path for path in folder.rglob("*.html") if folder / "sdk" not in path.parents]
    for path in own:
        read[path] = Reader(path.read_text(encoding="utf-8"))
    for path, page in read.items():
        for link in page.links:
            address = urllib.parse.urlsplit(link)
            if address.scheme:
                continue
            aim = pathlib.Path(os.path.normpath(path.parent / urllib.parse.unquote(address.path))) if address.path else path
            is_there = aim.is_file() and (not address.fragment or aim not in read or address.fragment in read[aim].anchors)
            if not is_there:
                result.append((path.relative_to(folder), link))
    return result


def main(folder, modules):
    sections = pages()
    known = {page.source: page for members in sections.values() for page in members}
    files = set()
    for page in known.values():
        path = folder / page.address
        path.parent.mkdir(parents=True, exist_ok=True)
        body = links(page, known, files)
        path.write_text(document(page, body, navigation(page, sections, modules)), encoding="utf-8")
    for source in files:
        copy = folder / source.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
    wrong = broken(folder)
    for path, link in wrong:
        print(f"{path}: the link {link} leads nowhere.", file=sys.stderr)
    print(f"{len(known)} pages and {len(files)} pictures.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
