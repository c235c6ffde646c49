"""From a send to what arrives at a browser's push service and at Apple's, and what their answers make of it."""

import pytest
import requests

from firebase_admin import messaging

from support import push, server as servers
from support.messaging import development_app

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(not push.PROGRAM.exists(), reason=f"{push.PROGRAM} is not built"),
]

OWNER = {"authorization": "Bearer owner"}


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return push.AppleKey(tmp_path_factory.mktemp("apple"))


@pytest.fixture(scope="module")
def apple(key):
    with push.APNs(key) as stand_in:
        yield stand_in


@pytest.fixture(scope="module")
def sandbox(key):
    with push.APNs(key) as stand_in:
        yield stand_in


@pytest.fixture(scope="module")
def pushing(tmp_path_factory, push_service, apple, sandbox):
    running = push.Server(tmp_path_factory.mktemp("pushing"), push_service, apple, sandbox)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def subscription(push_service, project):
    return push.Subscription(push_service, project)


def arrived(service, subscription, count=1):
    def found():
        pushes = [p for p in service.pushes if p.path == subscription.path]
        return pushes if len(pushes) >= count else None

    return servers.wait_for(found, f"{count} messages", 20)


def test_the_admin_sdk_reaches_a_browser_and_a_phone(pushing, push_service, subscription, apple, key, project):
    keep(pushing, project, key)
    tokens = [
        push.register(pushing, project, web=subscription.form),
        push.register(pushing, project, ios=apns_form(key, device(7))),
    ]
    with development_app(pushing, project) as app:
        answer = messaging.send_each_for_multicast(
            messaging.MulticastMessage(tokens, notification=messaging.Notification("New order", "Table 4")), app=app
        )
    assert [r.success for r in answer.responses] == [True, True]
    names = [r.message_id.rsplit("/", 1)[1] for r in answer.responses]
    assert arrived(push_service, subscription)[0].payload(subscription)["fcmMessageId"] == names[0]
    arrival = at_apple(apple, device(7))[0]
    assert arrival["body"]["gcm.message_id"] == names[1]
    assert arrival["body"]["aps"]["alert"] == {"title": "New order", "body": "Table 4"}


def test_a_message_is_encrypted_for_its_browser(pushing, push_service, subscription, project):
    token = push.register(pushing, project, web=subscription.form)
    name = pushing.send(
        project, token=token, notification={"title": "New order", "body": "Table 4"}, data={"order": "4"},
        webpush={"headers": {"TTL": "60", "Urgency": "low"}, "fcm_options": {"link": "https://shop.example/4"}},
    )
    arrival = arrived(push_service, subscription)[0]
    payload = arrival.payload(subscription)
    assert payload["fcmMessageId"] == name
    assert payload["data"] == {"order": "4"}
    assert payload["notification"]["title"] == "New order"
    assert payload["fcmOptions"]["link"] == "https://shop.example/4"
    assert payload["web_push"] == 8030 and payload["notification"]["navigate"] == "https://shop.example/4"
    assert int(arrival.headers["ttl"]) <= 60 and arrival.headers["urgency"] == "low"


def test_one_key_signs_for_a_project_and_pages_learn_it(pushing, push_service, subscription, project):
    key = requests.get(f"{pushing.url}/v1/projects/{project}/registrations:vapidKey?key=key", timeout=20).json()["publicKey"]
    token = push.register(pushing, project, web={**subscription.form, "applicationPubKey": key})
    for text in ("1", "2"):
        pushing.send(project, token=token, data={"text": text})
    pushes = arrived(push_service, subscription, 2)
    assert {p.headers["authorization"].rpartition("k=")[2] for p in pushes} == {key}
    assert sorted(p.payload(subscription)["data"]["text"] for p in pushes) == ["1", "2"]


def test_a_subscription_that_ended_ends_the_registration(pushing, push_service, subscription, project):
    token = push.register(pushing, project, web=subscription.form)
    push_service.answers[subscription.path] = [(410, {})]
    pushing.send(project, token=token, data={"text": "1"})

    def is_gone():
        answer = requests.post(
            f"{pushing.url}/v1/projects/{project}/messages:send", headers=OWNER,
            json={"message": {"token": token, "data": {"text": "2"}}}, timeout=20,
        )
        return answer.status_code == 404 and answer.json()["error"]["details"][0]["errorCode"] == "UNREGISTERED"

    assert servers.wait_for(is_gone, "the end of the registration", 20)


def test_a_service_that_can_not_is_asked_again(pushing, push_service, subscription, project):
    token = push.register(pushing, project, web=subscription.form)
    push_service.answers[subscription.path] = [(500, {}), (429, {"retry-after": "1"})]
    name = pushing.send(project, token=token, data={"text": "1"})
    assert arrived(push_service, subscription)[0].payload(subscription)["fcmMessageId"] == name


@pytest.mark.parametrize("endpoint", [
    "https://127.0.0.1:{port}/up", "http://localhost/up", "https://localhost/up", "https://example.com/up",
])
def test_hosts_that_nobody_allowed_are_not_asked(pushing, push_service, subscription, project, endpoint):
    before = len(push_service.pushes)
    strange = {**subscription.form, "endpoint": endpoint.format(port=push_service.server.server_port)}
    forbidden = push.register(pushing, project, web=strange)
    allowed = push.register(pushing, project, web=subscription.form)
    refused = pushing.send(project, token=forbidden, data={"text": "no"})
    pushing.became(project, refused, {"webpush": {"refused": 1}})
    pushing.send(project, token=allowed, data={"text": "yes"})
    assert arrived(push_service, subscription)[0].payload(subscription)["data"] == {"text": "yes"}
    assert len(push_service.pushes) == before + 1


def device(number):
    return f"{number:064x}"


def keep(server, project, key):
    servers.run("messages", "credentials", "apns", "--key-id", key.id, "--team-id", key.team, key.file,
                "--project", project, "--data", server.data)


def apns_form(key, token, environment="PROD"):
    return {"apns_token": token, "apns_environment": environment, "bundle_id": key.bundle}


def at_apple(stand_in, token):
    return servers.wait_for(
        lambda: [p for p in stand_in.pushes if p["path"].endswith(token)], f"a message for {token}", 20
    )


def test_a_message_reaches_apple(pushing, apple, key, project):
    keep(pushing, project, key)
    token = push.register(pushing, project, ios=apns_form(key, device(1)))
    name = pushing.send(
        project, token=token, notification={"title": "New order", "body": "Table 4"}, data={"order": "4"},
        apns={"headers": {"apns-collapse-id": "orders"}, "payload": {"aps": {"sound": "default"}}},
    )
    arrival = at_apple(apple, device(1))[0]
    assert arrival["body"]["aps"]["alert"] == {"title": "New order", "body": "Table 4"}
    assert arrival["body"]["aps"]["sound"] == "default"
    assert arrival["body"]["gcm.message_id"] == name and arrival["body"]["order"] == "4"
    # The message counts for Analytics without a label too.
    assert arrival["body"]["google.c.a.e"] == "1" and "google.c.a.m_l" not in arrival["body"]
    headers = arrival["headers"]
    assert (headers["apns-topic"], headers["apns-push-type"]) == (key.bundle, "alert")
    assert (headers["apns-priority"], headers["apns-collapse-id"]) == ("10", "orders")
    pushing.became(project, name, {"apns": {"handed": 1}})


def test_data_alone_is_a_push_in_the_background(pushing, apple, key, project):
    keep(pushing, project, key)
    token = push.register(pushing, project, ios=apns_form(key, device(2)))
    pushing.send(project, token=token, data={"order": "4"})
    arrival = at_apple(apple, device(2))[0]
    assert arrival["body"]["aps"] == {"content-available": 1} and "google.c.a.e" not in arrival["body"]
    assert (arrival["headers"]["apns-push-type"], arrival["headers"]["apns-priority"]) == ("background", "5")


def test_a_live_activity_is_updated_and_ends_alone(pushing, apple, key, project):
    keep(pushing, project, key)
    token = push.register(pushing, project, ios=apns_form(key, device(7)))
    content = {"aps": {"timestamp": 1, "event": "update", "content-state": {"table": 4}}}
    activity = {"live_activity_token": device(8), "payload": content}
    pushing.send(project, token=token, apns=activity)
    arrival = at_apple(apple, device(8))[0]
    assert arrival["body"]["aps"] == content["aps"]
    headers = arrival["headers"]
    assert headers["apns-push-type"] == "liveactivity"
    assert headers["apns-topic"] == f"{key.bundle}.push-type.liveactivity"
    apple.script(device(8), {"status": 410, "reason": "Unregistered", "timestamp": 4_000_000_000_000})
    late = pushing.send(project, token=token, apns=activity)
    pushing.became(project, late, {"apns": {"refused": 1}})
    name = pushing.send(project, token=token, data={"order": "4"})
    pushing.became(project, name, {"apns": {"handed": 1}})
    malformed = pushing.send(project, status=400, token=token, apns={**activity, "live_activity_token": "x"})
    assert malformed["details"][1]["fieldViolations"][0]["field"] == "message.apns.live_activity_token"


def test_device_tokens_of_another_service_are_taken_over(pushing, apple, key, project):
    keep(pushing, project, key)
    own = push.register(pushing, project, ios=apns_form(key, device(9)))

    def take_over(*tokens, **options):
        body = {"application": key.bundle, "sandbox": False, "apns_tokens": tokens, **options}
        answer = requests.post(
            f"{pushing.url}/iid/v1:batchImport", json=body, headers={**OWNER, "x-goog-user-project": project}, timeout=30
        )
        return answer.status_code, answer.json()

    status, answer = take_over(device(10), device(9), "short", device(11))
    first, *others = answer["results"]
    assert status == 200 and first["apns_token"] == device(10) and first["status"] == "OK"
    assert [other["status"] for other in others] == ["ALREADY_REGISTERED", "INVALID_ARGUMENT", "OK"]
    pushing.send(project, token=first["registration_token"], data={"order": "4"})
    assert at_apple(apple, device(10))
    # Once more, which gives a new token; then the app itself comes.
    again = take_over(device(10))[1]["results"][0]["registration_token"]
    pushing.send(project, status=404, token=first["registration_token"], data={"order": "4"})
    pushing.send(project, token=again, data={"order": "4"})
    push.register(pushing, project, ios=apns_form(key, device(10)))
    pushing.send(project, status=404, token=again, data={"order": "4"})
    pushing.send(project, token=own, data={"order": "4"})
    assert take_over()[0] == take_over(*[device(1)] * 101)[0] == take_over(device(1), application="")[0] == 400


def test_a_token_of_the_other_environment_is_found(pushing, apple, sandbox, key, project):
    keep(pushing, project, key)
    apple.forget(device(3))
    token = push.register(pushing, project, ios=apns_form(key, device(3)))
    pushing.send(project, token=token, data={"order": "4"})
    assert at_apple(sandbox, device(3))


def test_a_token_that_ended_after_the_registration_ends_it(pushing, apple, key, project):
    keep(pushing, project, key)
    token = push.register(pushing, project, ios=apns_form(key, device(4)))
    apple.script(device(4), {"status": 410, "reason": "Unregistered", "timestamp": 1_000})
    old = pushing.send(project, token=token, data={"order": "4"})
    pushing.became(project, old, {"apns": {"refused": 1}})
    apple.script(device(4), {"status": 410, "reason": "Unregistered", "timestamp": 4_000_000_000_000})
    new = pushing.send(project, token=token, data={"order": "4"})
    pushing.became(project, new, {"apns": {"gone": 1}})
    assert pushing.send(project, status=404, token=token, data={"order": "5"})["status"] == "NOT_FOUND"


@pytest.mark.parametrize("fault", ["cut", "goaway", {"status": 503, "reason": "Shutdown", "retryAfter": 1}])
def test_apple_is_asked_again(pushing, apple, key, project, fault):
    keep(pushing, project, key)
    token = push.register(pushing, project, ios=apns_form(key, device(5)))
    before = len([p for p in apple.pushes if p["path"].endswith(device(5))])
    apple.script(device(5), fault)
    name = pushing.send(project, token=token, data={"order": "4"})
    pushing.became(project, name, {"apns": {"handed": 1}})
    assert len([p for p in apple.pushes if p["path"].endswith(device(5))]) == before + 1


def test_without_a_key_the_registration_stays(pushing, apple, key, project):
    token = push.register(pushing, project, ios=apns_form(key, device(6)))
    refusal = pushing.send(project, status=401, token=token, data={"order": "4"})
    assert refusal["details"][0]["errorCode"] == "THIRD_PARTY_AUTH_ERROR"
    keep(pushing, project, key)
    name = pushing.send(project, token=token, data={"order": "4"})
    assert [push["body"]["gcm.message_id"] for push in at_apple(apple, device(6))] == [name]


@pytest.fixture
def another_apple(key):
    with push.APNs(key) as stand_in:
        yield stand_in


def test_every_accepted_message_reaches_apple_after_kills(tmp_path, push_service, another_apple, key):
    server = push.Server(tmp_path, push_service, another_apple, another_apple)
    server.start()
    keep(server, "shop", key)
    devices = [device(number) for number in range(20, 25)]
    tokens = [push.register(server, "shop", ios=apns_form(key, each)) for each in devices]
    with development_app(server, "shop") as app:
        messaging.subscribe_to_topic(tokens, "all", app=app)
    accepted, topics = set(), []
    for _ in range(3):
        for number in range(15):
            name = server.send("shop", token=tokens[number % 5], data={"n": str(number)})
            accepted.add((devices[number % 5], name))
            if number % 3 == 0:
                topics.append(server.send("shop", topic="all", data={"n": str(number)}))
                accepted |= {(each, topics[-1]) for each in devices}
        server.kill()
        server.start()

    def arrived_all():
        return accepted <= {(p["path"][-64:], p["body"]["gcm.message_id"]) for p in another_apple.pushes}

    servers.wait_for(arrived_all, f"{len(accepted)} messages", 30)
    for name in topics:
        server.became("shop", name, {"apns": {"handed": 5}})
    assert server.stop() == 0
    found = servers.run("verify", "--data", server.data)
    assert "no differences" in found.stdout + found.stderr
