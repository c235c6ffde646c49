"""The account APIs over HTTP, as Google's clients call them, and servers to call them on."""

import contextlib
import os
import socket
import urllib.parse

import requests

from support import secrets

IDENTITY = "identitytoolkit.googleapis.com"
SECURE_TOKEN = "securetoken.googleapis.com"
GOOGLE_HOSTS = (
    IDENTITY, SECURE_TOKEN, "www.googleapis.com", "oauth2.googleapis.com",
    "securetoken.google.com", "iamcredentials.googleapis.com",
)


class Refused(Exception):
    """An error answer."""

    def __init__(self, response):
        self.status = response.status_code
        self.body = response.json()
        error = self.body["error"]
        self.message = error["message"] if isinstance(error, dict) else error
        self.code = self.message.split(" : ")[0]
        super().__init__(f"{self.status} {self.message}")


class Identity:
    """Calls of one project; what is secret of them is noted, for the search of the logs."""

    def __init__(self, server, project, verify=True, url=None):
        self.base = url or server.url
        self.project = project
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = verify
        # Development takes a key for a project's only if there is that project.
        if "--dev" in server.command:
            self.send("PATCH", f"/emulator/v1/projects/{project}/config", {})

    def send(self, verb, path, body=None, **options):
        secrets.note_message(body)
        answer = self.session.request(verb, self.base + path, json=body, timeout=300, **options)
        if answer.status_code != 200:
            raise Refused(answer)
        found = answer.json()
        secrets.note_message(found)
        return found

    def client(self, name, **body):
        """A client's call, by API key; the project's id is its key."""
        version = "v2" if name.startswith("accounts/") else "v1"
        path = name if ":" in name else f"accounts:{name}"
        return self.send("POST", f"/{IDENTITY}/{version}/{path}?key={self.project}", body)

    def get(self, path):
        return self.send("GET", f"/{IDENTITY}/{path}?key={self.project}")

    def admin(self, name, verb="POST", token="owner", version="v1", **body):
        path = f"/{IDENTITY}/{version}/projects/{self.project}{name}"
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.send(verb, path, body or None, headers=headers)

    def refresh(self, token):
        answer = self.session.post(
            f"{self.base}/{SECURE_TOKEN}/v1/token?key={self.project}",
            data={"grant_type": "refresh_token", "refresh_token": token}, timeout=300,
        )
        if answer.status_code != 200:
            raise Refused(answer)
        secrets.note_message(answer.json())
        return answer.json()

    def codes(self):
        """Development's mailbox."""
        return self.send("GET", f"/emulator/v1/projects/{self.project}/oobCodes")["oobCodes"]


def code_of(link):
    """The code in an email's link."""
    return urllib.parse.parse_qs(urllib.parse.urlsplit(link).query)["oobCode"][0]


@contextlib.contextmanager
def environment(**variables):
    """Sets variables of this process for a while; None takes one away."""
    before = {name: os.environ.get(name) for name in variables}
    try:
        for name, value in variables.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = str(value)
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextlib.contextmanager
def google_hosts_at(port, hosts=()):
    """Google's host names, and more of them, lead to a server on this machine, as an operator's DNS would have it."""
    real = socket.getaddrinfo

    def resolve(host, asked, *more, **options):
        if host in GOOGLE_HOSTS or host in hosts:
            return real("127.0.0.1", port, *more, **options)
        return real(host, asked, *more, **options)

    socket.getaddrinfo = resolve
    try:
        yield
    finally:
        socket.getaddrinfo = real
