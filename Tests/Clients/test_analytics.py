"""Analytics: what apps and servers send, and what is made of it."""

import pytest

from support.analytics import Analytics, batch, event, micros

pytestmark = pytest.mark.brasa_only

INSTANCE = "cAbc-efghijklmnopqrst_"
HEXADECIMAL = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def analytics(server, project):
    return Analytics(server, project)


def minutes(analytics):
    """Events by name of the last thirty minutes."""
    counts = {}
    for minute in analytics.report("live")["minutes"]:
        for name, count in minute["events"].items():
            counts[name] = counts.get(name, 0) + count
    return counts


@pytest.mark.parametrize("packed", [False, True])
def test_a_batch_is_taken_once(analytics, packed):
    sent = batch(INSTANCE, event("select_item", {"item_id": "SKU_1", "price": 9.5, "n": 2}), number=7)
    assert analytics.accepted(sent, packed=packed) == {"accepted": 1}
    assert analytics.accepted(sent, packed=packed) == {"accepted": 0, "repeated": True}
    assert analytics.accepted(batch("dAbc-efghijklmnopqrst_", event("new_item"), number=7)) == {"accepted": 1}
    assert minutes(analytics) == {"select_item": 1, "new_item": 1}
    assert analytics.report("live")["users"] == 2


@pytest.mark.parametrize(
    "name, code",
    [
        ("", "VALUE_REQUIRED"), ("_x", "NAME_INVALID"), ("1x", "NAME_INVALID"), ("a b", "NAME_INVALID"),
        ("x" * 41, "NAME_INVALID"), ("é", "NAME_INVALID"), ("ga_x", "NAME_RESERVED"),
        ("firebase_x", "NAME_RESERVED"), ("google_x", "NAME_RESERVED"),
    ],
)
def test_wrong_names_are_dropped_and_told(analytics, name, code):
    answer = analytics.accepted(batch(INSTANCE, event("right"), event(name)))
    assert answer["accepted"] == 1
    assert [(d["index"], d["code"]) for d in answer["dropped"]] == [(1, code)]
    assert "field" not in answer["dropped"][0]
    assert minutes(analytics) == {"right": 1}


def test_wrong_parts_are_dropped_alone(analytics):
    params = {f"p{n}": n for n in range(26)}
    answer = analytics.accepted(
        batch(
            INSTANCE,
            event("many", params),
            event("long", {"text": "x" * 101, "page_location": "y" * 1000, "ga_x": 1, "ga_session_id": 5}),
            userProperties={
                "level": {"value": "12"}, "x" * 25: {"value": "1"}, "wide": {"value": "v" * 37},
            },
        )
    )
    assert answer["accepted"] == 2
    assert sorted((d.get("index", -1), d["field"], d["code"]) for d in answer["dropped"]) == [
        (-1, "user_properties.wide", "VALUE_INVALID"),
        (-1, f"user_properties.{'x' * 25}", "NAME_INVALID"),
        (0, "params.p25", "EXCEEDED_MAX_ENTITIES"),
        (1, "params.ga_x", "NAME_RESERVED"),
        (1, "params.text", "VALUE_INVALID"),
    ]


@pytest.mark.parametrize("ago, is_taken", [(71 * 3600, True), (73 * 3600, False), (-30, True), (-7200, False)])
def test_late_events_and_those_of_the_future(analytics, ago, is_taken):
    answer = analytics.accepted(batch(INSTANCE, event("timely", at=micros(ago))))
    assert answer["accepted"] == int(is_taken)
    if not is_taken:
        assert answer["dropped"][0]["code"] == "VALUE_OUT_OF_BOUNDS"


def test_an_apps_wrong_clock_is_corrected(analytics):
    behind = 5 * 3600
    sent = batch(INSTANCE, event("early", at=micros(behind + 60)), debug=True)
    sent["sentTimeMillis"] = micros(behind) // 1_000
    analytics.accepted(sent)
    [device] = analytics.report("debug")["devices"]
    shown = device["entries"][0]
    # A minute before it came, by the server's clock.
    assert shown["time"][:13] in (shown["received"][:13], _hour_before(shown["received"]))


def _hour_before(text):
    import datetime

    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (moment - datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H")


@pytest.mark.parametrize(
    "change",
    [
        {"appInstanceId": ""}, {"appInstanceId": "x" * 65}, {"appInstanceId": 5}, {"batchNumber": 0},
        {"batchNumber": "x"}, {"batchNumber": None}, {"sentTimeMillis": None}, {"events": {}},
        {"events": [{"name": "x"}]}, {"events": [5]}, {"device": "x"}, {"device": {"model": "m" * 101}},
        {"consent": {"analyticsStorage": "MAYBE"}}, {"debug": 1},
        {"events": [{"name": "x", "timeMicros": 1, "params": {"p": {"stringValue": 1}}}]},
        {"events": [{"name": "x", "timeMicros": 1, "params": {"p": {"intValue": "1.5"}}}]},
        {"events": [{"name": "x", "timeMicros": 1, "params": {"p": 1}}]},
        {"events": [{"name": "x", "timeMicros": 2**70}]}, {"events": [{"name": "x", "timeMicros": -(2**63)}]},
        {"sentTimeMillis": -(2**63)}, {"userProperties": {"a": {"value": {}}}},
        {"events": [{"name": "x", "timeMicros": 1}] * 501},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_batch_of_another_form_is_refused(analytics, change):
    answer = analytics.send({**batch(INSTANCE, event("x")), **change})
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["status"] == "INVALID_ARGUMENT"
    assert minutes(analytics) == {}


def test_of_very_many_wrong_values_some_are_told(analytics):
    answer = analytics.accepted(batch(INSTANCE, event("x", {f"9{n}": "" for n in range(20_000)})))
    assert answer["accepted"] == 1
    assert len(answer["dropped"]) == 1_000


def test_a_body_that_is_no_json_or_too_large_is_refused(analytics):
    root = f"{analytics.url}/v1/projects/{analytics.project}/apps/a/events:batch"
    for body, status in [(b"", 400), (b"[", 400), (b"[]", 400), (b"\xff", 400), (b"\x1f\x8b123", 400)]:
        assert analytics.session.post(root, data=body, headers=analytics.key, timeout=30).status_code == status
    big = batch(INSTANCE, event("x", {"p": "y" * (1 << 20)}))
    assert analytics.send(big).status_code == 413
    assert analytics.send(big, packed=True).status_code == 413


def test_a_key_is_needed(analytics):
    assert analytics.send(batch(INSTANCE, event("x")), key={}).status_code == 403


def test_the_measurement_protocol(analytics):
    body = {
        "app_instance_id": HEXADECIMAL,
        "user_id": "u1",
        "timestamp_micros": str(micros(60)),
        "user_properties": {"level": {"value": "3"}},
        "events": [
            {"name": "tutorial_begin", "params": {"session_id": 5, "engagement_time_msec": "100"}},
            {"name": "purchase", "params": {"currency": "BRL", "value": 9.5, "items": [{"item_id": "a"}]}},
        ],
    }
    answer = analytics.collect(body)
    assert (answer.status_code, answer.content) == (204, b"")
    assert minutes(analytics) == {"tutorial_begin": 1, "purchase": 1}
    assert analytics.validation(body) == []
    assert minutes(analytics) == {"tutorial_begin": 1, "purchase": 1}


def test_the_protocol_answers_what_is_wrong_as_what_is_right(analytics):
    for body in ({}, {"events": []}, {"app_instance_id": "x", "events": [{"name": "a"}]}, []):
        assert analytics.collect(body).status_code == 204
    assert analytics.collect({}, firebase_app_id="").status_code == 204
    assert minutes(analytics) == {}


@pytest.mark.parametrize(
    "change, expected",
    [
        ({}, []),
        ({"app_instance_id": None}, [("app_instance_id", "VALUE_REQUIRED")]),
        ({"app_instance_id": "short"}, [("app_instance_id", "VALUE_INVALID")]),
        ({"events": []}, [("events", "VALUE_REQUIRED")]),
        ({"events": [{"name": "a"}] * 26}, [("events", "EXCEEDED_MAX_ENTITIES")]),
        ({"events": [{"name": "_a"}]}, [("events", "NAME_INVALID")]),
        ({"events": [{"name": "first_open"}]}, [("events", "NAME_RESERVED")]),
        ({"events": [{"name": "a", "params": {"ga_b": 1}}]}, [("events.params.ga_b", "NAME_RESERVED")]),
        ({"events": [{"name": "a", "timestamp_micros": 1}]}, [("events", "VALUE_OUT_OF_BOUNDS")]),
        ({"events": [{"name": "a", "timestamp_micros": -(2**63)}]}, []),
        ({"user_properties": {"first_open_time": {"value": 1}}},
         [("user_properties.first_open_time", "NAME_RESERVED")]),
        ({"events": [{"name": "a", "params": {f"p{n}": 1 for n in range(26)}}]},
         [("events.params.p25", "EXCEEDED_MAX_ENTITIES")]),
    ],
)
def test_validation_codes(analytics, change, expected):
    body = {"app_instance_id": HEXADECIMAL, "events": [{"name": "fine"}], **change}
    assert analytics.validation(body) == expected


def test_the_debug_view_shows_events_and_what_was_dropped(analytics):
    analytics.accepted(
        batch(INSTANCE, event("select_item", {"item_id": "SKU_1"}), event("ga_bad"), debug=True,
              userProperties={"level": {"value": "12"}})
    )
    analytics.accepted(batch("dAbc-efghijklmnopqrst_", event("quiet")))
    [device] = analytics.report("debug")["devices"]
    assert device["appInstanceId"] == INSTANCE and device["device"]["model"] == "iPhone17,2"
    assert device["userProperties"] == {"level": "12"}
    first, second = device["entries"]
    assert (first["event"], first["params"]) == ("select_item", {"item_id": "SKU_1"})
    assert second["dropped"]["code"] == "NAME_RESERVED"
    assert analytics.report("debug", device="x")["devices"] == []
    # Debug events are in no other view.
    assert minutes(analytics) == {"quiet": 1}


def test_reports_are_the_administrators(production_analytics):
    for path in ("live", "debug"):
        url = f"{production_analytics.url}/v1/projects/{production_analytics.project}/analytics/{path}"
        answer = production_analytics.session.get(url, timeout=30)
        assert answer.status_code in (401, 403), answer.text


@pytest.fixture
def production_analytics(production):
    from support import server as servers

    return Analytics(production, servers.PROJECT)
