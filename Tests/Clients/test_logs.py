"""The search of all logs at the end of the run (`conftest.py`) finds what it is there to find."""

import pytest

from support import secrets, server as servers

pytestmark = pytest.mark.brasa_only

KNOWN = {"a-planted-password": "password", "c2lnbmF0dXJl-of-a-token": "token"}


def test_the_search_for_secrets_finds_them():
    lines = [
        "INFO  gateway: nothing here", "WARN  gateway: failed body=a-planted-password",
        "INFO  access: bearer xxc2lnbmF0dXJl-of-a-tokenxx",
    ]
    assert [what for what, _ in secrets.leaks(lines, KNOWN)] == ["password", "token"]
    assert secrets.leaks(lines[:1], KNOWN) == []
    shown = ["NOTICE mailbox: an email was logged instead of sent link=a-planted-password"]
    assert secrets.leaks(shown, KNOWN) == []


def test_what_messages_carry_is_known():
    secrets.note_message(
        {"users": [{"rawPassword": "planted-raw-password"}], "oobLink": "x?oobCode=planted-code_1&y"}
    )
    secrets.note("eyJhbGciOiJub25lIn0.planted-claims-part.planted-signature-part")
    for word in (
        "planted-raw-password", "planted-code_1", "planted-claims-part", "planted-signature-part",
    ):
        assert secrets.leaks([f"x {word} y"]), word


def test_every_server_of_the_run_is_searched(server):
    assert any("brasa listening" in line for line in servers.Process.log)
    assert server.lines[0] in servers.Process.log
