"""`brasa storage`: files between directories and buckets, beside a server and on a directory at rest."""

import hashlib
import os
import pty
import subprocess

import pytest
import requests

from support import postgres, server as servers

pytestmark = pytest.mark.brasa_only

BUCKET = "shop.appspot.com"
URL = f"gs://{BUCKET}"


class Shop:
    """A data directory, its server when it runs, and the command on either."""

    def __init__(self, directory):
        self.data = directory / "data"
        self.server = servers.Brasa(self.data).start()

    @property
    def base(self):
        return f"http://{self.server.host}/storage/v1/b/{BUCKET}/o"

    def put(self, name, data, content_type="text/plain"):
        url = self.base.replace("/storage", "/upload/storage")
        answer = requests.post(url, params={"uploadType": "media", "name": name}, data=data,
                               headers={"Content-Type": content_type}, timeout=30)
        assert answer.status_code == 200, answer.text

    def get(self, name):
        return requests.get(f"{self.base}/{requests.utils.quote(name, safe='')}", params={"alt": "media"}, timeout=30)

    def rest(self):
        if self.server.is_running:
            assert self.server.stop() == 0

    def run(self, *arguments):
        return servers.run("storage", *arguments, "--data", self.data, check=False)

    def well(self, *arguments):
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done


@pytest.fixture
def shop(tmp_path):
    made = Shop(tmp_path)
    yield made
    made.rest()


@pytest.fixture(params=["beside a server", "at rest"])
def settle(request):
    """Leaves the server running, or stops it: the commands do the same on both."""
    return (lambda shop: None) if request.param == "beside a server" else Shop.rest


def tree(directory):
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in directory.rglob("*") if path.is_file()
    }


def test_a_folder_there_and_back_is_the_same(shop, tmp_path, settle):
    shop.put("first", b"x")
    settle(shop)
    source = tmp_path / "photos"
    for name, size in {"1.jpg": 0, "a/2.png": 1, "a/b/ü ?.txt": 300_000, "a/b/big": (3 << 20) + 1}.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(os.urandom(size))
    assert "stored 4 objects" in shop.well("cp", "-r", source, f"{URL}/users/ana").stdout
    listed = shop.well("ls", "-r", f"{URL}/users/").stdout.splitlines()
    assert listed == [f"{URL}/users/ana/{name}" for name in sorted(tree(source))]
    shop.well("cp", "-r", f"{URL}/users/ana", tmp_path / "back")
    assert tree(tmp_path / "back") == tree(source)
    # Within the server, and only the folder of that very name.
    shop.well("cp", source / "1.jpg", f"{URL}/users/anabel.jpg")
    shop.well("cp", "-r", f"{URL}/users/ana", f"{URL}/copy/")
    shop.well("cp", "-r", f"{URL}/copy", tmp_path / "copied")
    assert tree(tmp_path / "copied") == tree(source)
    assert "deleted 4 objects" in shop.well("rm", "-r", f"{URL}/users/ana").stdout
    assert shop.well("ls", f"{URL}/users/").stdout.splitlines() == [f"{URL}/users/anabel.jpg"]
    assert servers.run("verify", "--data", shop.data).returncode == 0


def test_a_folder_is_not_copied_into_itself(shop, settle):
    shop.put("a/1", b"x")
    settle(shop)
    for source, target in (("a", "a"), ("a", "a/"), ("a/", "a/b"), ("a", "a/b/c"), ("", "b"), ("", "")):
        refused = shop.run("cp", "-r", f"{URL}/{source}", f"{URL}/{target}")
        assert refused.returncode != 0 and "cannot be copied into itself" in refused.stderr, (source, target)
    assert shop.well("ls", "-r", URL).stdout.splitlines() == [f"{URL}/a/1"]
    # What begins alike is another folder, and a folder has others above it.
    shop.well("cp", "-r", f"{URL}/a", f"{URL}/ab")
    shop.well("cp", "-r", f"{URL}/a", URL)
    assert shop.well("ls", "-r", URL).stdout.splitlines() == [f"{URL}/1", f"{URL}/a/1", f"{URL}/ab/1"]


def test_one_file_and_its_facts(shop, tmp_path):
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(b"\xff\xd8" * 1000)
    shop.well("cp", photo, f"{URL}/users/ana/")
    answer = shop.get("users/ana/photo.jpg")
    assert answer.content == photo.read_bytes() and answer.headers["Content-Type"] == "image/jpeg"
    shop.well("cp", photo, f"{URL}/other", "--content-type", "image/x-mine")
    assert shop.get("other").headers["Content-Type"] == "image/x-mine"
    facts = dict(line.split(": ", 1) for line in shop.well("stat", f"{URL}/users/ana/photo.jpg").stdout.splitlines())
    assert facts["size"] == "2000" and facts["content type"] == "image/jpeg"
    assert facts["crc32c"] and facts["md5"] and int(facts["generation"]) > 0
    shop.well("cp", f"{URL}/users/ana/photo.jpg", tmp_path / "again.jpg")
    assert (tmp_path / "again.jpg").read_bytes() == photo.read_bytes()
    (tmp_path / "folder").mkdir()
    shop.well("cp", f"{URL}/users/ana/photo.jpg", tmp_path / "folder")
    assert (tmp_path / "folder" / "photo.jpg").read_bytes() == photo.read_bytes()
    shop.well("rm", f"{URL}/other")
    assert shop.get("other").status_code == 404


def test_lists_and_usage(shop):
    for name, size in {"a": 3, "users/ana/1": 10, "users/ana/2": 20, "users/bob/1": 7}.items():
        shop.put(name, b"x" * size)
    assert shop.well("ls", "--project", "shop").stdout.splitlines() == [f"{URL}/"]
    assert shop.well("ls", URL).stdout.splitlines() == [f"{URL}/a", f"{URL}/users/"]
    long = [line.split() for line in shop.well("ls", "-l", f"{URL}/users/ana/").stdout.splitlines()]
    assert [(size, url) for size, _, url in long] == [("10", f"{URL}/users/ana/1"), ("20", f"{URL}/users/ana/2")]
    used = shop.well("usage", "--project", "shop").stdout.split()
    assert used == ["40", "4", f"{URL}/"]
    assert shop.well("usage", URL).stdout.split() == used


def test_a_quota_bounds_a_bucket(shop, settle):
    shop.put("a", b"x" * 60)
    assert shop.well("quota", URL).stdout == "none\n"
    settle(shop)
    assert shop.well("quota", URL, "1KB").stdout == "1000\n"
    assert shop.well("quota", URL, "100").stdout == "100\n"
    if not shop.server.is_running:
        shop.server.start()
    upload = f"http://{shop.server.host}/upload/storage/v1/b/{BUCKET}/o?uploadType=media&name="
    refused = requests.post(upload + "b", data=b"x" * 41, timeout=30)
    assert refused.status_code == 403 and refused.json()["error"]["errors"][0]["reason"] == "quotaExceeded"
    assert requests.post(upload + "b", data=b"x" * 40, timeout=30).status_code == 200
    # What is there stays, and can be made smaller.
    assert shop.well("quota", URL, "10").stdout == "10\n"
    assert shop.get("a").content == b"x" * 60
    shop.well("rm", f"{URL}/a")
    assert shop.well("quota", URL, "none").stdout == shop.well("quota", URL).stdout == "none\n"
    assert requests.post(upload + "a", data=b"x" * 60, timeout=30).status_code == 200
    for wrong in ("many", "-1", "1.5GB", "9999999TB", ""):
        refused = shop.run("quota", URL, wrong)
        assert refused.returncode != 0 and ("not a number of bytes" in refused.stderr or wrong == "-1")
    assert shop.run("quota", f"{URL}/a", "1").returncode != 0


def test_a_projects_quota_bounds_all_its_buckets(tmp_path):
    server = servers.Brasa(tmp_path / "data", environment={"BRASA_STORAGE_QUOTA": "1KB", "BRASA_PROJECT": "shop"}).start()
    try:
        def put(bucket, name, size):
            url = f"http://{server.host}/upload/storage/v1/b/{bucket}/o?uploadType=media&name={name}"
            return requests.post(url, data=b"x" * size, timeout=30).status_code

        assert put(BUCKET, "a", 600) == put("shop-photos", "a", 400) == put("other.appspot.com", "a", 900) == 200
        assert put(BUCKET, "b", 1) == put("shop-photos", "b", 1) == 403
        assert put(BUCKET, "a", 599) == put("shop-photos", "b", 1) == 200
    finally:
        assert server.stop() == 0


def test_names_that_leave_the_directory_are_refused(shop, tmp_path):
    for name in ["x/../../evil", "x/./b", "x//b", "x/fine"]:
        shop.put(name, name.encode())
    done = shop.run("cp", "-r", f"{URL}/x", tmp_path / "out")
    assert done.returncode == 1
    assert done.stdout.count("refused:") == 3, done.stdout
    assert tree(tmp_path / "out") == {"fine": hashlib.sha256(b"x/fine").hexdigest()}
    assert not (tmp_path / "evil").exists()


def test_damaged_bytes_do_not_become_a_file(shop, tmp_path):
    # Smaller ones are in the store, not in files.
    shop.put("a", b"x" * 40_000)
    shop.rest()
    blob, = (path for path in (shop.data / "files" / "finished").rglob("*") if path.is_file())
    blob.write_bytes(b"x" * 500 + b"y" + b"x" * 39_499)
    done = shop.run("cp", f"{URL}/a", tmp_path / "a")
    assert done.returncode != 0 and "damaged" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize("arguments,code,text", [
    (("stat", f"{URL}/none"), 1, "No such object"),
    (("cp", f"{URL}/none", "here"), 1, "No such object"),
    (("rm", f"{URL}/none"), 1, "No such object"),
    (("rm", "-r", f"{URL}/none"), 1, "There are no objects below"),
    (("ls", "gs://no-such-bucket"), 1, "bucket does not exist"),
    (("rm", URL), 1, "is a folder"),
    (("rm", "a/b"), 1, "must have the form"),
    (("cp", "a", "b"), 1, "One side must have"),
    (("cp", "/no/such/file", f"{URL}/a"), 1, "is not a file"),
    (("cp", "/", f"{URL}/a"), 1, "Use -r"),
    (("ls",), 1, "Name the project"),
])
def test_what_cannot_be_done_says_so(shop, arguments, code, text):
    shop.put("a", b"x")
    done = shop.run(*arguments)
    assert (done.returncode, text in done.stderr) == (code, True), done.stdout + done.stderr


def test_help_teaches():
    done = servers.run("storage", "cp", "--help")
    assert done.returncode == 0 and "brasa storage cp -r photos gs://" in done.stdout


def test_a_terminal_sees_a_bar(shop, tmp_path):
    (tmp_path / "big").write_bytes(os.urandom(8 << 20))
    for source, target, end in ((tmp_path / "big", f"{URL}/big", b"stored 1"), (f"{URL}/big", tmp_path / "same", b"copied 1")):
        shown = bar(end, "cp", source, target, "--data", shop.data)
        assert "░".encode() in shown and b"of 8388608 bytes" in shown
    assert (tmp_path / "same").read_bytes() == (tmp_path / "big").read_bytes()


def bar(end, *arguments):
    """What a command shows on a terminal."""
    ours, theirs = pty.openpty()
    command = [servers.binary(), "storage", *arguments]
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait(60) == 0 and end + b" object" in process.stdout.read()
    return shown


@pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING)
def test_a_bucket_that_another_project_took_is_found_and_assigned(tmp_path):
    """An earlier version let a project take the name of another. Only PostgreSQL lets the test write such a record."""
    database = postgres.Postgres()
    location = {"BRASA_STORE": database.address}
    server = servers.Brasa(tmp_path / "data", environment=location)

    def run(*arguments):
        return servers.run(*arguments, "--data", server.data, environment=location, check=False)

    try:
        server.start()
        base = f"{server.url}/upload/storage/v1/b/delta.appspot.com/o?uploadType=media&name=o"
        assert requests.post(base, data=b"x", timeout=30).status_code == 200
        assert server.stop() == 0
        # In the record the project is field 2, a text of five bytes; the list of a project's buckets has an entry.
        record, entry = r"'\x6001'::bytea || 'delta.appspot.com'", r"'\x6002'::bytea || '{}' || '\x00' || 'delta.appspot.com'"
        field = r"'\x0205'::bytea || 'delta'"
        database.ask(
            f"UPDATE brasa.entries SET value = overlay(value PLACING '\\x0205'::bytea || 'alpha' FROM position({field} IN value)) "
            f"WHERE key = {record}"
        )
        database.ask(f"UPDATE brasa.entries SET key = {entry.format('alpha')} WHERE key = {entry.format('delta')}")
        found = run("verify")
        assert found.returncode != 0 and "project alpha made this bucket" in found.stdout + found.stderr
        assert "brasa storage assign gs://delta.appspot.com gives it to delta" in found.stdout + found.stderr
        server.start()
        assert run("storage", "ls", "--project", "alpha").stdout == ""
        # Beside the server, and once only.
        assert "is not a bucket" in run("storage", "assign", "gs://delta.appspot.com/o").stderr
        done = run("storage", "assign", "gs://delta.appspot.com")
        assert done.returncode == 0, done.stderr
        assert run("storage", "ls", "--project", "delta").stdout == "gs://delta.appspot.com/\n"
        again = run("storage", "assign", "gs://delta.appspot.com")
        assert again.returncode != 0 and "belongs to the project delta" in again.stderr
        assert run("storage", "assign", "gs://none.appspot.com").returncode != 0
        assert server.stop() == 0
        assert run("verify").returncode == 0
    finally:
        server.kill()
        database.close()
