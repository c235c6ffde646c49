"""A server whose disk refuses the syncs of its store's log for a while."""

import requests

from support import server as servers, shim

PROJECT = "shop"
BUCKET = f"{PROJECT}.appspot.com"
IO_ERROR = "Input/output error"


class FailingStore:
    """A server whose log's syncs fail while a file is there."""

    def __init__(self, library, directory, *arguments, watched="", settings=None, **options):
        self.fault = directory / "fault"
        self.data = directory / "data"
        environment = shim.environment(library, self.data / watched, fail_sync_while=self.fault) | (settings or {})
        self.server = servers.Brasa(self.data, *arguments, environment=environment, **options)

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.fault.unlink(missing_ok=True)
        self.server.kill()

    def fail(self):
        self.fault.touch()

    def restart(self, ending="stop"):
        """Ends the server in an orderly way, or as a crash does, and starts it on a disk that is well."""
        self.fault.unlink(missing_ok=True)
        if ending == "kill":
            self.server.kill()
        else:
            assert self.server.stop() == 0, self.server.output
        self.ended = len(self.server.lines)
        self.server.start()

    def started_with(self, text):
        """The line with that text in the log since the last start."""
        def find():
            return next((line for line in self.server.lines[self.ended :] if text in line), None)

        return servers.wait_for(find, text)

    @property
    def objects(self):
        return f"{self.server.url}/storage/v1/b/{BUCKET}/o"

    def upload(self, name, data):
        uploads = self.objects.replace("/storage", "/upload/storage")
        return requests.post(uploads, params={"uploadType": "media", "name": name}, data=data, timeout=60)

    def content(self, name):
        return requests.get(f"{self.objects}/{name}", params={"alt": "media"}, timeout=60)

    def metric(self, name):
        return next(float(line.split()[-1]) for line in self.server.metrics if line.startswith(name + " "))
