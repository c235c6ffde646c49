"""Brasa as the push service of RFC 8030: senders that know only a URL, for clients that connect."""

import json
import os
import time

import http_ece
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import ec
from firebase_admin import messaging
from py_vapid import Vapid02
from pywebpush import WebPusher, webpush

from support import push, server as servers
from support.messaging import Device, Reports, development_app
from support.push import encode, point

pytestmark = pytest.mark.brasa_only


class Receiver:
    """A client with a push resource, and the keys that senders encrypt for."""

    def __init__(self, server, project, name="chat", **options):
        self.device = Device(server, project).register()
        self.name = name
        self.key, self.secret = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        self.endpoint = self.make(**options)

    def make(self, **options):
        made = self.device.post(f"registrations/{self.device.token}/pushResources", {"name": self.name, **options})
        assert made.status_code == 200 and made.json()["name"] == self.name, made.text
        return made.json()["endpoint"]

    @property
    def keys(self):
        return {"p256dh": encode(point(self.key)), "auth": encode(self.secret)}

    @property
    def subscription(self):
        return {"endpoint": self.endpoint, "keys": self.keys}

    def open(self, line):
        assert line["push"]["resource"] == self.name and line["push"]["encoding"] == "aes128gcm"
        body = push.decode(line["push"]["body"])
        return http_ece.decrypt(body, private_key=self.key, auth_secret=self.secret, version="aes128gcm")


@pytest.fixture
def receiver(server, project):
    return Receiver(server, project)


def send(endpoint, body=b"", **headers):
    headers = {"TTL": "60", **({"Content-Encoding": "aes128gcm"} if body else {}), **headers}
    return requests.post(endpoint, data=body, headers=headers, timeout=30)


def test_what_pywebpush_sends_arrives(receiver):
    sent = WebPusher(receiver.subscription).send(b"hello", ttl=60, headers={"Urgency": "high", "Topic": "greeting"})
    assert sent.status_code == 201 and sent.headers["ttl"] == "60"
    message = sent.headers["location"]
    assert message.startswith(receiver.endpoint + "/")
    assert requests.get(message, timeout=30).status_code == 202
    with receiver.device.connect() as stream:
        line = stream.line()
        assert receiver.open(line) == b"hello" and 50 < line["timeToLive"] <= 60
        assert message.endswith(line["messageId"])
        # Another one comes while the client is connected, also one that is now or never.
        assert send(receiver.endpoint, TTL="0").status_code == 201
        assert stream.line()["push"]["body"] == ""
        receiver.device.acknowledge(line["sequence"])
    assert requests.get(message, timeout=30).status_code == 204
    assert requests.delete(message, timeout=30).status_code == 404


def test_messages_are_replaced_expire_and_are_taken_back(receiver):
    answers = [send(receiver.endpoint, Topic="t"), send(receiver.endpoint, Topic="t"), send(receiver.endpoint, TTL="0")]
    states = [requests.get(answer.headers["location"], timeout=30).status_code for answer in answers]
    assert states == [410, 202, 410]
    assert requests.delete(answers[1].headers["location"], timeout=30).status_code == 204
    assert requests.get(answers[1].headers["location"], timeout=30).status_code == 410
    assert send(receiver.endpoint, TTL="99999999").headers["ttl"] == "2419200"


@pytest.mark.parametrize("status, headers, body", [
    (400, {"TTL": None}, b""), (400, {"TTL": "soon"}, b""), (400, {"TTL": "-1"}, b""),
    (400, {"Urgency": "now"}, b""), (400, {"Topic": "x" * 33}, b""), (400, {"Topic": "a b"}, b""),
    (400, {"Content-Encoding": "aesgcm"}, b"x"), (413, {}, b"x" * 4_097), (201, {}, b"x" * 4_096),
])
def test_requests_are_checked(receiver, status, headers, body):
    assert send(receiver.endpoint, body, **headers).status_code == status


def test_nobody_finds_a_resource_that_ended(server, project, receiver):
    device, first = receiver.device, receiver.endpoint
    second = receiver.make()
    assert send(first).status_code == 404 and send(second).status_code == 201
    assert len(second.rsplit("/", 1)[1]) * 6 >= 160
    path = f"registrations/{device.token}/pushResources"
    stranger = Device(server, project)
    assert stranger.send("DELETE", f"{path}/chat").status_code == 404
    assert stranger.post(path, {"name": "spy"}).status_code == 404
    assert device.send("DELETE", f"{path}/chat").json() == {}
    assert send(second).status_code == 404
    third = receiver.make()
    assert device.send("DELETE", f"registrations/{device.token}").status_code == 200
    assert send(third).status_code == 404


def test_a_resource_is_for_its_sender_alone(server, project):
    sender, other = (Vapid02(private_key=ec.generate_private_key(ec.SECP256R1())) for _ in range(2))
    receiver = Receiver(server, project, vapidKey=encode(point(sender.private_key)))

    def answer(vapid, **claims):
        claims = {"sub": "mailto:ana@example.com", "aud": server.url, "exp": int(time.time()) + 600, **claims}
        return send(receiver.endpoint, **vapid.sign(claims)).status_code

    assert send(receiver.endpoint).status_code == 401
    assert answer(sender) == 201 and answer(other) == 403
    assert answer(sender, aud="https://push.example.org") == 403
    assert answer(sender, exp=int(time.time()) - 60) == 403
    assert webpush(
        receiver.subscription, b"whole", vapid_private_key=sender, vapid_claims={"sub": "mailto:ana@example.com"}, ttl=60
    ).status_code == 201


def test_a_token_for_another_push_service_is_refused_whatever_host_is_named(production):
    sender = Vapid02(private_key=ec.generate_private_key(ec.SECP256R1()))
    receiver = Receiver(production, servers.PROJECT, vapidKey=encode(point(sender.private_key)))

    def answer(audience, **headers):
        claims = {"sub": "mailto:ana@example.com", "aud": audience, "exp": int(time.time()) + 600}
        headers = {"TTL": "60", **sender.sign(claims), **headers}
        return requests.post(receiver.endpoint, headers=headers, verify=production.authority, timeout=30)

    # A sender was made to sign for another service, which shows the token here under its own name.
    assert answer("https://push.example.org", Host="push.example.org").status_code == 403
    # The right token is right under any name that leads here, and the message's URL is the resource's.
    sent = answer(production.url, Host="push.example.org")
    assert sent.status_code == 201 and sent.headers["location"].startswith(receiver.endpoint + "/")


def test_brasa_sends_to_brasa(server, project, tmp_path):
    """Our encoder and our push service: a message of the Admin SDK by Web Push to a client that connects elsewhere."""
    receiver = Receiver(server, project)
    own = servers.Brasa(
        tmp_path / "data", environment={"BRASA_PUSH_HOSTS": server.url.removeprefix("http://")}
    ).start()
    form = {"web": {"endpoint": receiver.endpoint, **receiver.keys}}
    browser = Device(own, "shop").register(form)
    with development_app(own, "shop") as app:
        name = messaging.send(messaging.Message(
            token=browser.token, data={"product": "42"}, webpush=messaging.WebpushConfig(headers={"TTL": "60"})
        ), app=app)
    with receiver.device.connect() as stream:
        content = json.loads(receiver.open(stream.line()))
    assert content["data"] == {"product": "42"} and name.endswith(content["fcmMessageId"])
    Reports(own, "shop").wait(name, {"webpush": {"handed": 1}})
    assert own.stop() == 0
