"""Events of accounts, files, Remote Config, topics and channels, by what causes them at Google's SDKs."""

import base64
import json

import pytest
import requests

from support import clients, events, server as servers
from support.analytics import Analytics, batch, event

pytestmark = pytest.mark.brasa_only

OWNER = {"Authorization": "Bearer owner"}
FIRST_AUTH = "providers/firebase.auth/eventTypes/user."
OBJECT = "google.cloud.storage.object.v1."


@pytest.fixture
def receiver():
    made = events.Receiver()
    yield made
    made.close()


def wait_for_event(server, project, receiver, name, kind, *filters):
    words = [word for text in filters for word in ("--filter", text)]
    events.command(server, project, "subscribe", name, "--url", receiver.url, "--type", kind, *words)


def call(server, method, path, body=None):
    answer = requests.request(method, server.url + path, json=body, headers=OWNER, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_an_account_that_is_made_and_deleted(server, project, receiver):
    for change in ("create", "delete"):
        wait_for_event(server, project, receiver, change, FIRST_AUTH + change)
    root = f"/identitytoolkit.googleapis.com/v1/projects/{project}/accounts"
    made = call(server, "POST", root, {"email": "ana@example.com", "displayName": "Ana"})
    call(server, "POST", root + ":delete", {"localId": made["localId"]})
    # Each goes to a subscription of its own, in whichever order.
    created, deleted = sorted(receiver.wait(2), key=lambda received: received.headers["ce-type"])
    assert created.headers["ce-type"].endswith("user.create")
    assert events.data(created)["uid"] == made["localId"]
    assert events.data(created)["email"] == "ana@example.com"
    assert events.data(created)["metadata"]["createdAt"]
    assert deleted.headers["ce-type"].endswith("user.delete")
    assert events.data(deleted)["displayName"] == "Ana"


def test_a_sign_up_that_is_refused_has_no_event(server, project, receiver):
    wait_for_event(server, project, receiver, "made", FIRST_AUTH + "create")
    root = f"/identitytoolkit.googleapis.com/v1/projects/{project}/accounts"
    call(server, "POST", root, {"localId": "one", "email": "a@example.com"})
    twice = requests.post(
        server.url + root, json={"localId": "two", "email": "a@example.com"}, headers=OWNER, timeout=30)
    assert twice.status_code == 400
    call(server, "POST", root, {"localId": "three"})
    assert sorted(events.data(r)["uid"] for r in receiver.wait(2)) == ["one", "three"]


def test_a_file_that_is_stored_changed_and_deleted(server, project, receiver):
    bucket = f"{project}.appspot.com"
    for change in ("finalized", "metadataUpdated", "deleted"):
        wait_for_event(server, project, receiver, change.lower(), OBJECT + change, f"bucket={bucket}")
    url = f"{server.url}/upload/storage/v1/b/{bucket}/o?uploadType=media&name=a/b.txt"
    stored = requests.post(
        url, data=b"hello", headers={**OWNER, "Content-Type": "text/plain"}, timeout=30)
    assert stored.status_code == 200, stored.text
    call(server, "PATCH", f"/storage/v1/b/{bucket}/o/a%2Fb.txt", {"metadata": {"k": "v"}})
    requests.delete(f"{server.url}/storage/v1/b/{bucket}/o/a%2Fb.txt", headers=OWNER, timeout=30)
    found = {r.headers["ce-type"].rsplit(".", 1)[-1]: r for r in receiver.wait(3)}
    assert set(found) == {"finalized", "metadataUpdated", "deleted"}
    final = found["finalized"]
    assert final.headers["ce-subject"] == "objects/a/b.txt"
    assert final.headers["ce-bucket"] == bucket
    assert events.data(final)["size"] == "5" and events.data(final)["contentType"] == "text/plain"
    assert isinstance(events.data(final)["generation"], str)
    assert events.data(found["metadataUpdated"])["metadata"] == {"k": "v"}


def test_a_version_of_remote_config(server, project, receiver):
    wait_for_event(server, project, receiver, "config", "google.firebase.remoteconfig.remoteConfig.v1.updated")
    answer = requests.put(
        f"{server.url}/v1/projects/{project}/remoteConfig",
        json={"parameters": {"a": {"defaultValue": {"value": "b"}}}},
        headers={**OWNER, "If-Match": "*"}, timeout=30)
    assert answer.status_code == 200, answer.text
    data = events.data(receiver.wait(1)[0])
    assert data["versionNumber"] == "1" and data["updateType"] == "FORCED_UPDATE"


def test_messages_to_a_topic(server, project, receiver):
    root = f"/v1/projects/{project}/topics"
    missing = requests.post(
        f"{server.url}{root}/news:publish", json={"messages": [{"data": "eA=="}]}, headers=OWNER, timeout=30)
    assert missing.status_code == 404
    assert call(server, "PUT", f"{root}/news") == {"name": f"projects/{project}/topics/news"}
    wait_for_event(
        server, project, receiver, "news", "google.cloud.pubsub.topic.v1.messagePublished", "topic=news")
    text = base64.b64encode(b"tea").decode()
    answer = call(server, "POST", f"{root}/news:publish", {"messages": [
        {"data": text, "attributes": {"k": "v"}, "orderingKey": "o"}, {"attributes": {"n": "2"}}]})
    assert len(answer["messageIds"]) == 2
    got = {events.data(r)["message"]["messageId"]: r for r in receiver.wait(2)}
    assert set(got) == set(answer["messageIds"])
    first = got[answer["messageIds"][0]]
    message = events.data(first)["message"]
    assert message["data"] == text and message["attributes"] == {"k": "v"}
    assert message["message_id"] == message["messageId"] and message["publish_time"] == message["publishTime"]
    assert first.headers["ce-source"] == f"//pubsub.googleapis.com/projects/{project}/topics/news"
    assert call(server, "GET", root) == {"topics": [{"name": f"projects/{project}/topics/news"}]}
    assert call(server, "DELETE", f"{root}/news") == {}


def test_key_events_of_analytics(server, project, receiver):
    app = Analytics(server, project)
    app.report("settings", "PATCH", body={"keyEvents": ["purchase", "sign_up"]})
    wait_for_event(
        server, project, receiver, "bought", "google.firebase.analytics.log.v1.written", "event=purchase")
    first = batch("c1" * 11, event("purchase", {"value": 9.5, "currency": "BRL"}), event("sign_up"), event("purchase"))
    app.accepted(first)
    # A batch that is sent again counts once, and is told once.
    assert app.accepted(first) != app.accepted(batch("c2" * 11, event("purchase")))
    got = receiver.wait(3)
    assert len({r.headers["ce-id"] for r in got}) == 3
    assert {r.headers["ce-subject"] for r in got} == {"events/purchase"}
    source = f"//firebaseanalytics.googleapis.com/projects/{project}/apps/1:42:ios:ab"
    assert {r.headers["ce-source"] for r in got} == {source}
    data = [events.data(r) for r in got]
    assert [one["eventDim"][0]["name"] for one in data] == ["purchase"] * 3
    bought = next(one["eventDim"][0] for one in data if one["eventDim"][0]["params"])
    # No value in dollars, which the server does not reckon.
    assert bought["params"] == {"value": {"doubleValue": 9.5}, "currency": {"stringValue": "BRL"}}
    assert "valueInUsd" not in bought
    # An event that is not marked as a key event calls nothing, and one that nobody waits for is not kept.
    app.report("settings", "PATCH", body={"keyEvents": ["sign_up"]})
    app.accepted(batch("c3" * 11, event("purchase"), event("sign_up")))
    app.report("settings", "PATCH", body={"keyEvents": ["purchase"]})
    app.accepted(batch("c4" * 11, event("purchase")))
    assert len(receiver.wait(4)) == 4
    installations = [events.data(r)["userDim"]["appInfo"]["appInstanceId"] for r in receiver.wait(4)]
    assert len(set(installations)) == 3
    refused = events.command(
        server, project, "subscribe", "none", "--url", receiver.url, "--type",
        "google.firebase.analytics.log.v1.written", check=False)
    assert refused.returncode != 0 and "resource is missing" in refused.stderr


@pytest.mark.parametrize("prefix", ["/v1", "", "/eventarcpublishing.googleapis.com/v1"])
def test_custom_events_on_a_channel(server, project, receiver, prefix):
    channel = "locations/us-central1/channels/firebase"
    events.command(
        server, project, "subscribe", "own", "--url", receiver.url, "--type", "shop.order",
        "--channel", channel, "--filter", "kind=big")
    # As firebase-admin/eventarc sends them.
    sent = [
        {"@type": "type.googleapis.com/io.cloudevents.v1.CloudEvent", "id": f"e{number}", "type": kind,
         "specVersion": "1.0", "source": "/shop", "textData": json.dumps({"n": number}),
         "attributes": {
             "datacontenttype": {"ceString": "application/json"}, "subject": {"ceString": "ørder"},
             "time": {"ceTimestamp": "2026-11-28T00:00:00Z"}, "kind": {"ceString": size}}}
        for number, kind, size in ((1, "shop.order", "big"), (2, "shop.order", "small"), (3, "other", "big"))]
    call(server, "POST", f"{prefix}/projects/{project}/{channel}:publishEvents", {"events": sent})
    call(server, "POST", f"{prefix}/projects/{project}/{channel}:publishEvents",
         {"events": [{**sent[0], "id": "e4"}]})
    got = receiver.wait(2)
    assert sorted(events.data(r)["id"] for r in got) == ["e1", "e4"]
    # A subject that no header can carry: the event is in the body.
    assert got[0].headers["content-type"] == "application/cloudevents+json"
    assert events.data(got[0])["data"] == {"n": 1} and events.data(got[0])["subject"] == "ørder"


def test_strangers_publish_nothing(tmp_path):
    server = servers.Brasa(tmp_path / "data", development=False).start()
    for path in (
        "/v1/projects/shop/topics/news:publish",
        "/v2/projects/shop/locations/us-central1/queues/q/tasks",
        "/v1/projects/shop/locations/us-central1/channels/c:publishEvents",
    ):
        assert requests.post(server.url + path, json={}, timeout=30).status_code == 403, path
        wrong = {"Authorization": "Bearer owner"}
        assert requests.post(server.url + path, json={}, headers=wrong, timeout=30).status_code == 401, path
    server.stop()


def test_a_name_that_no_header_can_carry(server, project, receiver):
    events.subscribe(server, project, receiver)
    clients.connect(server, project).document("a/ação").set({"n": 1})
    request = receiver.wait(1)[0]
    assert request.headers["content-type"] == "application/cloudevents+json"
    assert events.data(request)["document"] == "a/ação"
    assert events.data(request)["data"]["value"]["fields"] == {"n": {"integerValue": "1"}}
