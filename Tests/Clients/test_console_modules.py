"""The console's modules that need no page, in Node."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
import requests

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
MODULES = sorted((CHECKOUT / "Tests" / "ConsoleModules").glob("*.test.mjs"))
SOURCES = CHECKOUT / "Sources" / "Server" / "CConsoleFiles" / "Files"

pytestmark = [pytest.mark.brasa_only, pytest.mark.skipif(not shutil.which("node"), reason="needs Node")]


@pytest.fixture(scope="module")
def served(server, tmp_path_factory):
    """A folder with the console's scripts as browsers get them."""
    folder = tmp_path_factory.mktemp("served")
    page = requests.get(f"{server.url}/console", timeout=30).text
    root = re.search(r"/__/console/[0-9a-f]+", page).group()
    with requests.Session() as session:
        for source in SOURCES.rglob("*.js"):
            file = folder / source.relative_to(SOURCES)
            answer = session.get(f"{server.url}{root}/{file.relative_to(folder).as_posix()}", timeout=30)
            assert answer.status_code == 200, file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(answer.content)
    return folder


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name.removesuffix(".test.mjs"))
def test_module(module, served):
    done = subprocess.run(["node", "--experimental-vm-modules", "--test", str(module)], env=os.environ | {"CONSOLE_SERVED": str(served)},
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert int(re.search(r"^# pass (\d+)", done.stdout, re.MULTILINE).group(1)) > 0
