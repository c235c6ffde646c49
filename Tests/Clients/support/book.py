"""The book's reader: a server in production mode with its console in a browser, and the app that the book makes, over HTTP."""

import plistlib
import types
import uuid

import grpc

from support import server as servers
from support.administrators import come_in, invite
from support.console import Console
from support.firebase_storage import Storage
from support.identity import Identity
from support.listening import ListenStream
from support.rest import Rest
from support.rpc import fields_of

PROJECT = "swiftui-firebase"
BUNDLE = "br.com.siecola.SwiftUI-Firebase"
AUTH, APP = "auth.book.example", "www.book.example"
PASSWORD = "correct horse battery"

# Why a step is left out.
APPLE = "is done in Xcode or at Apple's site, on a Mac"


def start(folder, certificates, **environment):
    """A production server that people reach by a public name."""
    port = servers.free_port()
    public = f"https://{AUTH}:{port}"
    server = servers.Brasa.production(
        folder / "data", certificates, "--port", port, "--origin", public,
        environment={
            "BRASA_PROJECT": PROJECT, "BRASA_OUTBOUND_PRIVATE": "true",
            "BRASA_OUTBOUND_CA": str(certificates / "authority.pem"), **environment,
        },
    ).start()
    server.public = public
    return server


def reader(browser, book, email, width=1280):
    """The console of somebody who has come in by a link of their own."""
    browser.show_as(width, 900)
    console = Console(browser, types.SimpleNamespace(url=book.public), PROJECT)
    come_in(console, invite(book, email))
    return console


def submit(console):
    """Presses the button of the form in front; it closes when the server has taken it."""
    console.browser.run("document.querySelector('dialog[open] button[type=submit]').click()")
    console.browser.wait("return !document.querySelector('dialog[open]')")


def register_app(console, bundle):
    """Registers an app of iOS by its bundle id, unless it is there."""
    console.open("settings")
    none = "No apps registered yet."
    script = "return [...arguments].find((text) => document.body.innerText.includes(text)) ?? (document.querySelector('main td') && 'another')"
    if console.browser.wait(script, bundle, none) == bundle:
        return
    console.click("button", "Register app")
    console.fill("Bundle id or package name", bundle)
    submit(console)
    console.sees(bundle)


def create_project(console, name):
    """Add project, its name; the console opens it. Gives its id, which is made of the name."""
    console.open("overview")
    console.choose("Project", "+")
    console.fill("Project name", name)
    made = console.read("Project id")
    console.sees("Analytics is part of every project")
    submit(console)
    console.sees(f"{name} is ready.")
    console.find("heading", name)
    assert console.browser.run("return location.pathname") == f"/console/{made}/overview"
    return made


def plist(book, bundle):
    """The app's GoogleService-Info.plist."""
    made = servers.run("apps", "config", bundle, "--project", PROJECT, "--data", book.data)
    return plistlib.loads(made.stdout.encode())


def publish_rules(console, source):
    """Puts rules into the editor that is open, and publishes them."""
    console.put("Source of the rules", source)
    console.click("button", "Publish")
    console.find("dialog", "Publish")
    console.click("button", "Publish")
    console.sees("The rules are in force")


class Phone:
    """The book's app on the phone of one person: its requests, as the SDK sends them."""

    def __init__(self, book, email):
        self.book, self.email = book, email
        signed_in = Identity(book, PROJECT, verify=book.authority).client(
            "signUp", email=email, password=PASSWORD, returnSecureToken=True)
        self.uid, self.token = signed_in["localId"], signed_in["idToken"]
        self.rest = Rest(book, PROJECT, token=self.token)
        self.storage = Storage(book, f"{PROJECT}.appspot.com", self.token, verify=book.authority)

    @classmethod
    def nobody(cls, book):
        """The app before anybody has signed in."""
        made = cls.__new__(cls)
        made.book, made.uid, made.token = book, None, None
        made.rest = Rest(book, PROJECT, token=None)
        made.storage = Storage(book, f"{PROJECT}.appspot.com", verify=book.authority)
        return made

    # Chapter 10

    def product(self, name, code, price, **more):
        """A product with the fields that 10.3 encodes, and 13.4 adds to."""
        texts = {"userId": self.uid, "name": name, "description": f"Desc of {name}", "code": code, **more}
        return {key: {"stringValue": text} for key, text in texts.items()} | {"price": {"doubleValue": price}}

    def set_data(self, fields, document=None):
        """10.8 and 10.13: `setData(from:)` of a new document, or of one that is there; gives its id, or the refusal."""
        document = document or uuid.uuid4().hex[:20]
        write = {"update": {"name": self.rest.name(f"products/{document}"), "fields": fields}}
        answer = self.rest.request("POST", f"{self.rest.root}:commit", json={"writes": [write]})
        return document if answer.status_code == 200 else answer.json()["error"]["status"]

    def delete(self, document):
        """10.12: `document(id).delete()`; gives nothing, or the refusal."""
        write = {"delete": self.rest.name(f"products/{document}")}
        answer = self.rest.request("POST", f"{self.rest.root}:commit", json={"writes": [write]})
        return None if answer.status_code == 200 else answer.json()["error"]["status"]

    def get(self, document):
        """A document by its id: its fields, or the refusal."""
        answer = self.rest.request("GET", self.rest.name(f"products/{document}"))
        return answer.json()["fields"] if answer.status_code == 200 else answer.json()["error"]["status"]

    def list(self):
        """10.6: the list's query, once: its rows of name and code by name, or the text of the refusal."""
        query = {
            "from": [{"collectionId": "products"}], "orderBy": [{"field": {"fieldPath": "name"}}],
            "where": {"fieldFilter": {"field": {"fieldPath": "userId"}, "op": "EQUAL", "value": {"stringValue": self.uid}}},
        }
        answer = self.rest.request("POST", f"{self.rest.root}:runQuery", json={"structuredQuery": query})
        if answer.status_code != 200:
            return answer.text
        found = [one["document"]["fields"] for one in answer.json() if "document" in one]
        return [(one["name"]["stringValue"], one["code"]["stringValue"]) for one in found]

    # Chapter 13

    def upload(self, name, content):
        """13.8: `putData(_:metadata: nil)`, as the SDK of iOS sends it."""
        begun = self.storage.start(name, len(content), type="application/octet-stream", ios=True)
        if begun.status_code != 200:
            return begun
        return self.storage.chunk(begun.headers["X-Goog-Upload-URL"], content, 0, finalize=True, ios=True)

    def follow(self, uid=None):
        """10.6: the list's query with its listener, on a stream of its own."""
        with open(self.book.authority, "rb") as file:
            trusted = grpc.ssl_channel_credentials(file.read())
        channel = grpc.secure_channel(f"localhost:{self.book.port}", trusted)
        stream = ListenStream(channel, self.rest.database, metadata=(("authorization", f"Bearer {self.token}"),))
        stream.add(2, stream.query(
            "products", [("userId", "EQUAL", {"string_value": uid or self.uid})], [("name", "ASCENDING")]))
        return Followed(channel, stream)


class Followed:
    """The list on the phone's screen, which changes by itself."""

    def __init__(self, channel, stream):
        self.channel, self.stream = channel, stream

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.cancel()
        self.channel.close()

    def shows(self, *rows):
        """Waits until the list has those rows of name and code."""
        target = self.stream.targets[2]

        def is_shown():
            documents = [fields_of(one) for one in target.consistent.values()]
            return target.is_current and sorted((one["name"], one["code"]) for one in documents) == sorted(rows)

        self.stream.until(is_shown)

    def refusal(self):
        """The code of the error that the list ends with."""
        target = self.stream.targets[2]
        self.stream.until(lambda: target.cause is not None)
        return target.cause.code
