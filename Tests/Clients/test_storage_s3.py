"""Objects whose bytes are on a server with the protocol of S3, which checks signatures."""

import os
import threading

import pytest
import requests

from support import firebase_storage as firebase, server as servers
from support.s3 import Moto, Valve

pytestmark = pytest.mark.brasa_only

BUCKET = "shop.appspot.com"


@pytest.fixture(scope="module")
def moto():
    made = Moto()
    yield made
    made.close()


@pytest.fixture
def brasa(moto, tmp_path):
    running = servers.Brasa(tmp_path / "data", environment=moto.environment(BRASA_S3_PREFIX=tmp_path.name)).start()
    yield running
    if running.is_running:
        running.stop()


@pytest.fixture
def storage(brasa):
    return firebase.Storage(brasa, BUCKET, "owner")


def below(moto, tmp_path, kind):
    return [key for key in moto.keys() if key.startswith(f"{tmp_path.name}/{kind}/")]


def test_bytes_are_in_the_bucket_and_nowhere_else(moto, storage, brasa, tmp_path):
    content = os.urandom(100_000)
    assert storage.upload("a/b.png", content).status_code == 200
    assert len(below(moto, tmp_path, "finished")) == 1 and not below(moto, tmp_path, "unfinished")
    assert storage.download("a/b.png").content == content
    assert storage.download("a/b.png", {"Range": "bytes=99990-"}).content == content[-10:]
    assert storage.upload("empty", b"").status_code == 200
    assert storage.download("empty").content == b""
    brasa.stop()
    brasa.start()
    assert firebase.Storage(brasa, BUCKET, "owner").download("a/b.png").content == content


def test_a_large_upload_goes_on_after_a_restart(moto, storage, brasa, tmp_path):
    """Three segments of 8 MiB, the last one not full, and a part of one when the server is killed."""
    content = os.urandom(20 << 20)
    url = storage.start("big", len(content)).headers["X-Goog-Upload-URL"]
    cut = (9 << 20) + 1
    answer = storage.chunk(url, content[:cut], 0)
    assert answer.headers["X-Goog-Upload-Size-Received"] == str(cut)
    assert len(below(moto, tmp_path, "unfinished")) == 2
    brasa.kill()
    brasa.start()
    url = brasa.url + url[url.index("/v0/"):]
    storage = firebase.Storage(brasa, BUCKET, "owner")
    assert storage.command(url, "query").headers["X-Goog-Upload-Size-Received"] == str(cut)
    last = storage.chunk(url, content[cut:], cut, finalize=True)
    assert last.status_code == 200, last.text
    assert not below(moto, tmp_path, "unfinished") and len(below(moto, tmp_path, "finished")) == 1
    assert storage.download("big").content == content
    assert storage.download("big", {"Range": f"bytes={(8 << 20) - 5}-{(8 << 20) + 4}"}).content == content[
        (8 << 20) - 5:(8 << 20) + 5
    ]


@pytest.mark.parametrize(
    "variable, value, words",
    [
        ("BRASA_S3_SECRET_ACCESS_KEY", "not-the-key", ["refuses the key", "SignatureDoesNotMatch", "BRASA_S3_"]),
        ("BRASA_S3_BUCKET", "not-there", ["does not have the bucket", "BRASA_S3_BUCKET"]),
        ("BRASA_S3_ENDPOINT", "http://127.0.0.1:1", ["does not respond", "BRASA_S3_ENDPOINT"]),
    ],
)
def test_a_bucket_that_does_not_open_ends_the_start(moto, tmp_path, variable, value, words):
    """The error, not some line of the log beside it, says why and where to look."""
    brasa = servers.Brasa(tmp_path / "data", environment=moto.environment(**{variable: value}))
    brasa.begin()
    assert brasa.process.wait(servers.START_SECONDS) == 1
    brasa.stop()  # Reads the rest of the output.
    error = brasa.output[brasa.output.index("\nError: "):]
    assert all(word in error for word in words) and "not-the-key" not in brasa.output


@pytest.mark.parametrize("what", ["start", "upload", "download"])
def test_a_server_that_hangs_does_not_keep_brasa_from_ending(moto, tmp_path, what):
    """It is asked for much longer than `stop` waits for the end."""
    valve = Valve(moto.url)
    environment = moto.environment(BRASA_S3_PREFIX=tmp_path.name, BRASA_S3_ENDPOINT=valve.url)
    if what == "start":
        valve.shut.set()
    brasa = servers.Brasa(tmp_path / "data", environment=environment).start()
    try:
        storage = firebase.Storage(brasa, BUCKET, "owner")
        if what != "start":
            assert storage.upload("a", os.urandom(100_000)).status_code == 200
            valve.shut.set()

        def call():
            try:
                storage.upload("b", b"more") if what == "upload" else storage.download("a")
            except requests.RequestException:
                pass  # The server ends.

        calling = threading.Thread(target=call)
        if what != "start":
            calling.start()
        assert valve.kept.wait(30)
        assert brasa.stop() == 0
        if what != "start":
            calling.join(30)
    finally:
        brasa.kill()
        valve.close()
