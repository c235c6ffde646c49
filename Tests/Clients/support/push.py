"""Stand-ins of push services, and what a device or a browser does with what they were given."""

import base64
import json
import subprocess

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from . import server as servers

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
