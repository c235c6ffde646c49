"""The Swift SDK against Google's Firestore emulator, where that is installed: the tests that it passes against Brasa."""

import os
import pathlib
import subprocess

import pytest

from support import server as servers

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.slow,
    pytest.mark.skipif(
        not pathlib.Path(servers.EMULATOR_JAR).exists(), reason="Google's emulator is not installed"
    ),
]

TESTS = "WriteAndListenTests|PersistenceTests"


def test_the_sdk_passes_its_tests_against_googles_emulator():
    emulator = servers.Emulator().start()
    try:
        done = subprocess.run(
            ["swift", "test", "--skip-build", "--filter", TESTS],
            cwd=servers.CHECKOUT,
            env={**os.environ, "BRASA_SDK_TEST_PORT": str(emulator.port)},
            capture_output=True,
            text=True,
            timeout=300,
        )
    finally:
        emulator.stop()
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed after " in done.stdout
