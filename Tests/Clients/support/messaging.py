"""Cloud Messaging as Google's clients call it: back ends by the Admin SDK, apps by HTTP."""

import contextlib
import json
import secrets as random
import threading

import firebase_admin
import requests
from firebase_admin import messaging
from google.oauth2.credentials import Credentials

from support import secrets, server as servers
from support.identity import environment, google_hosts_at

HOSTS = (
    "fcm.googleapis.com", "iid.googleapis.com", "fcmregistrations.googleapis.com",
    "fcmtoken.googleapis.com",
)


class OwnerToken(Credentials):
    """Development's administrator, whose token stays what it is."""

    def refresh(self, _):
        self.token = "owner"


class Owner(firebase_admin.credentials.Base):
    def get_credential(self):
        return OwnerToken("owner")


@contextlib.contextmanager
def development_app(server, project):
    """The Admin SDK with its addresses, which no variable changes, set to a development server."""
    app = firebase_admin.initialize_app(Owner(), {"projectId": project}, name=project)
    service = messaging._get_messaging_service(app)
    service._fcm_url = f"{server.url}/fcm.googleapis.com/v1/projects/{project}/messages:send"
    service._fcm_topic_url = f"{server.url}/fcm.googleapis.com/v1/projects/{project}/registrations"
    before = messaging._MessagingService.IID_URL
    messaging._MessagingService.IID_URL = f"{server.url}/iid.googleapis.com"
    try:
        yield app
    finally:
        messaging._MessagingService.IID_URL = before
        firebase_admin.delete_app(app)


@contextlib.contextmanager
def production_app(server, key_file, authority):
    """The Admin SDK as it is, with a key file of ours and Google's names leading to the server."""
    with environment(REQUESTS_CA_BUNDLE=authority, SSL_CERT_FILE=authority):
        with google_hosts_at(server.port, HOSTS):
            credential = firebase_admin.credentials.Certificate(str(key_file))
            app = firebase_admin.initialize_app(credential, name=f"production-{random.token_hex(4)}")
            try:
                yield app
            finally:
                firebase_admin.delete_app(app)


def installation_id():
    return random.choice("cdef") + random.token_urlsafe(32)[:21]


class Device:
    """An app's installation and its registration."""

    def __init__(self, server, project, app_id="1:42:linux:ab"):
        self.url = server.url
        self.project = project
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = server.authority
        made = self.post("installations", {"fid": installation_id(), "appId": app_id, "sdkVersion": "w:0.6"})
        assert made.status_code == 200, made.text
        # An id that is only named is nobody's yet: the server gives its own.
        self.fid = made.json()["fid"]
        secrets.note_message(made.json())
        self.auth = made.json()["authToken"]["token"]
        self.refresh = made.json()["refreshToken"]
        self.token = None

    def send(self, verb, path, body=None, session=None, **options):
        headers = {"x-goog-api-key": self.project, **options.pop("headers", {})}
        if getattr(self, "auth", None):
            headers.setdefault("x-goog-firebase-installations-auth", f"FIS {self.auth}")
        return (session or self.session).request(
            verb, f"{self.url}/v1/projects/{self.project}/{path}", json=body, headers=headers,
            timeout=60, **options,
        )

    def post(self, path, body, **options):
        return self.send("POST", path, body, **options)

    def register(self, form=None, **options):
        """Registers for the stream of messages, or by the form."""
        made = self.post("registrations", form or {"direct": {"platform": "linux"}}, **options)
        assert made.status_code == 200, made.text
        self.token = secrets.note(made.json()["token"], "registration token")
        assert self.token.startswith(self.fid + ":") and "=" not in self.token
        assert made.json()["name"] == f"projects/{self.project}/registrations/{self.token}"
        return self

    def connect(self, acknowledged=0, kept=False, **options):
        """Opens the stream on a connection of its own, or on one that was kept of other requests."""
        session = self.session
        if not kept:
            session = requests.Session()
            session.trust_env, session.verify = False, self.session.verify
        return Stream(self, acknowledged, session, **options)

    def acknowledge(self, sequence=0, **receipts):
        answer = self.post(
            "registrations:acknowledge", {"token": self.token, "sequence": str(sequence), **receipts}
        )
        assert answer.status_code == 200 and answer.json() == {}, answer.text


def wait_until_nobody_listens(server):
    """Waits until the server has seen the end of every stream that was closed here."""

    def are_closed():
        open_ones = [line for line in server.metrics if line.startswith("brasa_messaging_streams ")]
        assert open_ones
        return all(float(line.split()[-1]) == 0 for line in open_ones)

    servers.wait_for(are_closed, "the streams' end")


class Stream:
    """An open stream of messages."""

    def __init__(self, device, acknowledged, session, **options):
        self.answer = device.post(
            "registrations:connect",
            {"token": device.token, "acknowledged": str(acknowledged), **options},
            session=session, stream=True,
        )
        assert self.answer.status_code == 200, self.answer.text
        self.lines = self.answer.iter_lines(chunk_size=1)
        self.connected = self.line()["connected"]

    def line(self):
        for line in self.lines:
            return json.loads(line)
        raise EOFError("the stream has ended")

    def messages(self, count):
        return [self.line() for _ in range(count)]

    def close(self):
        self.answer.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Reports:
    """What became of messages."""

    def __init__(self, server, project, token="owner"):
        self.root = f"{server.url}/v1/projects/{project}/messages"
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = server.authority
        self.session.headers["Authorization"] = f"Bearer {token}"

    def get(self, name):
        answer = self.session.get(f"{self.root}/{name.rsplit('/', 1)[1]}", timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def counts(self, name):
        return self.get(name)["deliveries"]

    def deliveries(self, name):
        answer = self.session.get(f"{self.root}/{name.rsplit('/', 1)[1]}/deliveries", timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()["deliveries"]

    def wait(self, name, expected):
        """Waits until the counts are the expected ones."""
        for _ in range(1_500):
            if (found := self.counts(name)) == expected:
                return
            threading.Event().wait(0.02)
        raise AssertionError(f"{name}: {found}, not {expected}")
