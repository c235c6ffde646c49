"""The site of the documentation that scripts/docs builds: its pages, its links, and what it says of a link that is wrong."""

import pathlib
import re
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.brasa_only

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".build" / "site-python" / "bin" / "python"


def build(folder, *options):
    return subprocess.run(
        [ROOT / "scripts" / "docs", "--out", folder, *options], capture_output=True, text=True, timeout=900, check=False
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = build(folder, "--no-sdk")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_text_is_a_page_that_the_others_name(site):
    texts = {"index", "README.pt-BR", "CHANGELOG", "CONTRIBUTING", "SECURITY", "Examples/README", "Benchmarks/README"}
    texts |= {f"docs/{path.stem}" for path in (ROOT / "docs").glob("*.md")}
    pages = {str(path.relative_to(site))[: -len(".html")] for path in site.rglob("*.html")}
    assert texts <= pages
    start = (site / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{name}.html"' in start for name in texts - {"index"})
    assert ".md" not in "".join(part.split('"')[0] for part in start.split('href="')[1:])


def test_samples_are_blocks_of_code(site):
    for page in site.rglob("*.html"):
        assert "```" not in re.sub(r"<code[^>]*>.*?</code>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL), page
    chapter = (site / "docs" / "guide" / "chapter-10.html").read_text(encoding="utf-8")
    assert '<h2 id="in-firebase-and-in-brasa">' in chapter and "brasa rules deploy firestore.rules\n</code></pre>" in chapter


def test_a_link_that_leads_nowhere_is_named(site, tmp_path):
    library = tmp_path / "scripts" / "lib"
    library.mkdir(parents=True)
    shutil.copyfile(ROOT / "scripts" / "lib" / "site.py", library / "site.py")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "testing.md").write_text("# Testing\n\n## A part, and more\n")
    text = "[a](docs/testing.md#a-part-and-more) [b](docs/testing.md) [c](https://example.com/x) [d](#there)\n\n## There\n"

    def run(more):
        (tmp_path / "README.md").write_text("# Start\n\n" + text + more)
        return subprocess.run([PYTHON, library / "site.py", tmp_path / "out"], capture_output=True, text=True, check=False)

    done = run("")
    assert done.returncode == 0, done.stderr
    done = run("[e](docs/absent.md) [f](docs/testing.md#absent) ![g](absent.png) [h](#absent)")
    assert done.returncode == 1
    wrong = ["docs/absent.md", "docs/testing.html#absent", "absent.png", "#absent"]
    assert sorted(done.stderr.splitlines()) == sorted(f"index.html: the link {link} leads nowhere." for link in wrong)


def test_an_unknown_option_is_refused(tmp_path):
    done = build(tmp_path, "--nonsense")
    assert done.returncode == 1 and "--nonsense" in done.stderr


@pytest.mark.slow
def test_the_sdk_is_documented_without_a_link_that_leads_nowhere(tmp_path):
    done = build(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for catalogue in ROOT.glob("Sources/SDK/*/*.docc"):
        name = catalogue.stem
        assert (tmp_path / "sdk" / name / "documentation" / name.lower() / "index.html").exists(), name
