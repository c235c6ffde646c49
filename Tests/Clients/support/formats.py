"""A small data directory with something of every product, and all of it as clients see it.

`fill` is run once for each version that is released, by Tests/Clients/format_fixture.py; `look` by that script and by
the test that opens the fixture with the program under test.
"""

import base64
import json
import pathlib

import requests

from support import server as servers

FOLDER = servers.CHECKOUT / "Tests" / "Fixtures" / "formats"
PROJECT = "shop"
PASSWORD = "brasa-fixture"
RULES = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /products/{id} { allow read: if true; }
  }
}
"""
INDEXES = {
    "indexes": [{
        "collectionGroup": "products",
        "queryScope": "COLLECTION",
        "fields": [{"fieldPath": "color", "order": "ASCENDING"}, {"fieldPath": "price", "order": "DESCENDING"}],
    }],
    "fieldOverrides": [],
}
# Of every type one.
FIELDS = {
    "nothing": {"nullValue": None},
    "isNew": {"booleanValue": True},
    "count": {"integerValue": "9007199254740993"},
    "price": {"doubleValue": 49.5},
    "time": {"timestampValue": "2026-11-28T12:00:00.123456Z"},
    "name": {"stringValue": "Cadeira de balanço"},
    "bytes": {"bytesValue": base64.b64encode(bytes(range(256))).decode()},
    "other": {"referenceValue": f"projects/{PROJECT}/databases/(default)/documents/products/p1"},
    "place": {"geoPointValue": {"latitude": -23.5, "longitude": -46.6}},
    "tags": {"arrayValue": {"values": [{"stringValue": "wood"}, {"integerValue": "2"}]}},
    "size": {"mapValue": {"fields": {"width": {"integerValue": "40"}}}},
    "color": {"stringValue": "red"},
}
# A small object is in the store, a large one in a file.
OBJECTS = {"small.txt": b"small", "large.bin": bytes(range(256)) * 4096}


class Server:
    """Requests of an administrator of a development server."""

    def __init__(self, server):
        self.server = server
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["Authorization"] = "Bearer owner"

    def call(self, verb, path, **options):
        done = self.session.request(verb, f"{self.server.url}/{path}", timeout=60, **options)
        assert done.ok, f"{verb} {path}: {done.text}"
        return done

    def documents(self, database, path, verb="GET", **options):
        place = f"v1/projects/{PROJECT}/databases/{database}/documents/{path}"
        return self.call(verb, place, **options).json()

    def sign_in(self, method):
        body = {"email": "ana@example.com", "password": PASSWORD, "returnSecureToken": True}
        return self.call("POST", f"identitytoolkit.googleapis.com/v1/accounts:{method}?key={PROJECT}", json=body).json()


def fill(server, folder):
    """Puts something of every product into an empty server."""
    made = Server(server)
    servers.run("databases", "create", "orders", "--project", PROJECT, "--data", server.data)
    for number in range(20):
        made.documents("(default)", f"products/p{number}", "PATCH", json={"fields": FIELDS})
    for price in (10, 20, 30):
        fields = {"price": {"integerValue": str(price)}, "color": {"stringValue": "blue"}}
        made.documents("(default)", "products/changed", "PATCH", json={"fields": fields})
    made.documents("(default)", "products/gone", "PATCH", json={"fields": {}})
    made.call("DELETE", f"v1/projects/{PROJECT}/databases/(default)/documents/products/gone")
    made.documents("(default)", "products/p1/reviews/r1", "PATCH", json={"fields": {"stars": {"integerValue": "5"}}})
    made.documents("orders", "orders/o1", "PATCH", json={"fields": {"paid": {"booleanValue": True}}})
    for name, text in (("firestore.rules", RULES), ("firestore.indexes.json", json.dumps(INDEXES))):
        (pathlib.Path(folder) / name).write_text(text)
    location = ["--project", PROJECT, "--data", server.data]
    servers.run("rules", "deploy", f"{folder}/firestore.rules", *location)
    servers.run("indexes", "apply", f"{folder}/firestore.indexes.json", *location)
    made.sign_in("signUp")
    for name, content in OBJECTS.items():
        made.call("POST", f"v0/b/{PROJECT}.appspot.com/o?name={name}", data=content,
                  headers={"Content-Type": "application/octet-stream"})
    template = {"parameters": {"theme": {"defaultValue": {"value": "dark"}, "valueType": "STRING"}}, "conditions": []}
    made.call("PUT", f"v1/projects/{PROJECT}/remoteConfig", json=template, headers={"If-Match": "*"})


def look(server):
    """All that `fill` has put there, as clients read it."""
    made = Server(server)
    listed = made.documents("(default)", "products?pageSize=100")["documents"]
    query = {"structuredQuery": {
        "from": [{"collectionId": "products"}],
        "where": {"fieldFilter": {
            "field": {"fieldPath": "color"}, "op": "EQUAL", "value": {"stringValue": "red"},
        }},
        "orderBy": [{"field": {"fieldPath": "price"}, "direction": "DESCENDING"}],
        "limit": 3,
    }}
    found = made.call("POST", f"v1/projects/{PROJECT}/databases/(default)/documents:runQuery", json=query).json()
    location = ["--project", PROJECT, "--data", server.data]
    objects = made.call("GET", f"v0/b/{PROJECT}.appspot.com/o").json()["items"]
    template = made.call("GET", f"v1/projects/{PROJECT}/remoteConfig").json()
    return {
        "documents": listed,
        "review": made.documents("(default)", "products/p1/reviews/r1"),
        "order": made.documents("orders", "orders/o1"),
        "query": [row["document"]["name"] for row in found if "document" in row],
        "rules": servers.run("rules", "show", *location).stdout,
        "indexes": servers.run("indexes", "list", *location).stdout,
        "user": made.sign_in("signInWithPassword")["localId"],
        "objects": sorted(item["name"] for item in objects),
        "intact": all(
            made.call("GET", f"v0/b/{PROJECT}.appspot.com/o/{name}?alt=media").content == content
            for name, content in OBJECTS.items()
        ),
        "theme": template["parameters"]["theme"]["defaultValue"],
    }
