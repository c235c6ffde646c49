"""Remote Config: the template API as the Firebase CLI calls it, and what clients get by it."""

import json
import plistlib
import random
import re
import threading
import xml.etree.ElementTree

import pytest

from support import clients, server as servers
from support.analytics import Analytics, batch, event
from support.remote_config import RemoteConfig, next_number
from support.tokens import unsigned

pytestmark = pytest.mark.brasa_only

FIXTURE = {
    "conditions": [{"name": "Brazil", "expression": "device.country in ['BR']", "tagColor": "GREEN"}],
    "parameters": {
        "delete_list_view": {
            "defaultValue": {"value": "true"},
            "conditionalValues": {"Brazil": {"value": "false"}},
            "valueType": "BOOLEAN",
        }
    },
}


@pytest.fixture
def config(server, project):
    return RemoteConfig(server, project)


def value(text):
    return {"parameters": {"k": {"defaultValue": {"value": text}}}}


def test_the_clis_get_and_deploy(config, project):
    empty, etag = config.get()
    assert empty == {} and etag == f"etag-{project}-0"
    valid, checked = config.publish(FIXTURE, etag, validate_only="true")
    assert checked.endswith("-0") and valid["parameters"] == FIXTURE["parameters"]
    assert config.get() == ({}, etag)
    published, second = config.publish(FIXTURE, etag)
    assert second == f"etag-{project}-1"
    version = published.pop("version")
    assert published == FIXTURE
    assert version["versionNumber"] == "1" and version["updateType"] == "INCREMENTAL_UPDATE"
    assert version["updateOrigin"] == "REST_API"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", version["updateTime"])
    # The CLI sends back what it got, with the version in it.
    again, third = config.publish({**published, "version": {**version, "description": "two"}}, second)
    assert again["version"]["description"] == "two" and third.endswith("-2")
    assert config.get()[0] == again
    assert config.get(versionNumber=1)[0]["version"]["versionNumber"] == "1"


def test_a_wrong_etag_changes_nothing(config):
    config.publish(value("1"))
    stale = config.get()[1]
    config.publish(value("2"), stale)
    error = config.refused("PUT", "remoteConfig", 409, json=value("3"), headers={"If-Match": stale})
    assert error["status"] == "ABORTED" and "VERSION_MISMATCH" in error["message"]
    missing = config.refused("PUT", "remoteConfig", 400, json=value("3"))
    assert missing["status"] == "INVALID_ARGUMENT" and "If-Match" in missing["message"]
    assert config.get()[0]["parameters"] == value("2")["parameters"]
    assert config.publish(value("4"))[0]["version"]["updateType"] == "FORCED_UPDATE"


def test_versions_and_rollback_as_the_cli_has_them(config):
    for number in range(1, 13):
        config.publish(value(str(number)))
    page = config.request("GET", "remoteConfig:listVersions", params={"pageSize": 5}).json()
    assert [v["versionNumber"] for v in page["versions"]] == ["12", "11", "10", "9", "8"]
    rest = config.request(
        "GET", "remoteConfig:listVersions", params={"pageSize": 300, "pageToken": page["nextPageToken"]}
    ).json()
    assert [v["versionNumber"] for v in rest["versions"]] == [str(n) for n in range(7, 0, -1)]
    assert "nextPageToken" not in rest
    bounded = config.request("GET", "remoteConfig:listVersions", params={"endVersionNumber": "2"}).json()
    assert [v["versionNumber"] for v in bounded["versions"]] == ["2", "1"]
    config.refused("GET", "remoteConfig:listVersions?pageSize=301", 400)
    # firebase-tools has the number in the URL, the API's reference in the body.
    one = config.request("POST", "remoteConfig:rollback?versionNumber=3").json()
    assert one["parameters"] == value("3")["parameters"]
    assert one["version"]["rollbackSource"] == "3" and one["version"]["updateType"] == "ROLLBACK"
    two = config.request("POST", "remoteConfig:rollback", json={"versionNumber": "5"})
    assert two.json()["version"]["versionNumber"] == "14" and two.headers["ETag"].endswith("-14")
    config.refused("POST", "remoteConfig:rollback", 404, json={"versionNumber": 99})
    config.refused("POST", "remoteConfig:rollback", 400, json={})


def test_default_values_as_files(config):
    hard = "<&>\"' \n é 🔥"
    config.publish({"parameters": {"a": {"defaultValue": {"value": hard}},
                                   "b": {"defaultValue": {"useInAppDefault": True}},
                                   "c": {"defaultValue": {"value": "5"}}}})
    expected = {"a": hard, "c": "5"}

    def download(name):
        return config.request("GET", "remoteConfig:downloadDefaults", params={"format": name}).content

    assert json.loads(download("JSON")) == expected
    assert plistlib.loads(download("PLIST")) == expected
    entries = xml.etree.ElementTree.fromstring(download("XML")).findall("entry")
    assert {e.find("key").text: e.find("value").text for e in entries} == expected
    config.refused("GET", "remoteConfig:downloadDefaults?format=YAML", 400)


@pytest.mark.parametrize("template, text", [
    ({"parameters": {"k": {"conditionalValues": {"none": {"value": "1"}}}}}, "UNKNOWN_CONDITION_REFERENCE"),
    ({"conditions": [{"name": "a", "expression": "device.os == ios"}]}, 'The condition "a", column 14'),
    ({"parameters": {"k": {}}, "parameterGroups": {"k": {}}}, "DUPLICATE_KEY"),
    (value("x" * 1_000_001), "LIMIT_EXCEEDED"),
    ({"parameters": []}, "'parameters'"),
    ({"other": 1}, 'Unknown name "other"'),
])
def test_what_is_wrong_with_a_template_is_said(config, template, text):
    error = config.refused("PUT", "remoteConfig", 400, json=template, headers={"If-Match": "*"})
    assert error["status"] == "INVALID_ARGUMENT" and text in error["message"], error
    assert config.get()[0] == {}


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"nul", b'"a"', b"[" * 5000, b'{"a":1}{'])
def test_a_body_that_is_no_template_is_refused(config, body):
    answer = config.request("PUT", "remoteConfig", data=body, headers={"If-Match": "*"})
    # An empty body is an empty template.
    assert answer.status_code == (200 if body == b"" else 400), answer.text


def test_values_by_country_and_no_change(config):
    assert config.fetch().json() == {"state": "NO_TEMPLATE"}
    config.publish(FIXTURE)
    for country, expected in [("BR", "false"), ("PT", "true"), (None, "true")]:
        answer = config.fetch({"country_code": country})
        assert answer.json() == {
            "entries": {"delete_list_view": expected}, "state": "UPDATE", "templateVersion": "1"
        }
    again = config.fetch({"country_code": "BR"}, etag=config.fetch({"country_code": "BR"}).headers["ETag"])
    assert again.status_code == 200 and again.json() == {"state": "NO_CHANGE", "templateVersion": "1"}
    moved = config.fetch({"country_code": "PT"}, etag=again.headers["ETag"])
    assert moved.json()["state"] == "UPDATE" and moved.headers["ETag"] != again.headers["ETag"]


def test_ios_sends_relaxed_json_that_is_packed(config):
    config.publish(FIXTURE)
    members = {"app_instance_id": "'cFid'", "app_id": "'1:42:ios:ab'", "country_code": "'BR'",
               "analytics_user_properties": '{"a":"b"}', "sdk_version": "'12.19.0'"}
    answer = config.fetch_as_ios(members)
    assert answer.json()["entries"] == {"delete_list_view": "false"}
    unchanged = config.fetch_as_ios(members, etag=answer.headers["ETag"])
    assert unchanged.status_code == 200 and unchanged.json()["state"] == "NO_CHANGE"
    assert config.fetch(raw=b"\x1f\x8b" + b"x" * 30).status_code == 400
    assert config.fetch(raw=b"x" * 70_000).status_code == 413


def test_the_requests_own_properties_and_signals_decide(config):
    config.publish({
        "conditions": [
            {"name": "gold", "expression": "app.userProperty['plan'].exactlyMatches(['gold'])"},
            {"name": "near", "expression": "app.customSignal['km'] < 5"},
        ],
        "parameters": {"k": {"defaultValue": {"value": "d"},
                             "conditionalValues": {"gold": {"value": "g"}, "near": {"value": "n"}}}},
    })

    def k(**body):
        return config.fetch(body).json()["entries"]["k"]

    assert k() == "d"
    assert k(analytics_user_properties={"plan": "gold"}, custom_signals={"km": 3}) == "g"
    assert k(custom_signals={"km": 3}) == "n" and k(custom_signals={"km": "4.9"}) == "n"
    assert k(custom_signals={"km": 5}) == "d"


def test_keys_and_namespaces(config, project):
    config.publish(FIXTURE)
    assert config.fetch(key="").status_code == 403
    # iOS names the project by its number in a stream's path, and by its key.
    assert config.fetch(project="4242").json()["state"] == "UPDATE"
    url = f"{config.url}/v1/projects/{project}/namespaces/firebase-server:fetch"
    assert config.session.post(url, params={"key": project}, json={}).status_code == 404
    host = f"{config.url}/firebaseremoteconfig.googleapis.com/v1/projects/{project}/namespaces/firebase:fetch"
    assert config.session.post(host, params={"key": project}, json={}).status_code == 200


def calls_of_administrators(config):
    return [
        config.request(verb, path, json={}).status_code
        for verb, path in [("GET", "remoteConfig"), ("PUT", "remoteConfig"), ("GET", "remoteConfig/drafts"),
                           ("POST", "remoteConfig:rollback"), ("POST", "remoteConfig:evaluate"),
                           ("GET", "remoteConfig:listVersions"),
                           ("GET", "namespaces/firebase-server/serverRemoteConfig")]
    ]


def test_users_have_no_templates(server, project):
    assert set(calls_of_administrators(RemoteConfig(server, project, token=unsigned(project, "ana")))) == {403}


def test_production_asks_for_the_administrators_key_and_a_projects_own(production):
    assert set(calls_of_administrators(RemoteConfig(production, servers.PROJECT, token=None))) == {403}
    assert set(calls_of_administrators(RemoteConfig(production, servers.PROJECT, token="wrong"))) == {401}
    config = RemoteConfig(production, servers.PROJECT, token=production.administrator_key)
    config.publish(FIXTURE)
    # An app that came from Google has a key that names no project: it is the server's own project's.
    for key in (servers.PROJECT, "AIzaSyGooglesKey"):
        assert config.fetch({"country_code": "BR"}, key=key).json()["entries"] == {"delete_list_view": "false"}
        assert config.fetch(key=key, project="424242").status_code == 200
        assert config.fetch(key=key, project="another").status_code == 403
    assert config.fetch(key="").status_code == 403


def test_a_publish_reaches_streams_and_is_served_before(config):
    config.publish(value("0"))
    streams = [config.listen(known=1).iter_content(chunk_size=None) for _ in range(20)]
    for number in range(2, 6):
        config.publish(value(str(number)))
        for parts in streams:
            assert next_number(parts) >= 2
            answer = config.fetch().json()
            assert int(answer["templateVersion"]) >= number
    late = config.listen(known=4).iter_content(chunk_size=None)
    assert next_number(late) == 5


def test_publishers_race_and_no_client_ends_on_an_old_version(config):
    config.publish(value("start"))
    stop, seen = threading.Event(), []

    def watch():
        last = 0
        while not stop.is_set():
            number = int(config.fetch().json()["templateVersion"])
            assert number >= last
            last = number
        seen.append(last)

    lost = []

    def publish(name):
        own = RemoteConfig(config, config.project)
        for turn in range(15):
            etag = own.get()[1]
            answer = own.request("PUT", "remoteConfig", json=value(f"{name}-{turn}"), headers={"If-Match": etag})
            assert answer.status_code in (200, 409)
            lost.append(answer.status_code == 409)

    watcher = threading.Thread(target=watch)
    watcher.start()
    publishers = [threading.Thread(target=publish, args=(n,)) for n in range(4)]
    for thread in publishers:
        thread.start()
    for thread in publishers:
        thread.join()
    won = lost.count(False)
    newest = int(config.get()[0]["version"]["versionNumber"])
    assert newest == 1 + won and int(config.fetch().json()["templateVersion"]) == newest
    stop.set()
    watcher.join()
    assert seen and seen[0] <= newest


def test_drafts_are_kept_beside_the_template(config):
    published, etag = config.publish(FIXTURE)
    kept = config.request("PUT", "remoteConfig/drafts/ana@example.com", json={"etag": etag, "template": value("1")})
    assert kept.status_code == 200 and "problem" not in kept.json()
    broken = {"etag": etag, "template": {"conditions": [{"name": "c", "expression": "x"}]}}
    assert "column 1" in config.request("PUT", "remoteConfig/drafts/bob", json=broken).json()["problem"]
    names = [d["name"] for d in config.request("GET", "remoteConfig/drafts").json()["drafts"]]
    assert names == ["ana@example.com", "bob"]
    draft = config.request("GET", "remoteConfig/drafts/ana@example.com").json()
    assert draft["template"] == value("1") and draft["etag"] == etag
    assert config.get()[0] == published
    assert config.request("DELETE", "remoteConfig/drafts/bob").status_code == 200
    config.refused("GET", "remoteConfig/drafts/bob", 404)


# --- Back ends: Google's own evaluator is the oracle.

WORDS = ["a", "b", "ab", "é", "São Paulo", "x-1", "10", "2.5", "1.2.3", "-3", "0.10", "ANA", " pad "]
PATTERNS = ["^a", "b$", "[0-9]+", "S.o", "a|é", "^$", "\\d\\.\\d"]


def random_term(chance):
    kind = chance.randrange(8)
    key = f"app.customSignal['s{chance.randrange(4)}']"
    words = "[" + ", ".join(f"'{w}'" for w in chance.sample(WORDS, chance.randint(1, 3))) + "]"
    if kind == 0:
        return chance.choice(["true", "true", "false"])
    if kind in (1, 2):
        seed = chance.choice(["", "('one')", "('é ü')"])
        first, second = sorted(round(chance.uniform(0, 100), chance.randint(0, 6)) for _ in range(2))
        return f"percent{seed} " + chance.choice([f"<= {first}", f"> {first}", f"between {first} and {second}"])
    if kind == 3:
        return f"{key}.{chance.choice(['contains', 'notContains', 'exactlyMatches'])}({words})"
    if kind == 4:
        return f"{key}.matches(['{chance.choice(PATTERNS)}'])"
    operator = chance.choice(["<", "<=", "==", "!=", ">", ">="])
    if kind == 5:
        return f"{key} {operator} {chance.choice(['10', '2.5', '-3', '0', '1.25'])}"
    if kind == 6:
        return f"version({key}) {operator} '{chance.choice(['1.2.3', '1.2', '10', '0.1', '2.5.0'])}'"
    return f"{key}.{operator}(['{chance.choice(['1.2.3', '2', '10.0'])}'])"


def random_template(chance):
    names = [f"c{n}" for n in range(chance.randint(1, 8))]
    conditions = [
        {"name": name, "expression": " && ".join(random_term(chance) for _ in range(chance.randint(1, 3)))}
        for name in names
    ]
    parameters = {}
    for number in range(chance.randint(1, 8)):
        chosen = chance.sample(names, chance.randint(0, len(names)))
        parameters[f"p{number}"] = {
            "defaultValue": chance.choice([{"value": f"d{number}"}, {"useInAppDefault": True}]),
            "conditionalValues": {
                name: chance.choice([{"value": f"{name}-{number}"}] * 4 + [{"useInAppDefault": True}])
                for name in chosen
            },
        }
    return {"conditions": conditions, "parameters": parameters}


def random_request(chance):
    signals = {}
    for number in range(4):
        kind = chance.randrange(4)
        if kind == 0:
            signals[f"s{number}"] = chance.choice(WORDS)
        elif kind == 1:
            signals[f"s{number}"] = chance.choice([1, 10, -3, 2.5, 1.25, 1000000])
        elif kind == 2:
            signals[f"s{number}"] = f"{chance.randrange(3)}.{chance.randrange(12)}"
    who = None if chance.random() < 0.1 else f"user-{chance.randrange(10 ** 6)}-é"
    return who, signals


@pytest.fixture
def admin_template(monkeypatch, server, project):
    """Google's Admin SDK for Python, whose fixed address is led to the server."""
    import firebase_admin
    from firebase_admin import remote_config
    from google.auth import credentials as google_credentials

    class Owner(firebase_admin.credentials.Base):
        def get_credential(self):
            class Token(google_credentials.Credentials):
                def refresh(self, request):
                    self.token = "owner"

            return Token()

    app = firebase_admin.initialize_app(Owner(), {"projectId": project}, name=project)
    template = remote_config.init_server_template(app)
    service = template._rc_service
    service._client._base_url = server.url
    yield template
    firebase_admin.delete_app(app)


def agree(server, project, admin_template, seed, templates, requests_each):
    import asyncio

    print(f"seed {seed}")
    chance = random.Random(seed)
    config = RemoteConfig(server, project, namespace="firebase-server")
    for _ in range(templates):
        template = random_template(chance)
        config.publish(template)
        asyncio.run(admin_template.load())
        for _ in range(requests_each):
            who, signals = random_request(chance)
            context = {**signals, **({"randomization_id": who} if who else {})}
            theirs = admin_template.evaluate(context)
            ours = config.evaluate(app_instance_id=who, custom_signals=signals)["parameters"]
            for key in template["parameters"]:
                found = theirs.get_string(key) if theirs.get_value_source(key) == "remote" else None
                assert ours[key].get("value") == found, (seed, template, context, key)


def test_back_ends_get_the_values_that_the_admin_sdk_computes(server, project, admin_template):
    agree(server, project, admin_template, random.randrange(10 ** 9), templates=15, requests_each=12)


@pytest.mark.slow
def test_back_ends_agree_over_many_templates(server, project, admin_template):
    agree(server, project, admin_template, random.randrange(10 ** 9), templates=400, requests_each=40)


def test_templates_of_back_ends_are_their_own(server, project, config):
    config.publish(FIXTURE)
    own = RemoteConfig(server, project, namespace="firebase-server")
    assert own.get() == ({}, f"etag-{project}-firebase-server-0")
    error = own.refused("PUT", "remoteConfig", 400, json=FIXTURE, headers={"If-Match": "*"})
    assert "Server templates" in error["message"]
    own.publish({"parameters": {"b": {"defaultValue": {"value": "1"}}}})
    served = own.request("GET", "serverRemoteConfig")
    assert served.headers["ETag"].endswith("firebase-server-1")
    assert served.json()["parameters"] == {"b": {"defaultValue": {"value": "1"}}}
    assert config.get()[0]["parameters"] == FIXTURE["parameters"]


# --- Commands.

def split(weights, condition="device.country in ['BR']", **others):
    variants = [
        {"variantId": name, "weight": weight, "value": name} for name, weight in zip("abc", weights)
    ]
    value = {"experimentValue": {"experimentId": "e", "variantValue": variants, **others}}
    return {
        "conditions": [{"name": "some", "expression": condition}],
        "parameters": {"k": {"conditionalValues": {"some": value}}},
    }


def test_experiments_count_who_has_a_variant(config):
    config.publish(split([1, 1]))
    found = [
        config.fetch({"app_instance_id": f"c{number}", "country_code": "BR"}).json()["entries"]["k"]
        for number in [*range(40), *range(40)]
    ]
    assert found[:40] == found[40:]
    config.fetch({"app_instance_id": "elsewhere", "country_code": "PT"})
    [report] = config.request("GET", "remoteConfig/experiments").json()["experiments"]
    assert [variant["assigned"] for variant in report["variants"]] == [found[:40].count("a"), found[:40].count("b")]
    assert report["sampleRatioMismatch"] is False and report["parameterKeys"] == ["k"]
    described = config.fetch({"app_instance_id": "elsewhere", "country_code": "PT"}).json()
    assert "experimentDescriptions" not in described


def test_a_ratio_that_is_hardly_chance_is_told(config):
    config.publish(split([1, 1]))
    chosen = [number for number in range(200) if variant_of(config, f"c{number}") == "a"]
    # Counted anew, and of one variant nobody comes: what loses installations looks like this.
    config.publish(split([2, 2]))
    for number in chosen:
        variant_of(config, f"c{number}")
    [report] = config.request("GET", "remoteConfig/experiments").json()["experiments"]
    assert [variant["assigned"] for variant in report["variants"]] == [len(chosen), 0]
    assert report["sampleRatioMismatch"] is True and report["probability"] < 0.001


def test_variants_are_compared_by_events(tmp_path):
    running = servers.Brasa(tmp_path / "data").start()
    config, analytics = RemoteConfig(running, "shop"), Analytics(running, "shop")
    config.publish(split([1, 1]))
    chosen = {f"c{number}": variant_of(config, f"c{number}") for number in range(300)}
    # Everybody opens the app; of one variant nearly all buy, of the other one a few do, twice.
    bought = {one: int(one[1:]) % 10 < {"a": 3, "b": 9}[variant] for one, variant in chosen.items()}
    for number, (one, variant) in enumerate(chosen.items()):
        events = [event("open")]
        if bought[one]:
            events += [event("purchase", {"value": 2.5})] * (2 if variant == "a" else 1)
        analytics.accepted(batch(one, *events, number=number + 1))
    analytics.accepted(batch("stranger", event("purchase", {"value": 100.0})))

    def result(**query):
        answer = config.request("GET", "remoteConfig/experiments/e", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    for measure, of_a in [("users", 1), ("events", 2), ("value", 5)]:
        found = result(event="purchase", measure=measure)
        a, b = found["variants"]
        for one, name, each in [(a, "a", of_a), (b, "b", {"users": 1, "events": 1, "value": 2.5}[measure])]:
            members = [key for key, variant in chosen.items() if variant == name]
            reached = sum(bought[key] for key in members)
            assert (one["assigned"], one["seen"], one["reached"]) == (len(members), len(members), reached)
            assert one["sum"] == reached * each and one["mean"] == pytest.approx(reached * each / len(members))
        assert "difference" not in a and found["sampleRatioMismatch"] is False
        difference = b["difference"]
        assert difference["value"] == pytest.approx(b["mean"] - a["mean"])
        assert difference["low"] < difference["value"] < difference["high"]
        if measure == "users":
            assert difference["significant"] is True and difference["probability"] < 0.001
    assert [one["reached"] for one in result(event="nothing")["variants"]] == [0, 0]
    for query in [{}, {"event": "purchase", "measure": "mood"}]:
        config.refused("GET", "remoteConfig/experiments/e", 400, params=query)
    config.refused("GET", "remoteConfig/experiments/x", 404, params={"event": "purchase"})

    options = ("results", "e", "--event", "purchase", "--project", "shop", "--data", running.data)
    beside = servers.run("config", *options).stdout
    assert running.stop() == 0
    assert servers.run("config", *options).stdout == beside
    reached = sum(bought[key] for key, variant in chosen.items() if variant == "a")
    assert f"a  {reached} of {list(chosen.values()).count('a')} installations, mean " in beside
    assert re.search(r"^b  .*, difference \+0\.[4-8]\d* \(\+0\.\d+ to \+", beside, re.MULTILINE)


def variant_of(config, installation):
    """The variant of an installation."""
    body = {"app_instance_id": installation, "country_code": "BR"}
    return config.fetch(body).json()["entries"]["k"]


def test_a_sticky_condition_outlives_a_restart(tmp_path):
    running = servers.Brasa(tmp_path / "data").start()

    def template(percent):
        return {
            "conditions": [{"name": "few", "expression": f"percent('s') <= {percent} && sticky"}],
            "parameters": {"k": {"defaultValue": {"value": "no"}, "conditionalValues": {"few": {"value": "yes"}}}},
        }

    def fetched(config):
        return [config.fetch({"app_instance_id": f"c{n}"}).json()["entries"]["k"] for n in range(40)]

    try:
        config = RemoteConfig(running, "t-sticky")
        config.publish(template(50))
        before = fetched(config)
        assert {"yes", "no"} == set(before)
        config.publish(template(0))
        assert fetched(config) == before
        running.kill()
        running.start()
        assert fetched(RemoteConfig(running, "t-sticky")) == before
    finally:
        running.stop()
    assert "no differences" in servers.run("verify", "--data", tmp_path / "data").stdout


def test_erasing_a_user_takes_what_was_decided_of_its_installations_along(server, project):
    config, analytics = RemoteConfig(server, project), Analytics(server, project)
    shown = {"experimentId": "e", "exposurePercent": 100, "variantValue": [
        {"variantId": "a", "weight": 1, "value": "A"}, {"variantId": "b", "weight": 1, "value": "B"},
    ]}

    def publish(percent):
        config.publish({
            "conditions": [{"name": "few", "expression": f"percent('s') <= {percent} && sticky"}],
            "parameters": {
                "k": {"defaultValue": {"value": "no"}, "conditionalValues": {"few": {"value": "yes"}}},
                "e": {"defaultValue": {"experimentValue": shown}},
            },
        })

    def fetched():
        return [config.fetch({"app_instance_id": name}).json()["entries"]["k"] for name in installations]

    def assigned():
        [report] = config.request("GET", "remoteConfig/experiments").json()["experiments"]
        return sum(variant["assigned"] for variant in report["variants"])

    installations = [f"installation-{number}-of-a-user" for number in range(3)]
    publish(100)
    assert fetched() == ["yes"] * 3 and assigned() == 3
    publish(0)
    assert fetched() == ["yes"] * 3
    for name, user in zip(installations, ("ana", "ana", "bia")):
        analytics.accepted(batch(name, event("opened"), userId=user))
    assert analytics.report("erase", "POST", body={"userId": "ana"}) == {"events": 2}
    assert assigned() == 1
    assert fetched() == ["no", "no", "yes"]
    # An installation of which analytics knows nothing.
    assert analytics.report("erase", "POST", body={"appInstanceId": installations[2]}) == {"events": 1}
    assert analytics.report("erase", "POST", body={"appInstanceId": installations[0]}) == {"events": 0}
    assert fetched() == ["no"] * 3


def test_the_commands(tmp_path):
    running = servers.Brasa(tmp_path / "data").start()
    file = tmp_path / "template.json"
    file.write_text(json.dumps(FIXTURE))

    def run(*arguments, **options):
        return servers.run("config", *arguments, "--project", "shop", "--data", tmp_path / "data", **options)

    try:
        assert "There is no" not in run("publish", file, "--description", "first").stderr
        config = RemoteConfig(running, "shop")
        stream = config.listen(known=1).iter_content(chunk_size=None)
        run("publish", file, "--etag", "etag-shop-1")
        assert next_number(stream) == 2
        assert run("publish", file, "--etag", "etag-shop-1", check=False).returncode != 0
        shown = run("get", "--version", "1")
        assert json.loads(shown.stdout)["version"]["description"] == "first"
        assert shown.stderr.strip().endswith("etag-shop-1")
        evaluated = run("evaluate", "--country", "BR")
        assert evaluated.stdout == 'delete_list_view = "false"  condition "Brazil"\n'
        assert run("evaluate").stdout == 'delete_list_view = "true"  default\n'
    finally:
        running.stop()
    # On the directory at rest.
    run("rollback", "1")
    lines = run("versions").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["3", "2", "1"] and "ROLLBACK" in lines[0]
    file.write_text(json.dumps({"conditions": [{"name": "c", "expression": "device.os = "}]}))
    refused = run("publish", file, check=False)
    assert refused.returncode != 0 and 'The condition "c", column' in refused.stderr
    verified = servers.run("verify", "--data", tmp_path / "data").stdout
    assert "1 template, 3 versions" in verified and "no differences" in verified
    data = ("--project", "shop", "--include", "config", "--data")
    # An export has documents too, so that there has to be a database.
    for directory in ("data", "other"):
        other = servers.Brasa(tmp_path / directory).start()
        clients.connect(other, "shop").document("c/d").set({})
        other.stop()
    servers.run("export", tmp_path / "export", *data, tmp_path / "data")
    servers.run("import", tmp_path / "export", *data, tmp_path / "other")
    again = servers.run("config", "get", "--project", "shop", "--data", tmp_path / "other").stdout
    assert json.loads(again)["parameters"] == FIXTURE["parameters"]
    # What cannot be stored is told, and the command fails.
    bad = {"namespace": "firebase", "template": {"conditions": [{"name": "c", "expression": "device.os = "}]}}
    (tmp_path / "export" / "config" / "later.jsonl").write_text(json.dumps(bad))
    refused = servers.run("import", tmp_path / "export", *data, tmp_path / "other", check=False)
    assert refused.returncode == 1 and 'The condition "c", column' in refused.stdout
    after = servers.run("config", "get", "--project", "shop", "--data", tmp_path / "other").stdout
    assert json.loads(after)["parameters"] == FIXTURE["parameters"]


def test_a_published_file_may_have_comments(server, project, tmp_path):
    """`firebase init` writes them."""
    file = tmp_path / "template.json"
    parameters = {"a": {"defaultValue": {"value": "http://x//y"}}}
    file.write_text("// what apps show\n{\n /* all */ \"parameters\": " + json.dumps(parameters) + " // end\n}")
    where = ("--project", project, "--data", server.data)
    servers.run("config", "publish", file, *where)
    assert json.loads(servers.run("config", "get", *where).stdout)["parameters"]["a"]["defaultValue"]["value"] == "http://x//y"


def test_nothing_that_was_acknowledged_is_lost(tmp_path):
    running = servers.Brasa(tmp_path / "data").start()
    for turn in range(3):
        config = RemoteConfig(running, "shop")
        known = int(config.get()[0].get("version", {}).get("versionNumber", 0))
        acknowledged = [known]
        started = threading.Event()

        def publish():
            try:
                while True:
                    published, _ = config.publish(value(f"{turn}-{len(acknowledged)}"))
                    acknowledged.append(int(published["version"]["versionNumber"]))
                    if len(acknowledged) > 5:
                        started.set()
            except Exception:
                started.set()

        thread = threading.Thread(target=publish)
        thread.start()
        started.wait(60)
        running.kill()
        thread.join()
        running.start()
        config = RemoteConfig(running, "shop")
        newest = int(config.get()[0]["version"]["versionNumber"])
        assert newest >= acknowledged[-1] > known
        assert int(config.fetch().json()["templateVersion"]) == newest
    assert running.stop() == 0
    assert "no differences" in servers.run("verify", "--data", tmp_path / "data").stdout
