"""`python -m attacks.honest CERTIFICATES --port P --project ID --seconds S`: an honest client, whose gets are timed.

It gets one document on one connection, so many times a second. Beside that it does chores, each on a
connection of its own: it writes, begins a transaction, opens a browser's stream, and signs in if told,
with `--moves` also from an address where it never was.
The administrator key comes in BRASA_TOKEN. Prints one line of JSON at its end.
"""

import argparse
import http.client
import json
import os
import socket
import ssl
import threading
import time
import urllib.parse

import hpack

from attacks import frames

GETS_A_SECOND = 100
CHORE_SECONDS = 1
TIMEOUT_SECONDS = 30
DOCUMENT = "honest/document"
PASSWORD = "correct horse 7"
HOME = "127.0.0.1"
MOST_TEXT = 1_000_000


class Gets:
    """Gets of one document by gRPC; a connection that ends is opened again, and counted."""

    def __init__(self, deployment):
        self.deployment = deployment
        self.times = []
        self.failures = []
        self.reconnects = -1
        self.socket = None
        name = f"projects/{deployment.project}/databases/(default)/documents/{DOCUMENT}"
        self.block = frames.call_block("GetDocument", ("authorization", f"Bearer {deployment.token}"))
        self.content = frames.message(frames.text_field(1, name))

    def connect(self):
        self.reconnects += 1
        self.socket = self.deployment.connect("h2")
        self.socket.sendall(frames.opening())
        self.reader, self.decoder = frames.FrameReader(), hpack.Decoder()
        self.stream = 1

    def run(self, seconds):
        begun = due = time.monotonic()
        while due < begun + seconds:
            time.sleep(max(0, due - time.monotonic()))
            try:
                if self.socket is None:
                    self.connect()
                self.get()
            except (OSError, EOFError) as error:
                self.failures.append(repr(error))
                self.socket = None
            # Counted from when it was due: who waits is not excused from what it kept waiting.
            self.times.append(time.monotonic() - due)
            due += 1 / GETS_A_SECOND

    def get(self):
        stream, self.stream = self.stream, self.stream + 2
        self.socket.sendall(
            frames.headers(stream, self.block) + frames.data(stream, self.content, is_last=True))
        while True:
            for kind, flags, answered, payload in self.reader.feed(self.piece()):
                if kind == frames.GOAWAY:
                    raise EOFError("GOAWAY")
                if kind == frames.RST_STREAM:
                    raise EOFError("RST_STREAM")
                if kind != frames.HEADERS:
                    continue
                fields = dict(self.decoder.decode(payload))
                if flags & frames.END_STREAM and answered == stream:
                    if fields.get("grpc-status") != "0":
                        self.failures.append(fields.get("grpc-message", "no status"))
                    return

    def piece(self):
        piece = self.socket.recv(65_536)
        if not piece:
            raise EOFError("closed")
        return piece


class Chores(threading.Thread):
    """What else an honest client wants, again and again until `stop` is set."""

    def __init__(self, deployment, written_bytes, signs_in, moves):
        super().__init__(daemon=True)
        self.deployment, self.written_bytes = deployment, written_bytes
        self.chores = [self.write, self.begin, self.open_stream]
        self.chores += [self.sign_in] * signs_in + [self.sign_in_elsewhere] * moves
        self.stop = threading.Event()
        self.done = 0
        self.slowest = 0
        self.failures = []

    def run(self):
        while not self.stop.is_set():
            for chore in self.chores:
                begun = time.monotonic()
                try:
                    chore()
                except (OSError, http.client.HTTPException, AssertionError, ValueError) as error:
                    self.failures.append(f"{chore.__name__}: {error!r}"[:300])
                self.done += 1
                self.slowest = max(self.slowest, time.monotonic() - begun)
            self.stop.wait(CHORE_SECONDS)

    def write(self):
        fields = {"n": {"integerValue": str(self.done)}}
        root = f"projects/{self.deployment.project}/databases/(default)/documents"
        writes = [{"update": {"name": f"{root}/honest/written", "fields": fields}}]
        for at in range(0, self.written_bytes, MOST_TEXT):
            text = {"stringValue": "x" * min(MOST_TEXT, self.written_bytes - at)}
            writes.append({"update": {"name": f"{root}/honest/large-{at}", "fields": fields | {"text": text}}})
        self.rest("POST", ":commit", {"writes": writes})

    def begin(self):
        begun = self.rest("POST", ":beginTransaction", {"options": {"readWrite": {}}})
        self.rest("POST", ":rollback", {"transaction": begun["transaction"]})

    def open_stream(self):
        database = f"projects/{self.deployment.project}/databases/(default)"
        query = urllib.parse.urlencode({"VER": 8, "database": database, "RID": 1, "CVER": 22, "t": 1})
        path = f"/google.firestore.v1.Firestore/Listen/channel?{query}"
        form = urllib.parse.urlencode({
            "headers": f"Content-Type:text/plain\r\nAuthorization:Bearer {self.deployment.token}\r\n",
            "count": 1, "ofs": 0, "req0___data__": json.dumps({"database": database}),
        })
        text = self.deployment.request("POST", path, form, "application/x-www-form-urlencoded")
        session = json.loads(text[text.index(b"\n"):])[0][1][1]
        ending = urllib.parse.urlencode({"VER": 8, "database": database, "SID": session, "RID": 2, "TYPE": "terminate"})
        self.deployment.request("POST", f"/google.firestore.v1.Firestore/Listen/channel?{ending}", "", "text/plain")

    def sign_in(self, address=HOME):
        path = f"/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key={self.deployment.project}"
        content = {"email": "honest@example.com", "password": PASSWORD, "returnSecureToken": True}
        # As an app's user, whom no administrator's key lets in.
        self.deployment.request("POST", path, json.dumps(content), "application/json", address, has_key=False)

    def sign_in_elsewhere(self):
        # The process makes it another address than those of earlier runs.
        self.sign_in(f"127.{2 + os.getpid() % 200}.{1 + self.done // 250}.{1 + self.done % 250}")

    def rest(self, verb, path, content):
        root = f"/v1/projects/{self.deployment.project}/databases/(default)/documents"
        return json.loads(self.deployment.request(verb, root + path, json.dumps(content), "application/json"))


class Place:
    """A server, a project and the key to it."""

    def __init__(self, certificates, port, project, token):
        self.port, self.project, self.token = port, project, token
        self.certificates = certificates

    def connect(self, protocol, address=HOME):
        context = ssl.create_default_context(cafile=f"{self.certificates}/authority.pem")
        context.set_alpn_protocols([protocol])
        plain = socket.create_connection(("127.0.0.1", self.port), TIMEOUT_SECONDS, (address, 0))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return context.wrap_socket(plain, server_hostname="localhost")

    def request(self, verb, path, body, kind, address=HOME, has_key=True):
        """The body of a good answer, by a connection of its own."""
        connection = http.client.HTTPConnection("localhost", self.port)
        connection.sock = self.connect("http/1.1", address)
        try:
            headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {self.token}"} if has_key else {})
            connection.request(verb, path, body, headers)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, f"{answer.status} {text[:200]}"
            return text
        finally:
            connection.close()


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("certificates")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--project", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--written-bytes", type=int, default=0)
    parser.add_argument("--signs-in", action="store_true")
    parser.add_argument("--moves", action="store_true")
    options = parser.parse_args()
    deployment = Place(options.certificates, options.port, options.project, os.environ["BRASA_TOKEN"])
    gets, chores = Gets(deployment), Chores(deployment, options.written_bytes, options.signs_in, options.moves)
    chores.start()
    gets.run(options.seconds)
    chores.stop.set()
    chores.join(4 * TIMEOUT_SECONDS)
    print(json.dumps({
        "gets": len(gets.times), "median": percentile(gets.times, 0.5), "p99": percentile(gets.times, 0.99),
        "slowest": max(gets.times), "reconnects": gets.reconnects, "failures": gets.failures,
        "chores": chores.done, "slowest_chore": chores.slowest, "chore_failures": chores.failures,
    }), flush=True)


if __name__ == "__main__":
    main()
