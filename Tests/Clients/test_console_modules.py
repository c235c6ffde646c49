"""The console's modules that need no page, in Node."""

import pathlib
import re
import shutil
import subprocess

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
MODULES = sorted((CHECKOUT / "Tests" / "ConsoleModules").glob("*.test.mjs"))

pytestmark = [pytest.mark.brasa_only, pytest.mark.skipif(not shutil.which("node"), reason="needs Node")]


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name.removesuffix(".test.mjs"))
def test_module(module):
    done = subprocess.run(["node", "--test", str(module)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert int(re.search(r"^# pass (\d+)", done.stdout, re.MULTILINE).group(1)) > 0
