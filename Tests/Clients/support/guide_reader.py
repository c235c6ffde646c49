"""Somebody who reads the guide: an empty folder, a terminal, and what the texts have their readers bring along."""

import os
import pathlib
import re
import sys

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from support import guide, server as servers
from support.messaging import Device

CHAPTERS = ["start", "chapter-08", "chapter-09", "chapter-10", "chapter-11", "chapter-12", "chapter-13", "codable"]
PHOTO = guide.ROOT / "Examples" / "Tests" / "Browser" / "photos" / "lamp.png"
FLAGS = {"--host 0.0.0.0": "--host 127.0.0.1"}


class Reader:
    """Somebody with the pages, an empty folder and a terminal."""

    def __init__(self, folder, data="firebase"):
        self.folder = folder
        self.data = folder / data
        self.server = None
        programs = folder / "bin"
        programs.mkdir()
        (programs / "brasa").symlink_to(servers.binary())
        path = os.pathsep.join([str(programs), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
        self.environment = servers.clean_environment({"PATH": path})
        # What the texts have their readers bring along.
        (folder / "brasa").symlink_to(guide.ROOT)
        (folder / "AuthKey_ABC1234567.p8").write_text(apple_key())
        (folder / "photo.png").symlink_to(PHOTO)

    def start(self, page):
        """Starts the page's server, on a free port."""
        [sample] = [one for one in guide.samples(guide.ENGLISH / f"{page}.md") if "server" in one.words]
        command = sample.text.replace("\\\n", " ")
        # An address that the server itself is told has to be known before.
        port = servers.free_port() if ":8080" in command else 0
        for before, after in (FLAGS | {":8080": f":{port}"}).items():
            command = command.replace(before, after)
        words = command.split()
        assert words[0] == "brasa"
        at_folder = [str(self.folder / word) if word == "firebase" or word.startswith("certs/") else word for word in words[1:]]
        self.serve(at_folder, port)

    def serve(self, arguments, port=0):
        """Starts a server."""
        self.server = servers.Process([servers.binary(), *arguments, "--port", str(port)], servers.clean_environment({}))
        self.server.start()

    def follow(self, page):
        """Types the page's commands."""
        if page == "chapter-08":
            self.environment["TOKEN"] = self.token_of_a_phone()
        return self.type(guide.ENGLISH / f"{page}.md")

    def type(self, page):
        return guide.run(page, self.environment, self.folder, {":8080": f":{self.server.port}"})

    def token_of_a_phone(self):
        """The registration of an app of the chapter's project, which has started on a device."""
        project = "ios-swiftui-fcm"
        made = servers.run("apps", "create", "linux", "--name", "phone", "--project", project, "--data", self.data)
        [app] = re.findall(r"^1:\S+", made.stdout, re.MULTILINE)
        return Device(Address(self.server), project, app).register().token

    def close(self):
        if self.server:
            self.server.kill()


def apple_key():
    """A key as Apple's site gives it."""
    made = ec.generate_private_key(ec.SECP256R1())
    forms = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return made.private_bytes(*forms).decode()


class Address:
    """Where a device finds the server."""

    authority = None

    def __init__(self, process):
        self.url = f"http://127.0.0.1:{process.port}"
