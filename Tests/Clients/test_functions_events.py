"""Functions of Google's SDK for Python that events, schedules and tasks call, each by its real cause."""

import json
import pathlib

import pytest
import requests
from google.cloud.firestore_v1.base_query import FieldFilter

from support import clients, firebase_storage as firebase, server as servers
from test_functions import environment

pytestmark = pytest.mark.brasa_only

CODEBASE = pathlib.Path(__file__).parent / "codebases" / "triggers"
PROJECT = "shop"
OWNER = {"Authorization": "Bearer owner"}


class Shop:
    """A development server with the functions of codebases/triggers."""

    def __init__(self, server):
        self.server = server
        self.documents = clients.connect(server, PROJECT)

    def command(self, *words, **options):
        return servers.run(*words, "--project", PROJECT, "--data", self.server.data, timeout=600, **options)

    def seen(self, kind):
        """What the functions of a kind have seen."""
        found = self.documents.collection("seen").where(filter=FieldFilter("kind", "==", kind)).stream()
        return [one.to_dict() for one in found]

    def wait(self, kind, count=1):
        def are_there():
            found = self.seen(kind)
            return found if len(found) >= count else None

        return servers.wait_for(are_there, f"{count} of {kind}", 120)

    def send(self, method, path, **options):
        answer = requests.request(method, self.server.url + path, headers=OWNER, timeout=120, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    data = tmp_path_factory.mktemp("triggers")
    server = servers.Brasa(
        data, "--functions", "--project", PROJECT, environment=environment(tmp_path_factory)
    ).start()
    made = Shop(server)
    done = made.command("functions", "deploy", CODEBASE)
    assert done.stdout.count("created") >= 13, done.stdout
    yield made
    assert server.is_running, server.output[-4000:]
    server.stop()


def test_documents(shop):
    product = shop.documents.document("products/chair")
    product.set({"price": 10})
    created = shop.wait("created")
    assert created[0]["product"] == "chair" and created[0]["data"] == {"price": 10} and created[0]["id"]
    product.update({"price": 12})
    assert shop.wait("updated")[0]["after"] == {"price": 12} and shop.seen("updated")[0]["before"] == {"price": 10}
    product.delete()
    assert shop.wait("deleted")[0]["data"] == {"price": 12}
    written = shop.wait("written", 3)
    assert sorted(one["existed"] for one in written) == [False, True, True]
    # Documents elsewhere call nothing.
    shop.documents.document("others/chair").set({"price": 1})
    shop.documents.document("products/table").set({"price": 2})
    shop.wait("created", 2)
    assert {one["product"] for one in shop.seen("created")} == {"chair", "table"}


def dead_letters(shop, subject):
    """The dead letters of a subject, once there is one."""
    def found():
        listed = shop.command("events", "list", "--dead").stdout.splitlines()
        return [line for line in listed if subject in line]

    return servers.wait_for(found, f"a dead letter of {subject}", 120)


def test_a_function_that_writes_what_calls_it_is_stopped(shop):
    turned = shop.documents.document("loops/one")
    turned.set({"n": 0})
    assert "The event is the last in a chain of 16 events" in dead_letters(shop, "loops/one")[0]
    # Once for each event of the chain; the last one's write was not delivered.
    assert turned.get().to_dict() == {"n": 16}
    # Each write by somebody else begins a chain of its own.
    turned.set({"n": 100})
    servers.wait_for(lambda: turned.get().to_dict() == {"n": 116}, "the second chain", 120)


def test_a_function_that_stores_what_calls_it_is_stopped(shop):
    storage = firebase.Storage(shop.server, "loops", "owner")
    assert storage.upload("a", b"12345").status_code == 200
    assert "The event is the last in a chain of 16 events" in dead_letters(shop, "a" + "x" * 16)[0]


def test_files(shop):
    storage = firebase.Storage(shop.server, "shop.appspot.com", "owner")
    assert storage.upload("photos/a", b"12345").status_code == 200
    stored = shop.wait("stored")[0]
    assert stored["name"] == "photos/a" and int(stored["size"]) == 5
    answer = requests.delete(f"{shop.server.url}/storage/v1/b/shop.appspot.com/o/photos%2Fa", headers=OWNER, timeout=30)
    assert answer.status_code == 204
    assert shop.wait("removed")[0]["name"] == "photos/a"


def test_messages_of_a_topic(shop):
    message = {"data": "eyJuIjogMX0=", "attributes": {"from": "test"}}
    shop.send("POST", f"/v1/projects/{PROJECT}/topics/orders:publish", json={"messages": [message]})
    assert shop.wait("published")[0] == {"kind": "published", "data": {"n": 1}, "attributes": {"from": "test"}}


def test_a_version_of_remote_config(shop):
    answer = requests.put(
        f"{shop.server.url}/v1/projects/{PROJECT}/remoteConfig", headers={**OWNER, "If-Match": "*"},
        json={"parameters": {"a": {"defaultValue": {"value": "1"}}}}, timeout=30,
    )
    assert answer.status_code == 200, answer.text
    assert int(shop.wait("configured")[0]["version"]) == 1


def test_custom_events(shop):
    event = {
        "@type": "type.googleapis.com/io.cloudevents.v1.CloudEvent", "id": "1", "source": "//shop", "specVersion": "1.0",
        "type": "com.example.paid", "textData": '{"total": 9}',
        "attributes": {"datacontenttype": {"ceString": "application/json"}},
    }
    shop.send("POST", f"/v1/projects/{PROJECT}/locations/us-central1/channels/firebase:publishEvents", json={"events": [event]})
    assert shop.wait("paid")[0]["data"] == {"total": 9}


def test_tasks_that_the_admin_sdk_enqueues(shop):
    def resize(data):
        answer = requests.post(f"{shop.server.url}/{PROJECT}/us-central1/resize", json={"data": data}, timeout=120)
        assert answer.json().get("result"), answer.text

    resize({"photo": "a"})
    assert shop.wait("resized")[0]["data"] == {"photo": "a"}
    resize({"fails": True})
    attempts = shop.documents.document("attempts/resized")
    servers.wait_for(lambda: (attempts.get().to_dict() or {}).get("n") == 3, "three attempts", 120)


def test_nobody_but_the_server_calls_what_waits_for_events(shop):
    headers = {
        "X-CloudScheduler": "true", "X-CloudTasks-QueueName": "resized", "ce-id": "1", "ce-type": "forged", "ce-source": "//x",
        "ce-specversion": "1.0",
    }
    for name in ("created", "stored", "published", "configured", "paid", "swept", "resized"):
        for path in ("", "/"):
            answer = requests.post(
                f"{shop.server.url}/{PROJECT}/us-central1/{name}{path}", json={"data": {"photo": "forged"}},
                headers=OWNER | headers, timeout=60)
            assert answer.status_code == 404, (name, answer.text)
    assert not [one for one in shop.seen("resized") if one["data"] == {"photo": "forged"}]


def test_a_site_s_rewrite_leads_to_a_function(shop, tmp_path):
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "index.html").write_text("home")
    rewrites = [{"source": "/api/**", "function": "page"}, {"source": "/old/**", "function": {"functionId": "absent"}}]
    (tmp_path / "firebase.json").write_text(json.dumps({"hosting": {"public": "public", "rewrites": rewrites}}))
    shop.command("hosting", "deploy", "--config", tmp_path / "firebase.json")

    def get(path, **headers):
        headers["Host"] = f"{PROJECT}.localhost:{shop.server.port}"
        headers |= {"X-CloudScheduler": "true", "X-CloudTasks-QueueName": "resize"}
        return requests.get(shop.server.url + path, headers=headers, timeout=120)

    assert get("/").text == "home"
    answer = get("/api/a%20b?x=1", X_Own="kept")
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"path": "/api/a b", "x": "1", "forged": []}
    # The page is the site's, whose origin is its own.
    assert "content-security-policy" not in answer.headers
    assert get("/old/a").status_code == 404


def test_what_is_registered_is_listed_and_goes_with_the_codebase(shop):
    listed = shop.command("events", "triggers").stdout
    for name in ("created", "stored", "published", "swept", "resized"):
        assert name in listed
    assert "every 5 minutes" in listed
    shop.command("functions", "delete", "default")
    assert "every 5 minutes" not in shop.command("events", "triggers").stdout
