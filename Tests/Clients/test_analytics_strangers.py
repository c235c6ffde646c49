"""Events and experiments of senders that have the public API key and nothing else, in production."""

import base64
import hashlib
import os

import pytest
import requests

from support import server as servers
from support.analytics import Analytics, batch, event
from support.remote_config import RemoteConfig

pytestmark = pytest.mark.brasa_only

APP = "1:42:ios:ab"


@pytest.fixture
def running(tmp_path, certificates):
    started = []

    def start(**environment):
        environment = {"BRASA_PROJECT": servers.PROJECT, **environment}
        made = servers.Brasa.production(tmp_path / "data", certificates, environment=environment).start()
        started.append(made)
        return made

    yield start
    for made in started:
        made.kill()


def own(server):
    return Analytics(server, servers.PROJECT, APP, server.administrator_key)


def timeline(analytics, **query):
    """The events of an installation or a user, with the names under which they are kept."""
    events = analytics.report("timeline", **query)["events"]
    return sorted((found["appInstanceId"], found["event"]) for found in events)


def test_a_stranger_touches_nothing_of_an_installation(running):
    analytics = own(running())
    victim, token = analytics.install()
    _, foreign = analytics.install()
    _, otherwise = analytics.install(app="1:42:ios:other")
    # Numbers of batches under its id, with no token and with others', and a user id on it.
    for number, wrong in enumerate((None, "x.y.z", foreign, otherwise), start=1):
        forged = batch(victim, event("forged"), number=number, userId="mallory")
        assert analytics.accepted(forged, token=wrong) == {"accepted": 1}
    analytics.collect({"app_instance_id": victim, "user_id": "mallory", "events": [{"name": "forged"}]})
    for number in range(1, 5):
        real = batch(victim, event("real"), number=number, userId="ana")
        assert analytics.accepted(real, token=f"FIS {token}") == {"accepted": 1}
    assert timeline(analytics, user="ana") == [(victim, "real")] * 4
    assert timeline(analytics, user="mallory") == [(f"?{victim}", "forged")] * 5
    assert analytics.report("erase", "POST", body={"userId": "mallory"})["events"] == 5
    assert timeline(analytics, instance=victim) == [(victim, "real")] * 4
    # The app sends again without the token what the server has.
    assert analytics.accepted(batch(victim, event("real"), number=4))["repeated"] is True


def test_an_instance_that_was_reset_proves_its_id_by_its_secret(running):
    analytics = own(running())
    _, token = analytics.install()
    secret = os.urandom(32)
    digest = bytearray(hashlib.sha256(secret).digest()[:17])
    digest[0] = digest[0] & 0x0F | 0x70
    instance = base64.urlsafe_b64encode(digest).decode()[:22]
    shown = base64.urlsafe_b64encode(secret).decode().rstrip("=")
    for event_name, proof, bearer in [("own", shown, token), ("bare", None, token), ("tokenless", shown, None)]:
        body = batch(instance, event(event_name), **({"appInstanceSecret": proof} if proof else {}))
        analytics.accepted(body, token=bearer)
    assert timeline(analytics, instance=instance) == [
        (f"?{instance}", "bare"), (f"?{instance}", "tokenless"), (instance, "own"),
    ]


def test_back_ends_speak_for_installations_with_an_administrators_credentials(running):
    server = running()
    analytics = own(server)
    victim, token = analytics.install()
    body = {"app_instance_id": victim, "events": [{"name": "bought"}]}
    for headers in (analytics.administrator, {"X-Goog-Firebase-Installations-Auth": token}):
        assert analytics.collect(body, headers=headers).status_code == 204
    assert analytics.collect(body, headers={"Authorization": "Bearer wrong"}).status_code == 204
    assert timeline(analytics, instance=victim) == [(f"?{victim}", "bought")] + [(victim, "bought")] * 2


def test_apps_that_a_project_did_not_register_are_strangers(running):
    server = running()
    analytics = own(server)
    first, token = analytics.install()
    # Without registered apps any app is the project's.
    analytics.accepted(batch(first, event("tick")), token=token)
    made = servers.run(
        "apps", "create", "web", "--project", servers.PROJECT, "--data", server.data
    ).stdout.strip()
    analytics.accepted(batch(first, event("tock")), token=token)
    second, other = analytics.install(app=made)
    analytics.accepted(batch(second, event("tock")), token=other, app=made)
    assert timeline(analytics, instance=first) == [(f"?{first}", "tock"), (first, "tick")]
    assert timeline(analytics, instance=second) == [(second, "tock")]


def test_a_flood_of_strangers_has_its_share_and_no_more(running):
    server = running(BRASA_ANALYTICS_UNPROVEN_MEGABYTES="8")
    analytics = own(server)
    one, token = analytics.install()
    text = "x" * 90
    junk = [event(f"junk{n}", {f"p{i}": text for i in range(20)}) for n in range(300)]
    statuses = []
    while 429 not in statuses:
        answer = analytics.send(batch(f"c{len(statuses)}", *junk), app=f"1:1:ios:{len(statuses)}")
        statuses.append(answer.status_code)
        assert len(statuses) < 10
    assert statuses.count(200) in (1, 2)
    # The name is one that no stranger's junk took.
    for number in range(20):
        analytics.accepted(batch(one, event(f"mine{number}")), token=token)
    counts = {row["name"]: row["now"]["events"] for row in analytics.report("events")["events"]}
    assert [counts.get(f"mine{number}") for number in range(20)] == [1] * 20
    assert sum(name.startswith("junk") for name in counts) <= 200
    figures = requests.get(
        f"{server.url}/metrics", headers=analytics.administrator, verify=server.authority, timeout=30
    ).text
    assert "analytics_batches_unproven_refused_total 1" in figures
    assert "analytics_days_dropped_total 0" in figures


def test_experiments_count_installations_that_prove_themselves(running):
    server = running()
    config = RemoteConfig(server, servers.PROJECT, token=server.administrator_key)
    variants = [{"variantId": name, "weight": 1, "value": name} for name in "ab"]
    config.publish({
        "parameters": {"k": {"defaultValue": {"experimentValue": {"experimentId": "e", "variantValue": variants}}}},
    })

    def assigned():
        [report] = config.request("GET", "remoteConfig/experiments").json()["experiments"]
        return sum(variant["assigned"] for variant in report["variants"])

    def fetch(installation, app=APP, body=None, **headers):
        body = {"app_instance_id": installation, "app_id": app, **(body or {})}
        answer = config.fetch(body, **headers)
        assert answer.json()["entries"]["k"] in ("a", "b")

    analytics = own(server)
    ids = [analytics.install() for _ in range(4)]
    for number in range(40):
        fetch(f"c{number:021}")
    for one, _ in ids:
        fetch(one)
    # Somebody else's token, one of another app, and one that is none.
    fetch(ids[0][0], body={"app_instance_id_token": ids[1][1]})
    fetch(ids[0][0], app="1:42:web:cd", body={"app_instance_id_token": ids[0][1]})
    fetch(ids[0][0], **{"X-Goog-Firebase-Installations-Auth": "a.b.c"})
    assert assigned() == 0
    fetch(ids[0][0], body={"app_instance_id_token": ids[0][1]})
    fetch(ids[1][0], **{"X-Goog-Firebase-Installations-Auth": ids[1][1]})
    fetch(ids[1][0], **{"X-Goog-Firebase-Installations-Auth": ids[1][1]})
    assert assigned() == 2


def test_a_network_makes_so_many_installations_an_hour(running):
    server = running(BRASA_INSTALLATIONS_PER_NETWORK="3")
    analytics = own(server)
    root = f"{server.url}/v1/projects/{servers.PROJECT}/installations"
    made = None
    for status in (200, 200, 200, 429, 429):
        answer = analytics.session.post(root, headers=analytics.key, json={"appId": APP}, timeout=30)
        assert answer.status_code == status, answer.text
        made = answer.json() if status == 200 else made
    # One that was made before goes on.
    proof = {**analytics.key, "Authorization": f"FIS_v2 {made['refreshToken']}"}
    again = analytics.session.post(root, headers=proof, json={"appId": APP, "fid": made["fid"]}, timeout=30)
    assert again.json()["fid"] == made["fid"]
    renewed = analytics.session.post(f"{root}/{made['fid']}/authTokens:generate", headers=proof, json={}, timeout=30)
    assert renewed.status_code == 200
