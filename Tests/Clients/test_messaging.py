"""Messages by Firebase's Admin SDK and the legacy form, to apps that connect."""

import datetime
import itertools
import subprocess
import sys
import threading

import pytest
import requests
from firebase_admin import exceptions, messaging

from support import secrets, server as servers, shim
from support.certificates import certificate_for
from support.identity import GOOGLE_HOSTS
from support.messaging import HOSTS, Device, Reports, development_app, production_app, wait_until_nobody_listens
from support.tokens import unsigned

pytestmark = pytest.mark.brasa_only

WEB = {
    "endpoint": "https://push.example/1", "auth": "AAAAAAAAAAAAAAAAAAAAAA",
    "p256dh": "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
}
IOS = {"apns_token": "ab" * 32, "apns_environment": "SANDBOX", "bundle_id": "br.shop"}
# Four weeks, the most and what messages have that say nothing.
MAXIMUM_TTL = 2_419_200


class Deployment:
    def __init__(self, server, project, app, token):
        self.server, self.project, self.app = server, project, app
        self.reports = Reports(server, project, token)

    def device(self, **options):
        return Device(self.server, self.project, **options)

    def send(self, **message):
        return messaging.send(messaging.Message(**message), app=self.app)


@pytest.fixture(scope="module")
def production(tmp_path_factory):
    directory = tmp_path_factory.mktemp("messaging")
    certificate_for(["localhost", *GOOGLE_HOSTS, *HOSTS], directory)
    server = servers.Brasa.production(
        directory / "data", directory, "--origin", "https://localhost:8443",
        environment={"BRASA_PROJECT": servers.PROJECT},
    ).start()
    key_file = directory / "key.json"
    servers.run(
        "keys", "create", "backend", "--role", "admin", "--project", servers.PROJECT, "--out", key_file,
        "--origin", "https://oauth2.googleapis.com", "--data", server.data,
    )
    secrets.note_file(key_file)
    with production_app(server, key_file, directory / "authority.pem") as app:
        yield Deployment(server, servers.PROJECT, app, server.administrator_key)
    assert server.stop() == 0, server.output[-4000:]


@pytest.fixture
def development(server, project):
    with development_app(server, project) as app:
        yield Deployment(server, project, app, "owner")


@pytest.fixture(params=["development", "production"])
def deployment(request):
    return request.getfixturevalue(request.param)


def short(name):
    return name.rsplit("/", 1)[1]


def test_a_message_reaches_the_app_and_is_acknowledged(deployment):
    device = deployment.device().register()
    with device.connect() as stream:
        name = deployment.send(
            token=device.token, data={"product": "42"},
            notification=messaging.Notification("Order", "It left", image="https://x.example/a.png"),
        )
        assert name.startswith(f"projects/{deployment.project}/messages/0:")
        line = stream.line()
        assert line["messageId"] == short(name)
        message = line["message"]
        assert message["fcmMessageId"] == short(name) and message["from"] == deployment.project
        assert message["data"] == {"product": "42"}
        assert message["notification"] == {
            "title": "Order", "body": "It left", "image": "https://x.example/a.png"
        }
        assert 2_419_000 < line["timeToLive"] <= 2_419_200
        deployment.reports.wait(name, {"direct": {"handed": 1}})
        device.acknowledge(line["sequence"])
    assert deployment.reports.counts(name) == {"direct": {"acknowledged": 1}}
    device.acknowledge(opened=[short(name)])
    assert deployment.reports.counts(name) == {"direct": {"opened": 1}}
    device.acknowledge(received=[short(name)])
    assert deployment.reports.counts(name) == {"direct": {"opened": 1}}


@pytest.mark.parametrize("kept", [False, True])
def test_messages_wait_and_are_repeated_until_acknowledged(deployment, kept):
    device = deployment.device().register()
    names = [deployment.send(token=device.token, data={"n": str(n)}) for n in range(40)]
    with device.connect(kept=kept) as stream:
        lines = stream.messages(40)
    assert [line["messageId"] for line in lines] == [short(name) for name in names]
    with device.connect(lines[9]["sequence"], kept=kept) as stream:
        again = stream.messages(30)
        names.append(deployment.send(token=device.token, data={"n": "40"}))
        assert stream.line()["messageId"] == short(names[40])
    # What is left to live is told in whole seconds, and goes on falling.
    for line in (*lines, *again):
        assert 0 < line.pop("timeToLive") <= MAXIMUM_TTL
    assert again == lines[10:]
    assert deployment.reports.counts(names[9]) == {"direct": {"acknowledged": 1}}
    deployment.reports.wait(names[10], {"direct": {"handed": 1}})


def test_many_at_once(deployment):
    devices = [deployment.device().register() for _ in range(3)]
    tokens = [device.token for device in devices]
    sent = messaging.send_each(
        [messaging.Message(token=token, data={"n": str(n)}) for n in range(20) for token in tokens]
        + [messaging.Message(token="unknown:token")], app=deployment.app,
    )
    assert (sent.success_count, sent.failure_count) == (60, 1)
    assert isinstance(sent.responses[60].exception, messaging.UnregisteredError)
    assert len({one.message_id for one in sent.responses[:60]}) == 60
    several = messaging.send_each_for_multicast(
        messaging.MulticastMessage(tokens=tokens, notification=messaging.Notification("Hi")), app=deployment.app
    )
    assert several.success_count == 3
    with devices[1].connect() as stream:
        assert {line["messageId"] for line in stream.messages(21)} == {
            short(one.message_id) for one in (*sent.responses[1:60:3], several.responses[1])
        }


def test_a_dry_run_stores_nothing(deployment):
    device = deployment.device().register()
    message = messaging.Message(token=device.token, data={"n": "1"})
    assert short(messaging.send(message, dry_run=True, app=deployment.app)) == "fake_message_id"
    with pytest.raises(messaging.UnregisteredError):
        messaging.send(messaging.Message(token="unknown:token"), dry_run=True, app=deployment.app)
    name = messaging.send(message, app=deployment.app)
    with device.connect() as stream:
        assert stream.line()["messageId"] == short(name)


def test_topics_and_conditions(deployment):
    devices = [deployment.device().register() for _ in range(4)]
    tokens = [device.token for device in devices]
    made = messaging.subscribe_to_topic([*tokens[:3], "unknown:token"], "a", app=deployment.app)
    assert (made.success_count, made.failure_count) == (3, 1) and made.errors[0].index == 3
    messaging.subscribe_to_topic(tokens[:2], "/topics/b", app=deployment.app)
    messaging.subscribe_to_topic(tokens[:2], "b", app=deployment.app)
    cases = [
        ({"topic": "a"}, {0, 1, 2}),
        ({"condition": "'a' in topics && !('b' in topics)"}, {2}),
        ({"condition": "'a' in topics && 'b' in topics"}, {0, 1}),
        ({"condition": "'b' in topics || 'c' in topics"}, {0, 1}),
        ({"topic": "nobody"}, set()),
    ]
    names = [deployment.send(data={"n": str(n)}, **target) for n, (target, _) in enumerate(cases)]
    for name, (_, expected) in zip(names, cases):
        deployment.reports.wait(name, {"direct": {"waiting": len(expected)}} if expected else {})
    late = messaging.subscribe_to_topic(tokens[3], "a", app=deployment.app)
    assert late.success_count == 1
    for index, device in enumerate(devices):
        own = [(short(name), target) for name, (target, to) in zip(names, cases) if index in to]
        with device.connect() as stream:
            for name, target in own:
                line = stream.line()
                sender = f"/topics/{target['topic']}" if "topic" in target else deployment.project
                assert (line["messageId"], line["message"]["from"]) == (name, sender)
    ended = messaging.unsubscribe_from_topic(tokens[1:], "a", app=deployment.app)
    assert ended.success_count == 3
    name = deployment.send(topic="a", data={})
    deployment.reports.wait(name, {"direct": {"waiting": 1}})


def test_every_kind_of_error(deployment):
    def refused(kind, match=None, **message):
        with pytest.raises(kind, match=match) as error:
            deployment.send(**message)
        return error.value

    device = deployment.device().register()
    refused(messaging.UnregisteredError, "not found", token="cAAA:BBBB")
    refused(exceptions.InvalidArgumentError, "not a valid FCM registration token", token="nothing")
    refused(exceptions.InvalidArgumentError, "Invalid condition expression provided", condition="'a' in")
    refused(exceptions.InvalidArgumentError, "Invalid data payload key", token=device.token, data={"from": "x"})
    refused(exceptions.InvalidArgumentError, "Invalid data payload key", token=device.token, data={"gcm.x": "x"})
    refused(exceptions.InvalidArgumentError, "too large", token=device.token, data={"x": "y" * 4_096})
    deployment.send(token=device.token, data={"x": "y" * 4_095})
    # A browser's push service takes less, which is told where the message is for it alone.
    page = deployment.device(app_id="1:42:web:ab").register({"web": WEB})
    refused(exceptions.InvalidArgumentError, "accepts 3993", token=page.token, data={"x": "y" * 4_000})
    deployment.send(topic="nobody", data={"x": "y" * 4_000})
    ios = deployment.device(app_id="1:42:ios:ab").register({"ios": IOS})
    error = refused(messaging.ThirdPartyAuthError, "APNs key", token=ios.token)
    assert error.http_response.status_code == 401
    device.send("DELETE", f"registrations/{device.token}")
    refused(messaging.UnregisteredError, token=device.token)


def test_another_projects_token_is_a_mismatch(development, server):
    stranger = Device(server, development.project + "-other").register()
    with pytest.raises(messaging.SenderIdMismatchError):
        development.send(token=stranger.token)


@pytest.mark.parametrize(
    "message, field",
    [
        ({"data": {"a": 1}}, "message.data[0].value"), ({"unknown": 1}, "message"),
        ({"topic": "a b"}, "message"), ({"condition": "a in topics"}, "message"), ({}, "message"),
        ({"topic": "a", "token": "b:c"}, "message.topic"),
        ({"topic": "a", "android": {"ttl": "9"}}, "message.android.ttl"),
        ({"topic": "a", "android": {"ttl": "2419201s"}}, "message.android.ttl"),
        ({"topic": "a", "android": {"priority": "urgent"}}, "message.android.priority"),
        ({"topic": "a", "android": {"notification": {"color": "red"}}}, "message.android.notification.color"),
        ({"topic": "a", "apns": {"headers": {"apns-priority": "7"}}}, "message.apns.headers"),
        ({"topic": "a", "apns": {"payload": {"aps": 1}}}, "message.apns.payload.aps"),
        ({"topic": "a", "webpush": {"headers": {"TTL": "-1"}}}, "message.webpush.headers.TTL"),
        ({"topic": "a", "webpush": {"headers": {"Urgency": "now"}}}, "message.webpush.headers.Urgency"),
        ({"topic": "a", "webpush": {"fcmOptions": {"link": "http://x"}}}, "message.webpush.fcm_options.link"),
        ({"topic": "a", "fcm_options": {"analytics_label": "a b"}}, "message.fcm_options.analytics_label"),
    ],
)
def test_wrong_fields_are_named(server, project, message, field):
    answer = requests.post(
        f"{server.url}/v1/projects/{project}/messages:send", json={"message": message},
        headers={"Authorization": "Bearer owner"}, timeout=30,
    )
    error = answer.json()["error"]
    assert (answer.status_code, error["status"]) == (400, "INVALID_ARGUMENT")
    assert error["details"][0] == {
        "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": "INVALID_ARGUMENT"
    }
    assert error["details"][1]["fieldViolations"] == [{"field": field, "description": error["message"]}]


def test_only_back_ends_send(production):
    url = f"{production.server.url}/v1/projects/{production.project}/messages:send"
    body = {"message": {"topic": "a"}}
    for authorization in (None, "Bearer owner", "Bearer x", "key=x"):
        headers = {"Authorization": authorization} if authorization else {}
        answer = requests.post(
            url, json=body, headers=headers, verify=production.server.authority, timeout=30
        )
        assert answer.status_code in (401, 403), f"{authorization}: {answer.status_code}"


def test_collapsed_expired_and_dropped_messages(development):
    device = development.device().register()

    def send(key=None, ttl=None):
        config = messaging.AndroidConfig(collapse_key=key, ttl=ttl, priority="high")
        return development.send(token=device.token, data={}, android=config)

    first, second, other = send("k"), send("k"), send("l")
    never = send(ttl=datetime.timedelta(0))
    assert development.reports.counts(first) == {"direct": {"collapsed": 1}}
    assert development.reports.counts(never) == {"direct": {"expired": 1}}
    with device.connect() as stream:
        assert "deleted" not in stream.connected
        lines = stream.messages(2)
        assert [line["messageId"] for line in lines] == [short(second), short(other)]
        assert lines[0]["message"]["collapse_key"] == "k" and lines[0]["message"]["priority"] == "high"
        now = send(ttl=datetime.timedelta(0))
        line = stream.line()
        assert (line["messageId"], line["timeToLive"]) == (short(now), 0)
        device.acknowledge(line["sequence"])
    wait_until_nobody_listens(development.server)
    names = [send() for _ in range(101)]
    assert development.reports.deliveries(names[0])[0]["reason"] == "mailbox-full"
    with device.connect() as stream:
        assert stream.connected["deleted"] is True
        assert [line["messageId"] for line in stream.messages(100)] == [short(name) for name in names[1:]]
    with device.connect() as stream:
        assert "deleted" not in stream.connected


def test_a_registration_is_one_of_an_installation_and_app(development):
    device = development.device().register()
    old = device.token
    messaging.subscribe_to_topic(old, "kept", app=development.app)
    device.register()
    assert device.token != old
    with pytest.raises(messaging.UnregisteredError):
        development.send(token=old)
    development.reports.wait(development.send(topic="kept"), {"direct": {"waiting": 1}})
    web = development.device(app_id="1:42:web:ab").register({"web": WEB})
    again = development.device(app_id="1:42:web:ab").register({"web": WEB})
    with pytest.raises(messaging.UnregisteredError):
        development.send(token=web.token)
    assert development.send(token=again.token)
    renewed = again.send("PATCH", f"registrations/{again.token}", {"web": {**WEB, "endpoint": "https://push.example/2"}})
    assert renewed.status_code == 200 and renewed.json()["token"] == again.token


def test_a_registration_is_changed_by_its_own_app(development):
    device = development.device().register()
    proof = {"Authorization": f"FIS_v2 {device.refresh}"}
    made = device.post("installations", {"fid": device.fid, "appId": "1:42:web:cd"}, headers=proof).json()
    assert made["fid"] == device.fid
    other = {"x-goog-firebase-installations-auth": made["authToken"]["token"]}
    path = f"registrations/{device.token}"
    assert device.send("PATCH", path, {"direct": {}}, headers=other).status_code == 404
    assert device.send("PATCH", path, {"direct": {}}).status_code == 200


def test_the_end_of_an_installation_is_its_registrations_end(development):
    device, other = development.device().register(), development.device().register()
    with device.connect() as stream:
        proof = {"Authorization": f"FIS_v2 {device.refresh}"}
        stranger = {"Authorization": f"FIS_v2 {other.refresh}"}
        assert device.send("DELETE", f"installations/{device.fid}", headers=stranger).status_code == 401
        assert development.send(token=device.token)
        assert device.send("DELETE", f"installations/{device.fid}", headers=proof).status_code == 200
        with pytest.raises(EOFError):
            stream.messages(2)
    with pytest.raises(messaging.UnregisteredError):
        development.send(token=device.token)
    assert development.send(token=other.token)


@pytest.mark.parametrize("kept", [False, True])
def test_a_sequence_that_was_never_given_out_acknowledges_nothing(development, kept):
    device = development.device().register()
    name = development.send(token=device.token)
    device.acknowledge(17)
    with device.connect(17, kept=kept) as stream:
        assert stream.connected["acknowledged"] == "0"
        line = stream.line()
    assert line["messageId"] == short(name)
    with device.connect(line["sequence"], kept=kept) as stream:
        assert stream.connected["acknowledged"] == line["sequence"]
    development.reports.wait(name, {"direct": {"acknowledged": 1}})


def test_an_apps_requests_need_its_own_token(development):
    device, other = development.device().register(), development.device().register()
    assert other.post("registrations:connect", {"token": device.token}).status_code == 401
    assert other.post("registrations:acknowledge", {"token": device.token}).status_code == 401
    assert other.send("DELETE", f"registrations/{device.token}").status_code == 404
    without = {"x-goog-firebase-installations-auth": device.auth[:-4] + "AAAA"}
    assert device.post("registrations", {"direct": {}}, headers=without).status_code == 401
    assert device.post("registrations", {"web": {**WEB, "auth": "x"}}).status_code == 400
    assert device.post("registrations", {"ios": {}}).status_code == 400
    path = f"registrations/{device.token}/topicSubscriptions/news"
    assert device.post(path + ":subscribe", {}).json() == {}
    development.reports.wait(development.send(topic="news"), {"direct": {"waiting": 1}})
    assert other.post(path + ":subscribe", {}).status_code == 404
    assert device.post(path + ":unsubscribe", {}).json() == {}


def test_an_installation_may_be_named_by_its_id(development):
    device = development.device().register()
    name = development.send(fid=device.fid)
    with device.connect() as stream:
        assert stream.line()["messageId"] == short(name)
    with pytest.raises(messaging.UnregisteredError):
        development.send(fid="c" * 22)
    made = messaging.subscribe_to_topic([device.fid, "c" * 22], "f", app=development.app)
    assert (made.success_count, made.failure_count) == (1, 1)


def test_a_users_registrations(development):
    devices = [development.device() for _ in range(3)]
    token = unsigned(development.project, "ana")
    for device in devices[:2]:
        device.register(headers={"Authorization": f"Bearer {token}"})
    devices[2].register(headers={"Authorization": f"Bearer {unsigned('another', 'ana')}"})

    def send():
        answer = development.reports.session.post(
            f"{development.reports.root}:sendToUser", json={"uid": "ana", "message": {"data": {"k": "v"}}}, timeout=30
        )
        return answer.status_code, answer.json()

    status, sent = send()
    assert status == 200 and development.reports.counts(sent["name"]) == {"direct": {"waiting": 2}}
    devices[0].send("PATCH", f"registrations/{devices[0].token}", {"direct": {}})
    assert development.reports.counts(send()[1]["name"]) == {"direct": {"waiting": 1}}
    devices[1].send("DELETE", f"registrations/{devices[1].token}")
    status, error = send()
    assert (status, error["error"]["details"][0]["errorCode"]) == (404, "UNREGISTERED")


def test_a_scheduled_message(development):
    device = development.device().register()

    def schedule(time):
        body = {"message": {"token": device.token}, "scheduleTime": time.isoformat().replace("+00:00", "Z")}
        return development.reports.session.post(f"{development.reports.root}:schedule", json=body, timeout=30)

    now = datetime.datetime.now(datetime.timezone.utc)
    assert schedule(now - datetime.timedelta(minutes=1)).status_code == 400
    later = schedule(now + datetime.timedelta(days=1)).json()["name"]
    soon = schedule(now + datetime.timedelta(seconds=5)).json()["name"]
    assert development.reports.get(later)["stage"] == "scheduled"
    with device.connect() as stream:
        assert stream.line()["messageId"] == short(soon)
    url = f"{development.reports.root}/{short(later)}"
    assert development.reports.session.delete(url, timeout=30).json() == {}
    assert development.reports.session.delete(url, timeout=30).status_code == 404


def test_a_stream_that_comes_and_goes_misses_nothing(development):
    device = development.device().register()
    enough = threading.Semaphore(0)
    senders = [Sender(development.server, development.project, [{"token": device.token}], enough) for _ in range(3)]
    for sender in senders:
        sender.start()
    seen, last, turn = [], 0, 0
    while len(seen) < 75:
        turn += 1
        with device.connect(last, kept=turn % 4 == 0) as stream:
            for line in stream.messages(min(1 + turn % 5, 75 - len(seen))):
                assert int(line["sequence"]) == last + 1
                last += 1
                seen.append(line["messageId"])
                if turn % 3:
                    device.acknowledge(last)
    for sender in senders:
        sender.join(60)
    assert sorted(seen) == sorted(name for sender in senders for name, _ in sender.accepted)
    device.acknowledge(last)
    with device.connect(last) as stream:
        development.send(token=device.token)
        assert stream.line()["sequence"] == str(last + 1)


def test_a_newer_connection_ends_the_older_one(development):
    device = development.device().register()
    with device.connect() as older, device.connect() as newer:
        with pytest.raises(EOFError):
            older.line()
        name = development.send(token=device.token)
        assert newer.line()["messageId"] == short(name)


def test_the_topic_api_of_back_ends(development):
    device = development.device().register()
    root = f"{development.server.url}/iid.googleapis.com/iid"
    session = requests.Session()
    session.headers.update({"Authorization": "Bearer owner", "access_token_auth": "true"})
    body = {"to": "/topics/x", "registration_tokens": [device.token, "unknown:token", "malformed"]}
    for verb in ("batchAdd", "batchAdd", "batchRemove", "batchRemove", "batchAdd"):
        answer = session.post(f"{root}/v1:{verb}", json=body, timeout=30)
        assert answer.json() == {"results": [{}, {"error": "NOT_FOUND"}, {"error": "INVALID_ARGUMENT"}]}
    assert session.post(f"{root}/v1/{device.token}/rel/topics/y", timeout=30).json() == {}
    info = session.get(f"{root}/info/{device.token}?details=true", timeout=30).json()
    assert set(info["rel"]["topics"]) == {"x", "y"} and info["application"] == "1:42:linux:ab"
    assert info["authorizedEntity"] == development.project
    refused = session.post(f"{root}/v1:batchAdd", json={"to": "a b"}, timeout=30)
    assert refused.status_code == 400 and isinstance(refused.json()["error"], str)


def legacy(server, project, body, **options):
    return requests.post(
        f"{server.url}/fcm/send", json=body, headers={"Authorization": f"key={project}"}, timeout=30, **options
    )


def test_the_legacy_form_of_the_order_message(server, project):
    device = Device(server, project).register()
    info = {"infoReason": "ORDER_STATUS_CHANGED", "orderID": 12, "userEmail": "ana@example.com", "newOrderStatus": "PAID"}
    answer = legacy(server, project, {
        "to": device.token, "priority": "high", "content_available": True,
        "notification": {"title": "Provedor de Mensagens", "body": "Status do pedido", "orderInfo": info},
    }).json()
    assert (answer["success"], answer["failure"], answer["canonical_ids"]) == (1, 0, 0)
    with device.connect() as stream:
        line = stream.line()
    assert line["messageId"] == answer["results"][0]["message_id"]
    shown = line["message"]["notification"]
    assert shown["title"] == "Provedor de Mensagens" and shown["body"] == "Status do pedido"
    assert '"orderID":12' in shown["orderInfo"] and line["message"]["priority"] == "high"
    assert line["message"]["content_available"] is True


def test_the_legacy_form(server, project):
    device = Device(server, project).register()
    ids = [device.token, "unknown:token", "malformed"]
    answer = legacy(server, project, {"registration_ids": ids, "data": {"n": 1}}).json()
    assert (answer["success"], answer["failure"]) == (1, 2)
    assert answer["results"][1:] == [{"error": "NotRegistered"}, {"error": "InvalidRegistration"}]
    topic = legacy(server, project, {"to": "/topics/none", "data": {}}).json()
    assert isinstance(topic["message_id"], int)
    assert legacy(server, project, {"data": {}}).json() == {"error": "MissingRegistration"}
    big = legacy(server, project, {"to": device.token, "data": {"x": "y" * 5_000}}).json()
    assert big["results"] == [{"error": "MessageTooBig"}]
    trial = legacy(server, project, {"to": device.token, "dry_run": True}).json()
    assert trial["results"] == [{"message_id": "fake_message_id"}]
    for wrong, word in (({"time_to_live": -1}, "InvalidTtl"), ({"data": {"from": "x"}}, "InvalidDataKey")):
        refused = legacy(server, project, {"registration_ids": [device.token] * 2, **wrong})
        assert refused.status_code == 200 and refused.json()["failure"] == 2
        assert refused.json()["results"] == [{"error": word}] * 2
        assert legacy(server, project, {"to": "/topics/none", **wrong}).json() == {"error": word}
    group = legacy(server, project, {"notification_key": "k", "data": {"k": "v"}})
    assert group.status_code == 400 and "notification_key" in group.text
    # Of a client that connects no package is known.
    free = legacy(server, project, {"to": device.token, "restricted_package_name": "br.shop", "dry_run": True})
    assert free.json()["failure"] == 0
    form = requests.post(
        f"{server.url}/fcm/send", data={"registration_id": device.token, "data.k": "v"},
        headers={"Authorization": f"key={project}"}, timeout=30,
    )
    assert form.json()["success"] == 1
    with device.connect() as stream:
        assert [line["message"]["data"] for line in stream.messages(2)] == [{"n": "1"}, {"k": "v"}]
    broken = requests.post(
        f"{server.url}/fcm/send", data="{", headers={"Authorization": f"key={project}"}, timeout=30
    )
    assert broken.status_code == 400 and "JSON_PARSING_ERROR" in broken.text
    assert requests.post(f"{server.url}/fcm/send", json={}, timeout=30).status_code == 401


def test_messages_outlive_a_kill(tmp_path):
    server = servers.Brasa(tmp_path / "data").start()
    devices = [Device(server, "shop").register() for _ in range(5)]
    with development_app(server, "shop") as app:
        messaging.subscribe_to_topic([device.token for device in devices], "all", app=app)
        single = messaging.send(messaging.Message(token=devices[0].token), app=app)
        topic = messaging.send(messaging.Message(topic="all"), app=app)
    server.kill()
    server.start()
    Reports(server, "shop").wait(topic, {"direct": {"waiting": 5}})
    for device in devices:
        device.url = server.url
        expected = [short(single)] * (device is devices[0]) + [short(topic)]
        with device.connect() as stream:
            assert [line["messageId"] for line in stream.messages(len(expected))] == expected
    assert server.stop() == 0


def test_a_kill_while_a_topic_is_gone_through_leaves_each_one_delivery(tmp_path):
    server = servers.Brasa(tmp_path / "data").start()
    devices = 400
    device = Device(server, "shop")
    tokens = []
    for number in range(devices):
        form = {"web": {**WEB, "endpoint": f"https://push.invalid/{number}"}}
        # Each is another app of the same installation.
        proof = {"Authorization": f"FIS_v2 {device.refresh}"}
        made = device.post("installations", {"fid": device.fid, "appId": f"1:42:web:{number}"}, headers=proof).json()
        auth = {"x-goog-firebase-installations-auth": made["authToken"]["token"]}
        tokens.append(device.post("registrations", form, headers=auth).json()["token"])
    with development_app(server, "shop") as app:
        messaging.subscribe_to_topic(tokens, "all", app=app)
        topics = [messaging.send(messaging.Message(topic="all"), app=app) for _ in range(24)]
    server.kill()
    server.start()
    reports = Reports(server, "shop")
    for topic in topics:
        servers.wait_for(
            lambda topic=topic: sum(reports.counts(topic).get("webpush", {}).values()) >= devices, "the topic's deliveries"
        )
        assert sum(reports.counts(topic)["webpush"].values()) == devices
    assert server.stop() == 0
    found = servers.run("verify", "--data", server.data)
    assert "no differences" in found.stdout + found.stderr


def test_a_storm_of_streams_that_come_again_misses_nothing(development):
    devices = [development.device().register() for _ in range(200)]
    messaging.subscribe_to_topic([device.token for device in devices], "storm", app=development.app)
    last = {device.fid: "0" for device in devices}
    for _ in range(3):
        streams = [device.connect(last[device.fid]) for device in devices]
        name = development.send(topic="storm")
        for device, stream in zip(devices, streams):
            line = stream.line()
            assert line["messageId"] == short(name)
            last[device.fid] = line["sequence"]
        for stream in streams:
            stream.close()
    for device in devices:
        device.acknowledge(last[device.fid])
    assert development.reports.counts(name) == {"direct": {"acknowledged": 200}}


P8 = "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"


def test_the_commands(tmp_path):
    # No test talks to Apple.
    server = servers.Brasa(
        tmp_path / "data", environment={"BRASA_APNS_SANDBOX": "https://127.0.0.1:9"}
    ).start()
    device = Device(server, "shop").register()

    def brasa(*arguments, **options):
        return servers.run("messages", *arguments, "--project", "shop", "--data", server.data, **options)

    sent = brasa("send", f'{{"token": "{device.token}", "notification": {{"title": "Hi"}}}}')
    name = sent.stderr.split()[-1]
    assert sent.stderr.startswith("accepted 0:")
    assert f"{name}  " in brasa("list").stdout and "1 waiting" in brasa("list").stdout
    assert "direct  waiting" in brasa("show", name).stdout
    with device.connect() as stream:
        assert stream.line()["messageId"] == name
    assert "the message is valid" in brasa("send", "--validate", '{"topic": "a"}').stderr
    assert brasa("send", '{"topic": "a b"}', check=False).returncode != 0
    device.post(f"registrations/{device.token}/topicSubscriptions/news:subscribe", {})
    assert brasa("topics").stdout.split() == ["news", "1"]
    key_file = tmp_path / "key.p8"
    subprocess.run([*P8.split(), "-out", str(key_file)], check=True, capture_output=True)
    for line in key_file.read_text().splitlines()[1:-1]:
        secrets.note(line, "APNs key")
    brasa("credentials", "apns", key_file, "--key-id", "ABC1234567", "--team-id", "DEF1234567")
    ios = Device(server, "shop", app_id="1:42:ios:ab").register({"ios": IOS})
    assert brasa("send", f'{{"token": "{ios.token}"}}').stderr.startswith("accepted")
    refused = brasa("credentials", "apns", key_file, "--key-id", "x", "--team-id", "DEF1234567", check=False)
    assert refused.returncode != 0 and "ten letters" in refused.stderr
    public = brasa("credentials", "vapid", "--subject", "mailto:ana@example.com").stdout.strip()
    assert device.send("GET", "registrations:vapidKey").json() == {"publicKey": public}
    listed = brasa("credentials").stdout
    assert "ABC1234567" in listed and public in listed and "PRIVATE" not in listed
    brasa("credentials", "remove-apns")
    assert "ABC1234567" not in brasa("credentials").stdout
    found = servers.run("verify", "--data", server.data)
    assert "no differences" in found.stdout + found.stderr
    server.stop()
    assert brasa("send", '{"topic": "news"}').stderr.startswith("accepted")
    server.start()
    device.url = server.url
    device.acknowledge(1)
    with device.connect() as stream:
        assert stream.line()["message"]["from"] == "/topics/news"
    assert server.stop() == 0


def test_server_keys(production):
    server = production.server

    def brasa(*arguments, **options):
        return servers.run("messages", "keys", *arguments, "--project", production.project, "--data", server.data, **options)

    def send(key):
        return requests.post(
            f"{server.url}/fcm/send", json={"to": device.token, "data": {}}, timeout=30,
            headers={"Authorization": f"key={key}"}, verify=server.authority,
        )

    device = production.device().register()
    key = secrets.note(brasa("create", "back-end").stdout.strip(), "server key")
    assert brasa("create", "back-end", check=False).returncode != 0
    assert key not in brasa("list").stdout and "back-end" in brasa("list").stdout
    assert send(key).json()["success"] == 1
    assert send(production.project).status_code == 401
    url = f"{server.url}/v1/projects/{production.project}/messages"
    answer = requests.get(url, headers={"Authorization": f"key={key}"}, verify=server.authority, timeout=30)
    assert answer.status_code == 401
    brasa("revoke", "back-end")
    assert send(key).status_code == 401


def test_the_metrics(development):
    device = development.device().register()
    name = development.send(token=device.token)
    device.acknowledge(received=[short(name)])
    page = requests.get(f"{development.server.url}/metrics", timeout=30).text
    for figure in ("messaging_accepted_total", "messaging_direct_acknowledged_total", "messaging_streams",
                   "messaging_reason_mailbox_full_total"):
        assert figure in page
    assert device.token not in page


def test_apples_clients_register(development):
    device = development.device(app_id="1:42:ios:ab")
    root, session = development.server.url, device.session
    checked = session.post(
        f"{root}/device-provisioning.googleapis.com/checkin", json={"checkin": {"type": 2}}, timeout=30
    ).json()
    assert checked["android_id"] > 0 and checked["security_token"] > 0 and checked["version_info"]
    headers = {
        "Authorization": f"AidLogin {checked['android_id']}:{checked['security_token']}",
        "x-goog-firebase-installations-auth": device.auth, "app": "br.shop",
    }
    form = {
        "app": "br.shop", "apns_token": "s_" + "ab" * 32, "sender": "42", "X-subtype": "42",
        "X-scope": "*", "appid": device.fid, "app_ver": "1.0", "gmp_app_id": "1:42:ios:ab",
    }

    def post(path, data, **more):
        answer = session.post(f"{root}/{path}", data=data, headers={**headers, **more}, timeout=30)
        assert answer.status_code == 200
        return answer.text

    text = post("fcmtoken.googleapis.com/register", form)
    assert text.startswith(f"token={device.fid}:") and text.count("=") == 1 and "\n" not in text
    token = secrets.note(text.removeprefix("token="), "registration token")
    with pytest.raises(messaging.ThirdPartyAuthError):
        development.send(token=token)
    topic = {"sender": token, "X-gcm.topic": "/topics/apple", "X-scope": "/topics/apple", "app": "br.shop"}
    assert post("iid.googleapis.com/iid/register", topic) == f"token={token}"
    info = requests.get(
        f"{root}/iid/info/{token}?details=true", headers={"Authorization": "Bearer owner"}, timeout=30
    ).json()
    assert info["platform"] == "IOS" and list(info["rel"]["topics"]) == ["apple"]
    assert post("iid/register", {**topic, "delete": "true"}) == f"token={token}"
    assert post("iid/register", {**topic, "sender": "x:y"}) == "Error=INVALID_TOKEN"
    wrong = {"x-goog-firebase-installations-auth": device.auth[:-4] + "AAAA"}
    assert post("register", form, **wrong) == "Error=AUTHENTICATION_FAILED"
    assert post("register", {**form, "apns_token": "x"}) == "Error=INVALID_PARAMETERS"
    for _ in range(2):
        assert post("register", {**form, "delete": "true"}).startswith("token=")
    with pytest.raises(messaging.UnregisteredError):
        development.send(token=token)


class Sender(threading.Thread):
    """Sends until the server is gone, less than a mailbox takes, and keeps what was accepted."""

    def __init__(self, server, project, targets, enough):
        super().__init__(daemon=True)
        self.url = f"{server.url}/v1/projects/{project}/messages:send"
        self.targets, self.enough, self.accepted = targets, enough, []

    def run(self):
        with requests.Session() as session:
            session.headers["Authorization"] = "Bearer owner"
            for target in itertools.islice(itertools.cycle(self.targets), 25):
                try:
                    answer = session.post(self.url, json={"message": target}, timeout=30)
                    self.accepted.append((short(answer.json()["name"]), target))
                except (requests.RequestException, ValueError):
                    return
                if len(self.accepted) == 8:
                    self.enough.release()


def test_every_accepted_message_arrives_once_after_kills(tmp_path):
    server = servers.Brasa(tmp_path / "data").start()
    devices = [Device(server, "shop").register() for _ in range(3)]
    for device in devices:
        device.post(f"registrations/{device.token}/topicSubscriptions/all:subscribe", {})
    sequences = {device.fid: 0 for device in devices}
    for _ in range(3):
        enough = threading.Semaphore(0)
        senders = [
            Sender(server, "shop", [{"token": device.token}, {"topic": "all"}], enough) for device in devices
        ]
        for sender in senders:
            sender.start()
        for _ in senders:
            assert enough.acquire(timeout=60)
        server.kill()
        for sender in senders:
            sender.join(60)
        server.start()
        accepted = [entry for sender in senders for entry in sender.accepted]
        for device in devices:
            device.url = server.url
            expected = {name for name, target in accepted if target.get("token") in (None, device.token)}
            seen = []
            with device.connect(sequences[device.fid]) as stream:
                while not expected <= set(seen):
                    line = stream.line()
                    seen.append(line["messageId"])
                    sequences[device.fid] = int(line["sequence"])
            assert len(seen) == len(set(seen))
            device.acknowledge(sequences[device.fid])
    assert server.stop() == 0
    found = servers.run("verify", "--data", server.data)
    assert "no differences" in found.stdout + found.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux")
def test_a_failing_disk_accepts_nothing_and_loses_nothing(tmp_path):
    data = tmp_path / "data"
    server = servers.Brasa(data).start()
    device = Device(server, "shop").register()
    assert server.stop() == 0
    server.process = None
    library = shim.build(tmp_path)
    failing = servers.Brasa(data, environment=shim.environment(library, data, fail_sync=60)).start()
    accepted = []
    try:
        while len(accepted) < 100:
            answer = requests.post(
                f"{failing.url}/v1/projects/shop/messages:send", json={"message": {"token": device.token}},
                headers={"Authorization": "Bearer owner"}, timeout=30,
            )
            if answer.status_code != 200:
                break
            accepted.append(short(answer.json()["name"]))
    finally:
        failing.kill()
    assert accepted
    assert answer.status_code == 503 and answer.headers["retry-after"] == "10"
    assert answer.json()["error"]["details"][0]["errorCode"] == "UNAVAILABLE"
    server = servers.Brasa(data).start()
    device.url = server.url
    with device.connect() as stream:
        assert [line["messageId"] for line in stream.messages(len(accepted))] == accepted
    assert server.stop() == 0
    found = servers.run("verify", "--data", data)
    assert "no differences" in found.stdout + found.stderr
