"""What an operator may set of browsers' streams."""

import pytest

from support import rpc, server as servers, webchannel

pytestmark = pytest.mark.brasa_only


def test_settings_of_webchannel(tmp_path):
    """By flag and by variable: how many sessions there may be, and what clients are told of noops."""
    server = servers.Brasa(
        tmp_path / "data", "--webchannel-sessions", "2", "--webchannel-backlog", "4096",
        "--webchannel-streaming", "60", environment={"BRASA_WEBCHANNEL_KEEP_ALIVE": "7"},
    ).start()
    sessions = [webchannel.Session(server, rpc.Names("p").database) for _ in range(3)]
    try:
        assert [session.open().status_code for session in sessions[:2]] == [200, 200]
        assert sessions[0].opening[5] == 7_000
        assert sessions[2].open().status_code == 503
        sessions[0].terminate()
        assert sessions[2].open().status_code == 200
    finally:
        for session in sessions:
            session.close()
        server.kill()


@pytest.mark.parametrize(
    "flag",
    ["--webchannel-sessions=0", "--webchannel-backlog=10", "--webchannel-keep-alive=1",
     "--webchannel-streaming=4000"],
)
def test_what_cannot_be_meant_is_refused(tmp_path, flag):
    done = servers.run("serve", "--dev", "--port", "0", "--data", tmp_path / "data", flag, check=False)
    assert done.returncode != 0
    assert "must be between" in done.stderr
