"""Stand-ins of push services, and what a device or a browser does with what they were given."""

import base64
import http.server
import json
import os
import pathlib
import ssl
import subprocess
import threading

import http_ece
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02

from . import certificates, server as servers

PROGRAM = servers.binary().with_name("push-stand-in")


def encode(content):
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Program:
    """A program that answers each line of JSON with one; a context manager."""

    def __init__(self, *arguments):
        self._process = subprocess.Popen(
            [PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        assert self._process.wait(timeout=30) == 0
        self._process.stdout.close()

    def ask(self, **command):
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return self.read()

    def read(self):
        line = self._process.stdout.readline()
        assert line, "the program ended"
        return json.loads(line)


class AppleKey:
    """A key of a team, as Apple gives it out."""

    team, id, bundle = "TEAM567890", "ABC123DEFG", "com.example.shop"

    def __init__(self, directory):
        key = ec.generate_private_key(ec.SECP256R1())
        self.file = directory / f"AuthKey_{self.id}.p8"
        self.file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        self.public_file = directory / "public.pem"
        self.public_file.write_bytes(
            key.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        )


class APNs(Program):
    """A stand-in of Apple's push service that knows one key."""

    def __init__(self, key):
        super().__init__("apns", key.team, key.id, key.bundle, str(key.public_file))
        said = self.read()
        self.url, self.port, self.authority = said["url"], said["port"], said["authority"]

    def script(self, device, *replies):
        self.ask(command="script", device=device, replies=list(replies))

    def forget(self, device):
        self.ask(command="forget", device=device)

    @property
    def pushes(self):
        found = self.ask(command="pushes")
        for push in found:
            push["body"] = json.loads(base64.b64decode(push["body"]))
        return found


class WebPushService:
    """A browser's push service: keeps what comes, decrypted with http-ece and checked with py-vapid."""

    def __init__(self, directory):
        self.pushes = []
        self.answers = {}
        certificates.certificate_for(["localhost"], directory)
        self.authority = directory / "authority.pem"
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                status, headers = service.take(self.path, dict(self.headers.items()), body)
                self.send_response(status)
                for name, value in {**headers, "content-length": "0"}.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(directory / "server.pem", directory / "server-key.pem")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.host = f"localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, headers, body):
        if self.answers.get(path):
            return self.answers[path].pop(0)
        headers = {name.lower(): value for name, value in headers.items()}
        self.pushes.append(Push(path, headers, body, f"https://{self.host}"))
        return 201, {"location": "/message/1"}

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Push:
    """One request to a push service."""

    def __init__(self, path, headers, body, origin):
        self.path, self.headers, self.body, self.origin = path, headers, body, origin

    def payload(self, subscription):
        """What the subscription's owner reads; fails where it is not his, or not signed for this service."""
        assert self.headers["content-encoding"] == "aes128gcm"
        scheme, _, fields = self.headers["authorization"].partition(" ")
        values = dict(field.split("=", 1) for field in fields.replace(" ", "").split(","))
        # py-vapid reads no space behind the comma, which RFC 8292 has.
        assert scheme == "vapid" and Vapid02.verify(self.headers["authorization"].replace(", ", ","))
        assert json.loads(decode(values["t"].split(".")[1]))["aud"] == self.origin
        content = http_ece.decrypt(
            self.body, private_key=subscription.key, auth_secret=subscription.secret, version="aes128gcm"
        )
        return json.loads(content)


class Server(servers.Brasa):
    """A development server that may send to the stand-ins: a service of browsers, and Apple's if there are some."""

    def __init__(self, directory, service, apple=None, sandbox=None):
        trusted = directory / "trusted.pem"
        standing_in = [service, *filter(None, (apple, sandbox))]
        trusted.write_text("\n".join(pathlib.Path(each.authority).read_text() for each in standing_in))
        settings = {"BRASA_PUSH_HOSTS": service.host, "BRASA_PUSH_CA": str(trusted)}
        if apple:
            settings |= {"BRASA_APNS_PRODUCTION": apple.url, "BRASA_APNS_SANDBOX": sandbox.url}
        super().__init__(directory / "data", environment=settings)

    def send(self, project, status=200, **message):
        """Sends a message; gives its id, or the error that is expected."""
        answer = self._ask("POST", project, ":send", json={"message": message})
        assert answer.status_code == status, answer.text
        return answer.json()["name"].rsplit("/", 1)[1] if status == 200 else answer.json()["error"]

    def deliveries(self, project, name):
        return self._ask("GET", project, f"/{name}").json()["deliveries"]

    def became(self, project, name, expected):
        """Waits until the message's deliveries are the expected ones."""
        servers.wait_for(lambda: self.deliveries(project, name) == expected, f"{name} to be {expected}", 20)

    def _ask(self, verb, project, path, **options):
        url = f"{self.url}/v1/projects/{project}/messages{path}"
        return requests.request(verb, url, headers={"authorization": "Bearer owner"}, timeout=20, **options)


class Subscription:
    """A browser's end of a subscription."""

    def __init__(self, service, name="1"):
        self.key, self.secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        self.path = f"/up/{name}"
        self.endpoint = f"https://{service.host}{self.path}"
        self.keys = {"p256dh": encode(point(self.key)), "auth": encode(self.secret)}

    @property
    def form(self):
        """What a page registers."""
        return {"endpoint": self.endpoint, **self.keys}


def point(key):
    return key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )


def register(server, project, **form):
    """Registers an address as an installation of its own; gives the token."""
    headers = {"x-goog-api-key": "key"}
    root = f"{server.url}/v1/projects/{project}"
    made = requests.post(f"{root}/installations", headers=headers, json={"appId": "1:1:web:1"}, timeout=20).json()
    headers["x-goog-firebase-installations-auth"] = f"FIS {made['authToken']['token']}"
    answer = requests.post(f"{root}/registrations", headers=headers, json=form, timeout=20)
    assert answer.status_code == 200, answer.text
    return answer.json()["token"]
