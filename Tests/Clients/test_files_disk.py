"""Files on a disk that fills up: uploads are refused and say why, everything else goes on; and large uploads."""

import base64
import os
import subprocess
import sys

import google_crc32c
import pytest
import requests

from support import clients, server as servers

pytestmark = pytest.mark.brasa_only

BUCKET = "shop.appspot.com"
RESERVE = 256 << 20
MEGABYTE = 1 << 20


def checksum(data):
    return base64.b64encode(google_crc32c.Checksum(data).digest()).decode()


class Files:
    def __init__(self, running):
        self.base = f"http://{running.host}/storage/v1/b/{BUCKET}/o"
        self.uploads = self.base.replace("/storage", "/upload/storage")

    def upload(self, name, data):
        """In one request; a generator comes without a length."""
        return requests.post(self.uploads, params={"uploadType": "media", "name": name}, data=data, timeout=60)

    def begin(self, name):
        begun = requests.post(self.uploads, params={"uploadType": "resumable", "name": name}, timeout=30)
        return begun.headers["Location"]

    def chunk(self, session, data, start, total="*"):
        content_range = f"bytes {start}-{start + len(data) - 1}/{total}"
        return requests.put(session, data=data, headers={"Content-Range": content_range}, timeout=60)

    def get(self, name):
        return requests.get(f"{self.base}/{name}", params={"alt": "media"}, timeout=60)

    def delete(self, name):
        return requests.delete(f"{self.base}/{name}", timeout=30)


@pytest.fixture
def disk(tmp_path):
    """A small disk of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", str(folder)], capture_output=True)
    if sys.platform != "linux" or mounted.returncode:
        pytest.skip("a file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def running(disk):
    started = servers.Brasa(disk / "data").start()
    yield started
    if started.is_running:
        assert started.stop() == 0


def free(disk):
    status = os.statvfs(disk)
    return status.f_bavail * status.f_frsize


def leave(disk, wanted):
    """Fills the disk up to so many free bytes."""
    with open(disk / "ballast", "ab") as ballast:
        os.posix_fallocate(ballast.fileno(), 0, os.fstat(ballast.fileno()).st_size + free(disk) - wanted)


def parts(count):
    for number in range(count):
        yield bytes([number % 256]) * MEGABYTE


def test_a_disk_that_fills_up_refuses_uploads_and_nothing_else(disk, running):
    files = Files(running)
    assert files.upload("kept", b"k" * (4 * MEGABYTE)).status_code == 200
    leave(disk, RESERVE + 12 * MEGABYTE)
    # Who says the size is refused at once, who does not when it comes to that.
    said = files.upload("said", b"s" * (20 * MEGABYTE))
    assert said.status_code == 507 and said.json()["error"]["errors"][0]["reason"] == "insufficientStorage"
    assert "almost full" in said.json()["error"]["message"]
    assert files.upload("unsaid", parts(20)).status_code == 507
    session = files.begin("later")
    received = 0
    while (answer := files.chunk(session, b"l" * MEGABYTE, received)).status_code == 308:
        received += MEGABYTE
        assert received < 20 * MEGABYTE
    assert answer.status_code == 507, answer.text
    # Documents keep their reserve, and nothing of what was refused is there.
    assert free(disk) >= RESERVE - MEGABYTE
    clients.connect(running, "p").document("c/still").set({"n": 1})
    assert [files.get(name).status_code for name in ("said", "unsaid", "later")] == [404, 404, 404]
    assert files.get("kept").content == b"k" * (4 * MEGABYTE)
    assert files.delete("kept").status_code == 204
    # With room again the upload goes on where it was.
    os.truncate(disk / "ballast", 0)
    status = requests.put(session, headers={"Content-Range": "bytes */*"}, timeout=30)
    assert status.status_code == 308, status.text
    # What was acknowledged is there, and perhaps some of the request that was refused.
    kept = int(status.headers["Range"].removeprefix("bytes=0-")) + 1
    assert received <= kept < received + MEGABYTE
    done = files.chunk(session, b"l" * (20 * MEGABYTE - kept), kept, 20 * MEGABYTE)
    assert done.status_code == 200 and done.json()["crc32c"] == checksum(b"l" * (20 * MEGABYTE))
    servers.run("verify", "--data", running.data)


def test_a_disk_without_a_byte_left_serves_and_deletes(disk, running):
    files = Files(running)
    assert files.upload("kept", b"k" * MEGABYTE).status_code == 200
    leave(disk, 8 * MEGABYTE)
    assert files.upload("small", b"x").status_code == 507
    assert files.get("kept").content == b"k" * MEGABYTE
    assert files.delete("kept").status_code == 204
    assert files.get("kept").status_code == 404
    source = disk.parent / "small"
    source.write_bytes(b"x")
    done = servers.run("storage", "cp", source, f"gs://{BUCKET}/small", "--data", running.data, check=False)
    assert done.returncode == 1 and "almost full" in done.stderr


def test_forty_megabytes_in_every_way_are_the_same_bytes(tmp_path):
    data = os.urandom(MEGABYTE) * 40
    running = servers.Brasa(tmp_path / "data").start()
    try:
        files = Files(running)
        at_once = files.upload("once", data)
        assert at_once.status_code == 200 and at_once.json()["crc32c"] == checksum(data)
        session = files.begin("chunks")
        step = 16 * MEGABYTE
        for start in range(0, len(data), step):
            answer = files.chunk(session, data[start:start + step], start, len(data))
        assert answer.status_code == 200 and answer.json()["crc32c"] == checksum(data)
        for name in ("once", "chunks"):
            assert checksum(files.get(name).content) == checksum(data)
    finally:
        assert running.stop() == 0
