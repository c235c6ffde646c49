"""kill -9 in the middle of uploads, again and again, with a ledger of what was acknowledged."""

import base64
import random
import re
import threading
import time

import google_crc32c
import pytest
import requests

from support import server as servers

pytestmark = pytest.mark.brasa_only

BUCKET = "ledger.appspot.com"
WRITERS = 4
CHUNK = 256 << 10


def checksum(data):
    return base64.b64encode(google_crc32c.Checksum(data).digest()).decode()


class Writer(threading.Thread):
    """Uploads until the server is gone; remembers what was answered, and what it had begun."""

    def __init__(self, base, name, seed):
        super().__init__()
        self.base, self.prefix, self.chooser = base, name, random.Random(seed)
        self.kept, self.tried, self.sessions = {}, {}, []
        # Whether an upload was begun whose address did not come.
        self.is_beginning = False

    def run(self):
        number = 0
        with requests.Session() as session:
            while True:
                number += 1
                name = f"{self.prefix}-{number}"
                data = self.chooser.randbytes(self.chooser.choice([0, 10, 20_000, 700_000]))
                self.tried[name] = checksum(data)
                try:
                    upload = self.resumable if number % 3 == 0 else self.at_once
                    upload(session, name, data)
                except requests.RequestException:
                    return
                self.kept[name] = checksum(data)

    def url(self, kind, name):
        return f"{self.base}/upload/storage/v1/b/{BUCKET}/o?uploadType={kind}&name={name}"

    def at_once(self, session, name, data):
        answer = session.post(self.url("media", name), data=data, timeout=30)
        assert answer.status_code == 200, answer.text

    def resumable(self, session, name, data):
        self.is_beginning = True
        begun = session.post(self.url("resumable", name), json={}, timeout=30)
        self.is_beginning = False
        path = begun.headers["Location"].removeprefix(self.base)
        mine = [path, data, 0]
        self.sessions.append(mine)
        for start in range(0, max(len(data), 1), CHUNK):
            part = data[start:start + CHUNK]
            end = start + len(part)
            if not part:
                header = "bytes */0"
            else:
                total = len(data) if end == len(data) else "*"
                header = f"bytes {start}-{end - 1}/{total}"
            answer = session.put(
                self.base + path, data=part, headers={"Content-Range": header}, timeout=30
            )
            assert answer.status_code in (200, 308), answer.text
            mine[2] = end
        self.sessions.remove(mine)


class Changer(threading.Thread):
    """Replaces, deletes, copies, joins and uploads in parts a few objects; remembers what each is, and may be."""

    NAMES = ["a", "b", "c", "d"]

    def __init__(self, lane, seed):
        self.lane, self.chooser = lane, random.Random(seed)
        self.known = dict.fromkeys(self.NAMES)
        # What the last request makes of an object, until it is answered.
        self.pending = None
        self.base, self.done, self.failure = None, 0, None
        # Parts of uploads that a kill may have left without what lists them; these go after a week.
        self.is_in_parts, self.stray = False, 0

    def start(self, base):
        super().__init__()
        self.base = base
        super().start()

    def run(self):
        with requests.Session() as self.session:
            while True:
                try:
                    self.chooser.choice([self.put, self.put, self.put_parts, self.delete, self.copy, self.compose])(self.chooser.choice(self.NAMES))
                except requests.RequestException:
                    return
                except AssertionError as error:
                    self.failure = error
                    raise
                self.done += 1

    def object(self, name):
        return f"{self.base}/storage/v1/b/{BUCKET}/o/{self.lane}%2F{name}"

    def change(self, name, content, method, url, **request):
        self.pending = (name, content)
        answer = self.session.request(method, url, timeout=30, **request)
        assert answer.status_code in (200, 204), answer.text
        self.known[name], self.pending = content, None

    def content(self):
        return self.chooser.randbytes(self.chooser.choice([0, 10, 40_000, 300_000]))

    def put(self, name):
        content = self.content()
        self.change(name, content, "POST", f"{self.base}/upload/storage/v1/b/{BUCKET}/o?uploadType=media&name={self.lane}/{name}", data=content)

    def put_parts(self, name):
        self.is_in_parts = True
        url = f"{self.base}/{BUCKET}/{self.lane}/{name}"
        begun = self.session.post(f"{url}?uploads", timeout=30)
        upload = re.search("<UploadId>(.*)</UploadId>", begun.text)[1]
        parts = [self.content() + b"." for _ in range(2)]
        tags = [self.session.put(f"{url}?partNumber={number}&uploadId={upload}", data=part, timeout=30).headers["ETag"] for number, part in enumerate(parts, 1)]
        named = "".join(f"<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>" for number, tag in enumerate(tags, 1))
        self.change(name, b"".join(parts), "POST", f"{url}?uploadId={upload}", data=f"<CompleteMultipartUpload>{named}</CompleteMultipartUpload>")
        self.is_in_parts = False

    def delete(self, name):
        if self.known[name] is not None:
            self.change(name, None, "DELETE", self.object(name))

    def copy(self, name):
        source = self.chooser.choice(self.NAMES)
        if self.known[source] is not None and source != name:
            self.change(name, self.known[source], "POST", f"{self.object(source)}/rewriteTo/b/{BUCKET}/o/{self.lane}%2F{name}", json={})

    def compose(self, name):
        sources = [source for source in self.chooser.sample(self.NAMES, 2) if self.known[source] is not None]
        if sources and sum(len(self.known[source]) for source in sources) < 2_000_000:
            body = {"sourceObjects": [{"name": f"{self.lane}/{source}"} for source in sources], "destination": {}}
            self.change(name, b"".join(self.known[source] for source in sources), "POST", f"{self.object(name)}/compose", json=body)

    def check(self, base):
        """Each object is what it was when that was acknowledged, or what the request that was cut off makes of it."""
        assert self.failure is None, self.failure
        for name in self.NAMES:
            got = requests.get(f"{base}/b/{BUCKET}/o/{self.lane}%2F{name}?alt=media", timeout=30)
            assert got.status_code in (200, 404), got.text
            found = got.content if got.status_code == 200 else None
            possible = [self.known[name]] + ([self.pending[1]] if self.pending and self.pending[0] == name else [])
            assert found in possible, f"{self.lane}/{name}: {found and len(found)} bytes, not {[one and len(one) for one in possible]}"
            self.known[name] = found
        self.stray += 2 * self.is_in_parts
        self.pending, self.is_in_parts = None, False


def check(base, writers):
    """What was acknowledged is there whole, what was not is absent or whole, the begun goes on."""
    with requests.Session() as session:
        for writer in writers:
            for path, data, sent in writer.sessions:
                finish(session, base, path, data, sent)
            for name, crc in writer.tried.items():
                got = session.get(f"{base}/b/{BUCKET}/o/{name}?alt=media", timeout=30)
                if got.status_code == 404:
                    assert name not in writer.kept, f"{name} was acknowledged"
                    continue
                assert got.status_code == 200, got.text
                assert checksum(got.content) == crc, f"{name} is damaged"


def finish(session, base, path, data, sent):
    """Goes on with an upload that a kill interrupted; all that was acknowledged of it is there."""
    probe = session.put(
        base + path, headers={"Content-Range": f"bytes */{len(data)}"}, timeout=30
    )
    if probe.status_code == 200:
        return
    assert probe.status_code == 308, probe.text
    have = int(probe.headers["Range"].split("-")[1]) + 1 if "Range" in probe.headers else 0
    assert have >= sent
    rest = session.put(
        base + path, data=data[have:], timeout=30,
        headers={"Content-Range": f"bytes {have}-{len(data) - 1}/{len(data)}"},
    )
    assert rest.status_code == 200 and rest.json()["crc32c"] == checksum(data), rest.text


def objects(base):
    """Every object's name and size."""
    found, token = {}, None
    while True:
        page = requests.get(f"{base}/b/{BUCKET}/o", params={"pageToken": token}, timeout=30).json()
        found.update({item["name"]: int(item["size"]) for item in page.get("items", [])})
        token = page.get("nextPageToken")
        if not token:
            return found


def swept(directory, base, begun):
    """Waits until the sweep that a start begins has left the files of objects and of uploads that were begun."""
    # What comes in one request is a file where it is large.
    wanted = sum(
        int(name.rsplit("-", 1)[1]) % 3 == 0 or size > 32 << 10 for name, size in objects(base).items()
    )
    deadline = time.monotonic() + 60
    while True:
        finished = sum(1 for path in (directory / "files" / "finished").rglob("*") if path.is_file())
        unfinished = sum(1 for _ in (directory / "files" / "unfinished").iterdir())
        if finished == wanted and unfinished <= begun:
            return
        assert time.monotonic() < deadline, f"{finished} files of {wanted}, {unfinished} of {begun} uploads"
        threading.Event().wait(0.05)


def run(directory, cycles, seed):
    chooser = random.Random(seed)
    running = servers.Brasa(directory)
    writers, kept, begun = [], 0, 0
    for cycle in range(cycles):
        running.start()
        base = f"http://{running.host}"
        check(base, writers)
        writers = [Writer(base, f"{cycle}-{lane}", chooser.random()) for lane in range(WRITERS)]
        for writer in writers:
            writer.start()
        # The kill comes after some uploads, wherever these are then.
        wanted = chooser.randrange(1, 40)
        while sum(len(writer.tried) for writer in writers) < wanted and writers[0].is_alive():
            time.sleep(0.002)
        running.kill()
        for writer in writers:
            writer.join()
        kept += sum(len(writer.kept) for writer in writers)
        begun += sum(writer.is_beginning for writer in writers)
    running.start()
    check(f"http://{running.host}", writers)
    swept(directory, f"http://{running.host}", begun)
    # No differences beside a server, and none at rest.
    servers.run("verify", "--data", directory)
    assert running.stop() == 0
    servers.run("verify", "--data", directory)
    return kept


def test_no_file_is_lost_over_some_kills(tmp_path):
    assert run(tmp_path / "data", cycles=4, seed=1) > 0


@pytest.mark.slow
def test_no_file_is_lost_over_two_hundred_kills(tmp_path):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    assert run(tmp_path / "data", cycles=200, seed=seed) > 200


def change(directory, cycles, seed):
    """Kills a server under changes of the same objects; gives how many were acknowledged."""
    chooser = random.Random(seed)
    running = servers.Brasa(directory)
    changers = [Changer(f"lane-{lane}", chooser.random()) for lane in range(WRITERS)]
    for _ in range(cycles):
        running.start()
        base = f"http://{running.host}"
        for changer in changers:
            changer.check(base)
        wanted = sum(changer.done for changer in changers) + chooser.randrange(1, 60)
        for changer in changers:
            changer.start(base)
        while sum(changer.done for changer in changers) < wanted and any(changer.is_alive() for changer in changers):
            time.sleep(0.002)
        running.kill()
        for changer in changers:
            changer.join()
    running.start()
    base = f"http://{running.host}"
    for changer in changers:
        changer.check(base)
    servers.run("verify", "--data", directory)
    # Where no object is left no file is, but for such parts.
    for changer in changers:
        for name in Changer.NAMES:
            requests.delete(f"{base}/storage/v1/b/{BUCKET}/o/{changer.lane}%2F{name}", timeout=30)
        for upload in re.findall(r"<Key>(.*?)</Key><UploadId>(.*?)</UploadId>", requests.get(f"{base}/{BUCKET}?uploads&prefix={changer.lane}/", timeout=30).text):
            assert requests.delete(f"{base}/{BUCKET}/{upload[0]}?uploadId={upload[1]}", timeout=30).status_code == 204
    files = directory / "files" / "finished"
    stray = sum(changer.stray for changer in changers)
    servers.wait_for(lambda: sum(path.is_file() for path in files.rglob("*")) <= stray, "the files of objects that are gone", 120)
    assert running.stop() == 0
    servers.run("verify", "--data", directory)
    return sum(changer.done for changer in changers)


def test_changes_of_the_same_objects_are_whole_over_some_kills(tmp_path):
    assert change(tmp_path / "data", cycles=4, seed=2) > 0


@pytest.mark.slow
def test_changes_of_the_same_objects_are_whole_over_two_hundred_kills(tmp_path):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    assert change(tmp_path / "data", cycles=200, seed=seed) > 200
