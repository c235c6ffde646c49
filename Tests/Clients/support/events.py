"""A receiver of events, and the commands about them."""

import collections
import http.server
import json
import threading

from support import server as servers

Received = collections.namedtuple("Received", "headers body path")
WRITTEN = "google.cloud.firestore.document.v1.written"


class QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Says nothing: senders are killed."""


class Receiver:
    """An HTTP server that keeps every request, unless there are too many; `decide` gives the status of one."""

    def __init__(self, decide=None, keeps=True):
        self.requests = []
        self.condition = threading.Condition()
        self.decide = decide or (lambda request: 204)
        # The URL that redirections lead to; its own where it has none.
        self.location = None
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Received(headers, body, self.path)
                status = outer.decide(request)
                if keeps:
                    with outer.condition:
                        outer.requests.append((request, status))
                        outer.condition.notify_all()
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", outer.location or outer.url)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = QuietServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/events"

    def wait(self, count, matching=lambda request, status: 200 <= status < 300, seconds=120):
        """The requests that match, as soon as there are that many."""
        with self.condition:
            found = lambda: [r for r, s in self.requests if matching(r, s)]  # noqa: E731
            self.condition.wait_for(lambda: len(found()) >= count, seconds)
            assert len(found()) >= count, f"{len(found())} of {count} events came"
            return found()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Ledger(Receiver):
    """A receiver that keeps the id of each document's event and nothing else, so that a long run takes little memory.

    Events come from the server itself, with headers, or from a function of support/programs.py, which tells them in its body.
    """

    def __init__(self):
        self.ids, self.calls = {}, 0
        # The documents whose event came with two ids, and the last call.
        self.differing, self.last = [], None
        super().__init__(self.note, keeps=False)

    def note(self, request):
        headers = request.headers
        told = {"document": headers["ce-document"], "id": headers["ce-id"]} if "ce-id" in headers else data(request)
        with self.condition:
            if self.ids.setdefault(told["document"], told["id"]) != told["id"]:
                self.differing.append(told["document"])
            self.calls += 1
            self.last = told
            self.condition.notify_all()
        return 204

    def wait_for_calls(self, count, seconds=120):
        with self.condition:
            assert self.condition.wait_for(lambda: self.calls >= count, seconds), f"{self.calls} of {count} calls came"

    def compare(self, wanted, seconds=600):
        """Waits until each of the documents has its event, and checks that what came twice had the same id."""
        missing = set(wanted)

        def is_whole():
            missing.difference_update([one for one in missing if one in self.ids])
            return not missing

        with self.condition:
            assert self.condition.wait_for(is_whole, seconds), f"no event of {len(missing)}: {sorted(missing)[:5]}"
            assert not self.differing, f"two ids: {self.differing[:5]}"


def data(request):
    """The JSON of a request."""
    return json.loads(request.body)


def command(server, project, *arguments, check=True, environment=None):
    """`brasa events`, beside the server."""
    words = [*arguments, "--project", project, "--data", server.data]
    return servers.run("events", *words, check=check, environment=environment)


def subscribe(server, project, receiver, name="all", pattern="{c}/{d}", kind=WRITTEN, *more):
    command(
        server, project, "subscribe", name, "--url", receiver.url, "--type", kind,
        "--filter", f"document={pattern}", *more,
    )
