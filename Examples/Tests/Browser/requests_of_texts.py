"""Sends what the book and the courses print, byte for byte, and gives what comes back."""

import json
import urllib.error
import urllib.request

from conftest import PATIENCE


class Reply:
    """A status, and a body that is decoded where it is JSON."""

    def __init__(self, status, body):
        self.status = status
        self.text = body.decode()
        try:
            self.json = json.loads(self.text)
        except ValueError:
            self.json = None

    def says(self, status):
        """The body of a reply with that status."""
        assert self.status == status, f"{self.status} {self.text}"
        return self.json


def send(method, address, body=None, **headers):
    """Sends a request as Postman does; the names of header fields have `_` for `-`."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    data = body.encode() if body is not None else None
    request = urllib.request.Request(address, data=data, headers=fields, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            return Reply(reply.status, reply.read())
    except urllib.error.HTTPError as error:
        return Reply(error.code, error.read())


def send_json(method, address, body, **headers):
    return send(method, address, body, Content_Type="application/json", **headers)
