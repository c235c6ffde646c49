"""The samples of the README files and of scripts/serve, run as a reader would run them."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from support import server as servers

pytestmark = pytest.mark.brasa_only

BLOCK = re.compile(r"^```(\w+) ([\w ]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(file, kind):
    """The fenced blocks of a file whose info string says they are of that kind: (language, rest, text)."""
    text = (servers.CHECKOUT / file).read_text()
    found = [(m[1], m[2].removeprefix(kind).strip(), m[3]) for m in BLOCK.finditer(text) if m[2].split()[0] == kind]
    assert found, f"{file} has no sample of kind {kind}"
    return found


def environment(**more):
    """A reader's shell, in which `python3` has Google's client and `brasa` is on the path."""
    folders = [str(pathlib.Path(sys.executable).parent), str(servers.binary().parent)]
    path = os.pathsep.join([*folders, os.environ["PATH"]])
    return servers.clean_environment({"PATH": path, **more})


def run(language, text, shell, directory):
    command = ["bash", "-euo", "pipefail", "-c", text] if language == "sh" else ["python3", "-c", text]
    done = subprocess.run(
        command, capture_output=True, text=True, env=shell, cwd=directory, timeout=120
    )
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
    assert '"error"' not in done.stdout, f"{text}\n{done.stdout}"
    return done.stdout


def exports(text):
    return dict(re.findall(r"^export (\w+)=(\S+)$", text, re.MULTILINE))


@pytest.mark.parametrize("file", ["README.md", "README.pt-BR.md"])
def test_the_samples_of_the_readme(server, tmp_path, file):
    shell = environment()
    output = ""
    for language, _, text in blocks(file, "test"):
        text = text.replace("127.0.0.1:8080", server.host)
        output += run(language, text, shell, tmp_path)
        shell.update(exports(text))
    assert "mesa" in output or "table" in output


def test_the_samples_that_serve_prints(server, tmp_path):
    script = servers.CHECKOUT / "scripts" / "lib" / "samples.sh"
    printed = subprocess.run(
        ["bash", "-c", f'. "{script}"; samples {server.host}'], capture_output=True, text=True
    ).stdout
    output = run("sh", printed, environment(), tmp_path)
    assert "Chair" in output
    (table,) = [line for line in output.splitlines() if line.startswith("table ")]
    assert "'name': 'Table'" in table and "'price': 120" in table


@pytest.mark.parametrize("file", ["README.md", "README.pt-BR.md"])
def test_the_samples_of_production(tmp_path, file):
    shell = environment(BRASA_PORT="0")
    running = None
    try:
        for language, role, text in blocks(file, "production"):
            if role == "server":
                words = text.split()
                assert words[0] == "brasa"
                running = servers.Process([servers.binary(), *absolute(words[1:], tmp_path)], shell)
                running.start()
                shell["BRASA_KEY"] = running.administrator_key
                continue
            if role == "client":
                text = text.replace("localhost:8080", f"localhost:{running.port}")
            run(language, text, shell, tmp_path)
            shell.update(exports(text))
    finally:
        if running:
            running.kill()


def absolute(words, directory):
    """Relative file names of the sample, in the directory where the other samples run."""
    return [
        str(directory / word) if not word.startswith("-") and word != "serve" else word
        for word in words
    ]


def test_both_languages_show_the_same():
    english, portuguese = (
        re.findall(r"^(?:#+|```)\S*(?: [a-z ]+$)?", (servers.CHECKOUT / file).read_text(), re.MULTILINE)
        for file in ("README.md", "README.pt-BR.md")
    )
    assert english == portuguese


PAGES = ["README.md", "README.pt-BR.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Benchmarks/README.md"] + [
    str(page.relative_to(servers.CHECKOUT)) for page in sorted((servers.CHECKOUT / "docs").glob("*.md"))
]


@pytest.mark.parametrize("file", PAGES)
def test_links_between_pages_lead_somewhere(file):
    page = servers.CHECKOUT / file
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{file} links to {target}"
