"""Files, messages, analytics and installations by way of any node: the primary serves them, the others pass on."""

import hashlib
import os
import signal
import socket
import time

import pytest
import requests
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from firebase_admin import messaging as fcm

from support import clients, cluster, firebase_storage, messaging, postgres, rpc, s3, server as servers, tokens
from support.analytics import Analytics, batch, event
from support.remote_config import RemoteConfig

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING),
]


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    made = cluster.Cluster(tmp_path_factory.mktemp("cluster"), candidates=1).start()
    yield made
    made.close()


def bucket(node, project):
    client = storage.Client(project=project, credentials=AnonymousCredentials(), client_options={"api_endpoint": node.url})
    return client.bucket(f"{project}.appspot.com")


def test_files_are_one_nodes_and_reached_by_all(together, project):
    primary, other = together.nodes
    data = bytes(range(256)) * 40_000
    blob = bucket(other, project).blob("photos/chair", chunk_size=1 << 20)
    blob.metadata = {"firebaseStorageDownloadTokens": "seen-by-all"}
    blob.upload_from_string(data, "image/png")
    assert bucket(primary, project).blob("photos/chair").download_as_bytes() == data
    assert bucket(other, project).blob("photos/chair").download_as_bytes(start=300, end=9_999) == data[300:10_000]
    assert [one.name for one in bucket(other, project).list_blobs(prefix="photos/")] == ["photos/chair"]
    address = f"{other.url}/v0/b/{project}.appspot.com/o/photos%2Fchair?alt=media&token=seen-by-all"
    answer = requests.get(address, headers={"Origin": "https://shop.example"}, timeout=30)
    assert answer.status_code == 200, answer.text
    assert hashlib.sha256(answer.content).digest() == hashlib.sha256(data).digest()
    assert answer.headers["content-length"] == str(len(data)) and answer.headers["content-type"] == "image/png"
    assert answer.headers["access-control-allow-origin"] == "https://shop.example"
    assert answer.headers["access-control-expose-headers"].count("X-Goog-Hash") == 1
    again = requests.get(address, headers={"If-None-Match": answer.headers["etag"]}, timeout=30)
    assert (again.status_code, again.content) == (304, b"")
    assert requests.head(address, timeout=30).headers["content-length"] == str(len(data))
    missing = requests.get(address.replace("chair", "table").replace("&token=seen-by-all", ""), headers=dict(rpc.OWNER), timeout=30)
    assert missing.status_code == 404 and missing.json()["error"]["code"] == 404


def test_an_upload_as_a_stream_is_passed_on(together, project):
    primary, other = together.nodes
    parts = [bytes([number]) * 700_000 for number in range(30)]
    target = f"{other.url}/upload/storage/v1/b/{project}.appspot.com/o?uploadType=media&name=streamed"
    answer = requests.post(target, data=iter(parts), headers=dict(rpc.OWNER), timeout=60)
    assert answer.status_code == 200, answer.text
    assert bucket(primary, project).blob("streamed").download_as_bytes() == b"".join(parts)


@pytest.mark.parametrize("is_chunked", [False, True])
def test_uploads_that_are_cut_or_refused_on_their_way_hurt_no_node(together, project, is_chunked):
    """Cut before, in and behind a part, with and without a goodbye; refused while the body still comes."""
    primary, other = together.nodes
    # Development allows everything in a bucket without rules.
    firebase_storage.set_rules(primary, firebase_storage.OWN_FOLDER, f"{project}.appspot.com")
    body = b"%x\r\n" % 300_000 + b"q" * 300_000 if is_chunked else b"q" * 300_000
    length = "Transfer-Encoding: chunked" if is_chunked else "Content-Length: 5000000"
    for number in range(24):
        head = f"POST /v0/b/{project}.appspot.com/o?name=cut-{number}&uploadType=media HTTP/1.1\r\nHost: {other.host}\r\n{length}\r\n"
        is_refused = number % 4 == 3
        head += "\r\n" if is_refused else "Authorization: Bearer owner\r\n\r\n"
        with socket.create_connection(("127.0.0.1", other.port)) as connection:
            connection.sendall(head.encode() + body[: number * 20_000])
            if is_refused:
                assert b" 403 " in connection.recv(100)
            if number % 2:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert bucket(other, project).blob("cut-1").exists() is False
    assert together.is_running


def test_a_refusal_behind_an_upload_comes_whole(together, project):
    """Of a body that is refused when most of it has come."""
    _, other = together.nodes
    body = b"--b\r\nContent-Type: application/json\r\n\r\n" + b'{"metadata":{"a":"' + b"x" * (2 << 20) + b'"}}'
    body += b"\r\n--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--"
    headers = {**dict(rpc.OWNER), "Content-Type": "multipart/related; boundary=b"}
    for _ in range(40):
        answer = requests.post(f"{other.url}/v0/b/{project}.appspot.com/o?name=o", body, headers=headers, timeout=30)
        assert answer.status_code == 400 and "error" in answer.json()


def test_messages_go_to_a_device_at_another_node(together, project):
    primary, other = together.nodes
    device = messaging.Device(other, project)
    device.register()
    with device.connect() as stream, messaging.development_app(primary, project) as app:
        sent = fcm.send(fcm.Message(token=device.token, data={"order": "1"}), app=app)
        line = stream.line()
        assert line["messageId"] == sent.rpartition("/")[2]
    with messaging.development_app(other, project) as app:
        assert fcm.subscribe_to_topic([device.token], "orders", app=app).success_count == 1
        with device.connect(line["sequence"]) as stream:
            sent = fcm.send(fcm.Message(topic="orders", data={"order": "2"}), app=app)
            assert stream.line()["messageId"] == sent.rpartition("/")[2]
    # The primary hears that the device left the other one.
    messaging.wait_until_nobody_listens(together)


def test_registrations_are_a_users_until_another_node_revokes_him(together, project):
    """A change of his profile there, as a new user makes, does not take them from him."""
    primary, other = together.nodes
    accounts = f"{other.url}/identitytoolkit.googleapis.com/v1/projects/{project}/accounts"

    def call(action, **body):
        answer = requests.post(f"{accounts}{action}", json={"localId": "ana", **body}, headers=dict(rpc.OWNER), timeout=30)
        assert answer.status_code == 200, answer.text

    call("", email="ana@example.org")
    device = messaging.Device(primary, project)
    device.register(headers={"Authorization": f"Bearer {tokens.unsigned(project, 'ana')}"})
    reports = messaging.Reports(primary, project)

    def send():
        body = {"uid": "ana", "message": {"data": {"k": "v"}}}
        return reports.session.post(f"{reports.root}:sendToUser", json=body, timeout=30).status_code

    assert send() == 200
    call(":update", displayName="Ana")
    assert send() == 200
    call(":update", validSince=str(int(time.time())))
    assert send() == 404


def test_remote_config_asks_the_home_node_for_audiences(together, project):
    _, other = together.nodes
    instance = "cAbc-efghijklmnopqrst_"
    analytics, config = Analytics(other, project), RemoteConfig(other, project)
    analytics.accepted(batch(instance, event("purchase", {"value": 1.0})))
    analytics.report("audiences/buyers", "PUT", body={"days": 2, "rule": {"event": "purchase"}})
    config.publish({
        "conditions": [{"name": "buyers", "expression": "app.audiences.inAtLeastOne(['buyers'])"}],
        "parameters": {"k": {"defaultValue": {"value": "no"}, "conditionalValues": {"buyers": {"value": "yes"}}}},
    })
    for node in together.nodes:
        config = RemoteConfig(node, project)
        assert config.fetch({"app_instance_id": instance}).json()["entries"]["k"] == "yes"
        assert config.fetch({"app_instance_id": "dAbc-efghijklmnopqrst_"}).json()["entries"]["k"] == "no"
        assert config.evaluate(app_instance_id=instance)["conditions"] == ["buyers"]


def test_events_are_counted_at_the_home_node(together, project):
    primary, other = together.nodes
    Analytics(other, project).accepted(batch("cAbc-efghijklmnopqrst_", event("select_item", {"item_id": "SKU_1"}), debug=True))
    seen = [requests.get(f"{node.url}/v1/projects/{project}/analytics/debug", headers=dict(rpc.OWNER), timeout=30) for node in (primary, other)]
    assert seen[0].status_code == seen[1].status_code == 200
    assert seen[0].json() == seen[1].json() and "select_item" in seen[1].text


def test_one_node_is_the_primary_and_is_listed_and_known_to_a_load_balancer(together):
    primary, other = together.nodes
    assert together.primary() is primary
    for path in ("primary", "home"):
        found = [requests.get(f"{node.url}/healthz/{path}", timeout=30).status_code for node in (primary, other)]
        assert found == [200, 503], path


# Another one takes the place of the primary


def take_over(tmp_path, shares_files=True, environment=None):
    """Two nodes that may be the primary, with one directory of files or a server for them, and a third one."""
    made = cluster.Cluster(tmp_path, count=3, candidates=2, environment=environment)
    (tmp_path / "files").mkdir()
    for node in made.nodes[: 2 if shares_files else 0]:
        node.data.mkdir(mode=0o700)
        (node.data / "files").symlink_to(tmp_path / "files")
    return made.start()


@pytest.mark.parametrize("ends", ["stop", "kill"])
def test_another_node_takes_the_place_of_a_home_node_that_ends(tmp_path, project, ends):
    """With its files, its messages and what is known of them; who asks meanwhile waits."""
    made = take_over(tmp_path)
    first, second, third = made.nodes
    try:
        assert made.primary() is first
        assert [requests.get(f"{node.url}/console", timeout=30).status_code for node in made.nodes[:2]] == [200, 503]
        data = bytes(range(256)) * 20_000
        bucket(third, project).blob("large").upload_from_string(data)
        device = messaging.Device(third, project)
        device.register()
        with messaging.development_app(third, project) as app:
            sent = fcm.send(fcm.Message(token=device.token, data={"order": "1"}), app=app)
        getattr(first, ends)()
        begun = time.monotonic()
        assert bucket(third, project).blob("large").download_as_bytes() == data
        print(f"read after {time.monotonic() - begun:.1f} s")
        assert made.primary() is second
        assert requests.get(f"{second.url}/console", timeout=30).status_code == 200
        with device.connect() as stream:
            assert stream.line()["messageId"] == sent.rpartition("/")[2]
        bucket(second, project).blob("large").upload_from_string(data[::-1])
        first.start()
        # It stands by now, and passes on what it is asked for.
        assert bucket(first, project).blob("large").download_as_bytes() == data[::-1]
        assert made.primary() is second
        assert requests.get(f"{first.url}/v1/projects/{project}/analytics/debug", headers=dict(rpc.OWNER), timeout=30).status_code == 200
        assert made.stop() == 0
    finally:
        made.close()


@pytest.mark.parametrize("is_shared", [True, False])
def test_an_upload_goes_on_at_the_next_home_node(tmp_path, is_shared):
    """With what the one before had of it, in a directory that the machines share or on a server of S3."""
    moto = None if is_shared else s3.Moto()
    made = take_over(tmp_path, is_shared, moto and moto.environment())
    first, second, third = made.nodes
    try:
        storage = firebase_storage.Storage(third, "shop.appspot.com", "owner")
        content = os.urandom(20 << 20)
        cut = (9 << 20) + 1
        url = storage.start("big", len(content)).headers["X-Goog-Upload-URL"]
        assert storage.chunk(url, content[:cut], 0).headers["X-Goog-Upload-Size-Received"] == str(cut)
        first.kill()
        assert storage.command(url, "query").headers["X-Goog-Upload-Size-Received"] == str(cut)
        assert made.primary() is second
        assert storage.chunk(url, content[cut:], cut, finalize=True).status_code == 200
        assert storage.download("big").content == content
        done = servers.run("verify", "--data", second.data, environment=second.environment, timeout=120)
        assert "no differences" in done.stdout, done.stdout
    finally:
        made.close()
        if moto:
            moto.close()


def test_a_frozen_home_node_writes_nothing_once_another_is_home(tmp_path, project):
    """What reaches it when it goes on is refused, or passed on to the new one, and it ends."""
    made = take_over(tmp_path)
    primary, second, other = made.nodes
    try:
        bucket(other, project).blob("kept").upload_from_string(b"bytes")
        primary.process.send_signal(signal.SIGSTOP)
        servers.wait_for(lambda: made.primary() is second, "another primary")
        bucket(other, project).blob("newer").upload_from_string(b"newer")
        primary.process.send_signal(signal.SIGCONT)
        target = f"{primary.url}/upload/storage/v1/b/{project}.appspot.com/o?uploadType=media&name=newer"
        try:
            answer = requests.post(target, data=b"late", headers=dict(rpc.OWNER), timeout=60)
            assert answer.status_code == 200 or answer.status_code >= 500, answer.text
            # The new primary may have taken a request whose response was lost with the old one.
            possible = [b"late"] if answer.status_code == 200 else [b"late", b"newer"]
        except requests.ConnectionError:
            possible = [b"late", b"newer"]
        servers.wait_for(lambda: not primary.is_running, "the end of the old primary")
        assert bucket(second, project).blob("newer").download_as_bytes() in possible
    finally:
        made.close()


def test_a_node_without_the_files_does_not_become_home(tmp_path, project):
    """Of files it waits for the one that has them; documents are served meanwhile."""
    made = take_over(tmp_path, shares_files=False)
    primary, second, other = made.nodes
    try:
        data = bytes(range(256)) * 20_000
        bucket(other, project).blob("kept").upload_from_string(data)
        primary.kill()
        servers.wait_for(lambda: "can't become the primary" in second.output, "the second node's look")
        client = clients.connect(other, project)
        client.document("shops/one").set({"n": 1})
        client.close()
        gone = requests.get(f"{other.url}/v0/b/{project}.appspot.com/o/kept?alt=media", headers=dict(rpc.OWNER), timeout=60)
        assert gone.status_code == 503, gone.text
        second.kill()
        second.lines.clear()
        second.start()
        servers.wait_for(lambda: "can't become the primary" in second.output, "the look of the second node that was started again")
        primary.start()
        servers.wait_for(lambda: made.primary() is primary, "the primary")
        assert bucket(second, project).blob("kept").download_as_bytes() == data
        for node in (primary, second):
            node.kill()
        second.environment["BRASA_PRIMARY_WITHOUT_FILES"] = "true"
        second.start()
        servers.wait_for(lambda: made.primary() is second, "the node that may do without")
        assert bucket(second, project).blob("kept").exists()
        answer = requests.get(f"{second.url}/v0/b/{project}.appspot.com/o/kept?alt=media", headers=dict(rpc.OWNER), timeout=60)
        assert answer.status_code >= 400
    finally:
        made.close()
