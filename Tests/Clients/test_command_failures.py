"""Commands that cannot do their work: one sentence that says what failed and what to do, exit 1, nothing written."""

import os
import pathlib
import re
import socket
import subprocess
import tempfile

import pytest

from support import server as servers

pytestmark = pytest.mark.brasa_only

# How a Swift value looks, which is for nobody's eyes.
SWIFT = re.compile(r"\(code: |Error Domain=|errno: |Optional\(|rawValue|[A-Za-z]+Error\(|failedTo[A-Z]")


def failed(*arguments, **options):
    """The sentence of a command that fails."""
    done = servers.run(*arguments, check=False, **options)
    said = [line for line in done.stderr.splitlines() if " WARN " not in line]
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    assert len(said) == 1, said
    assert said[0].startswith("Error: "), said
    assert not SWIFT.search(said[0]) and "Usage" not in done.stderr, said
    assert "administrator key" not in done.stdout + done.stderr
    return said[0].removeprefix("Error: ")


def serve(data, *arguments, development=True, port=0, **options):
    mode = ["--dev"] if development else []
    return failed("serve", *mode, "--port", port, "--data", data, *arguments, **options)


@pytest.fixture
def data(tmp_path):
    """A data directory that a start which fails does not make."""
    path = tmp_path / "data"
    yield path
    assert not path.exists()


def test_a_port_that_is_taken(data):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = serve(data, port=port)
        assert said == (
            f"Port {port} is already in use. Stop the other program, or choose another port: brasa serve --port {port + 1}"
        )
        metrics = serve(data, "--metrics-address", f"127.0.0.1:{port}")
        assert metrics.startswith(f"Port {port} is already in use.") and "--metrics-address" in metrics


def test_an_address_that_is_not_ours(data):
    assert "this machine has no such address" in serve(data, "--host", "192.0.2.1", development=False)
    assert "no address has this name" in serve(data, "--host", "nowhere.invalid", development=False)


@pytest.mark.parametrize("options, said", [
    (["--port", "99999"], "The port must be between 0 and 65535, not 99999."),
    (["--cache", "1"], "The cache must have between 8"),
    (["--tls-key", "key.pem"], "--tls-certificate and --tls-key must be used together."),
    (["--store", "mysql://here"], "--store needs an address such as postgres://"),
    (["--home"], "needs --cluster"),
])
def test_settings_that_cannot_be(data, options, said):
    assert said in serve(data, *options)
    assert said in failed("serve", "--dev", "--data", data, *options)


def test_a_flag_that_does_not_exist_shows_the_usage(data):
    done = servers.run("serve", "--nothing", "--data", data, check=False)
    assert done.returncode == 64 and "Usage: brasa serve" in done.stderr


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folders = [tmp_path_factory.mktemp("certificates") for _ in range(2)]
    for folder in folders:
        servers.run("certs", "--directory", folder)
    return folders


def test_certificates_that_cannot_be_used(data, tmp_path, certificates):
    first, second = certificates

    def start(certificate, key):
        return serve(data, "--tls-certificate", certificate, "--tls-key", key, development=False)

    pem, key = first / "server.pem", first / "server-key.pem"
    absent, text = tmp_path / "absent.pem", tmp_path / "text.pem"
    text.write_text("no certificate")
    assert start(absent, key) == f"Can't read the certificate {absent}: No such file or directory."
    assert start(pem, absent) == f"Can't read the private key {absent}: No such file or directory."
    assert start(tmp_path, key) == f"Can't read the certificate {tmp_path}: Is a directory."
    assert start(text, key) == f"{text} contains no certificate in PEM format."
    assert start(pem, text) == f"{text} contains no private key in PEM format."
    large = tmp_path / "large.pem"
    large.write_bytes(pem.read_bytes() + b"#" * (1 << 20))
    assert start(large, key) == (
        f"The certificate {large} is larger than 1 MiB. Use a file that contains only this server's chain."
    )
    other = second / "server-key.pem"
    assert start(pem, other) == f"The key {other} doesn't belong to the certificate {pem}."


def test_a_directory_that_is_in_use(tmp_path):
    running = servers.Brasa(tmp_path / "data").start()
    try:
        said = serve(running.data)
        assert said == (
            f"Another server is using {running.data} (process {running.process.pid}). "
            "Stop it, or choose another directory with --data."
        )
    finally:
        running.stop()


def test_paths_at_which_no_directory_can_be(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    assert serve(file) == f"{file} is not a directory. Choose another path with --data."
    for below in (file / "data", file / "a" / "b"):
        assert serve(below) == f"Can't make {below}: {file} is not a directory. Choose another path with --data."
    for path in ("/proc/data", "/proc/data/below"):
        assert "/proc/data" in serve(path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    (other / "store").mkdir()
    (other / "store" / "notes.txt").write_text("mine")
    assert "is not a data directory" in serve(other)
    assert [entry.name for entry in (other / "store").iterdir()] == ["notes.txt"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user's directory")
def test_a_directory_of_another_user():
    # Nobody else may enter pytest's folders.
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        program, closed = folder / "brasa", folder / "closed"
        program.write_bytes(servers.binary().read_bytes())
        program.chmod(0o755)
        closed.mkdir(mode=0o755)
        for path, said in ((closed, "may not write in"), (closed / "data", "Can't make")):
            done = subprocess.run(
                [program, "serve", "--dev", "--port", "0", "--data", path],
                capture_output=True, text=True, timeout=60, user=65534, group=65534, extra_groups=[],
            )
            assert done.returncode == 1 and said in done.stderr and str(closed) in done.stderr, done.stderr
        assert list(closed.iterdir()) == []


def test_a_database_server_that_is_away(data):
    said = serve(data, "--store", "postgres://nobody@127.0.0.1:1/nothing", timeout=180)
    assert said.startswith("PostgreSQL cannot be reached: ") and said.endswith("Check the address in --store.")


def test_files_and_directories_that_are_not_there(tmp_path):
    absent = tmp_path / "absent"
    assert failed("verify", "--data", absent) == (
        f"There is no data directory at {absent}. Name it with --data, or start a server there."
    )
    server = servers.Brasa(tmp_path / "data").start()
    try:
        data = ("--project", "p", "--data", server.data)
        assert str(absent) in failed("import", absent, *data)
        assert str(absent) in failed("rules", "deploy", absent, *data)
        assert str(absent) in failed("indexes", "apply", absent, *data)
        assert str(absent) in failed("config", "publish", absent, *data)
        assert str(absent) in failed("users", "import", absent, *data)
        full = tmp_path / "full"
        full.mkdir()
        (full / "file").write_text("x")
        assert "is not empty" in failed("export", full, *data)
    finally:
        server.stop()
    for command in (["export", tmp_path / "new"], ["users", "list"], ["indexes", "list"]):
        assert "data directory" in failed(*command, "--project", "p", "--data", absent)


@pytest.mark.parametrize("text", ["", "{", "[1, 2", '{"users": 1}', '{"indexes": "none"}', "nonsense", '{"parameters": []}'])
@pytest.mark.parametrize("command", [("indexes", "apply"), ("config", "publish"), ("users", "import")])
def test_wrong_json(tmp_path, shared, command, text):
    file = tmp_path / "file.json"
    file.write_text(text)
    done = servers.run(*command, file, "--project", "p", "--data", shared.data, check=False)
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert not SWIFT.search(done.stdout + done.stderr) and "Usage" not in done.stderr, done.stderr
    assert (done.stdout + done.stderr).strip()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    running = servers.Brasa(tmp_path_factory.mktemp("server") / "data").start()
    yield running
    running.stop()


def test_a_start_says_little(tmp_path):
    running = servers.Brasa(tmp_path / "data").start()
    running.stop()
    assert len(running.output.splitlines()) <= 8, running.output
    assert "paths=" not in running.output
