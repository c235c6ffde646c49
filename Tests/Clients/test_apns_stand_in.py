"""The stand-in of Apple's service is one for a client that somebody else wrote."""

import asyncio
import ssl
import uuid

import pytest
from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol

from support import push

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(not push.PROGRAM.exists(), reason=f"{push.PROGRAM} is not built"),
]

DEVICE = "a1" * 32


@pytest.fixture
def key(tmp_path):
    return push.AppleKey(tmp_path)


@pytest.fixture
def apple(key):
    with push.APNs(key) as stand_in:
        yield stand_in


def send(apple, key, *requests, monkeypatch, **options):
    monkeypatch.setattr(APNsProductionClientProtocol, "APNS_SERVER", "localhost")
    monkeypatch.setattr(APNsProductionClientProtocol, "APNS_PORT", apple.port)
    settings = {"key_id": key.id, "team_id": key.team, "topic": key.bundle, **options}

    async def run():
        client = APNs(
            key=key.file.read_text(), ssl_context=ssl.create_default_context(cafile=apple.authority),
            max_connections=1, max_connection_attempts=2, **settings,
        )
        return await asyncio.gather(*[client.send_notification(request) for request in requests])

    return asyncio.run(run())


def alert(device=DEVICE, text="New order", **options):
    return NotificationRequest(device_token=device, message={"aps": {"alert": text}}, **options)


def test_messages_are_accepted_and_kept(apple, key, monkeypatch):
    requests = [alert(f"{n:064x}", f"order {n}", push_type=PushType.ALERT) for n in range(50)]
    results = send(apple, key, *requests, monkeypatch=monkeypatch)
    assert [result.status for result in results] == ["200"] * 50
    pushes = apple.pushes
    assert {p["body"]["aps"]["alert"] for p in pushes} == {f"order {n}" for n in range(50)}
    assert {p["headers"]["apns-id"] for p in pushes} == {r.notification_id for r in requests}
    assert {p["connection"] for p in pushes} == {1}


@pytest.mark.parametrize(
    ("options", "status", "reason"),
    [
        ({"priority": 10, "push_type": PushType.BACKGROUND}, "400", "BadPriority"),
        ({"collapse_key": "x" * 65}, "400", "BadCollapseId"),
        ({"notification_id": "not a UUID"}, "400", "BadMessageId"),
        ({"apns_topic": "com.example.other"}, "400", "DeviceTokenNotForTopic"),
        ({"device": "a1" * 31}, "400", "BadDeviceToken"),
        ({"text": "x" * 4096}, "413", "PayloadTooLarge"),
    ],
)
def test_what_apple_refuses_is_refused(apple, key, monkeypatch, options, status, reason):
    result = send(apple, key, alert(**options), monkeypatch=monkeypatch)[0]
    assert (result.status, result.description) == (status, reason)
    assert apple.pushes == []


def test_keys_of_other_teams_are_refused(apple, key, monkeypatch):
    for options in ({"team_id": "OTHER67890"}, {"key_id": "OTHER3DEFG"}):
        result = send(apple, key, alert(), monkeypatch=monkeypatch, **options)[0]
        assert (result.status, result.description) == ("403", "InvalidProviderToken")


def test_scripted_answers_come_in_their_order(apple, key, monkeypatch):
    apple.script(DEVICE, {"status": 410, "reason": "Unregistered", "timestamp": 1700000000123})
    gone, accepted = (
        send(apple, key, alert(notification_id=str(uuid.uuid4())), monkeypatch=monkeypatch)[0] for _ in range(2)
    )
    assert (gone.status, gone.description, int(gone.timestamp)) == ("410", "Unregistered", 1700000000123)
    assert accepted.is_successful


def test_a_goodbye_makes_the_client_come_again(apple, key, monkeypatch):
    apple.script(DEVICE, "goaway")
    results = send(apple, key, alert("b2" * 32), alert(), monkeypatch=monkeypatch)
    assert results[0].is_successful
    assert "b2" * 32 in apple.pushes[0]["path"]
