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


@pytest.mark.parametrize(
    "location, country",
    [({"country_id": "br"}, "BR"), ({"region_id": "PT-11", "city": "Lisboa"}, "PT"),
     ({"country_id": "BR", "region_id": "PT-11"}, "BR"), (None, "")],
)
def test_of_where_a_user_is_the_protocol_keeps_the_country(analytics, location, country):
    # What is not kept does not keep events from counting when it is wrong.
    secret = {"user_data": {"sha256_email_address": ["ab" * 32]}, "ip_override": "192.0.2.77", "consent": {"ad_user_data": "granted"}}
    analytics.collect(
        {"app_instance_id": HEXADECIMAL, "user_location": location, **secret, "events": [{"name": "seen"}]}
    )
    [row] = analytics.report("breakdown", by="country")["rows"]
    assert (row["name"], row["now"]["events"]) == (country, 1)
    [kept] = exported(analytics, day())
    assert "abab" not in str(kept) and "192.0.2" not in str(kept)


def test_key_events_are_marked(analytics):
    analytics.accepted(batch(INSTANCE, event("purchase"), event("look")))
    assert analytics.report("settings")["keyEvents"] == []
    changed = analytics.report("settings", "PATCH", body={"keyEvents": ["purchase", "sign_up"]})
    assert changed["keyEvents"] == ["purchase", "sign_up"]
    marks = {row["name"]: row["isKeyEvent"] for row in analytics.report("events")["events"]}
    assert marks == {"purchase": True, "look": False}
    for names in (["a", "a"], ["9x"], [1], "a", [f"e{n}" for n in range(31)]):
        analytics.report("settings", "PATCH", status=400, body={"keyEvents": names})
    analytics.report("settings", "PATCH", body={"retentionDays": 60})
    assert analytics.report("settings")["keyEvents"] == ["purchase", "sign_up"]
    analytics.report("settings", "PATCH", body={"keyEvents": []})
    assert not any(row["isKeyEvent"] for row in analytics.report("events")["events"])


def test_the_protocol_answers_what_is_wrong_as_what_is_right(analytics):
    for body in ({}, {"events": []}, {"app_instance_id": "x", "events": [{"name": "a"}]}, []):
        assert analytics.collect(body).status_code == 204
    assert analytics.collect({}, firebase_app_id="").status_code == 204
    long = {"app_instance_id": HEXADECIMAL, "events": [{"name": "a", "params": {"p": "x" * 130_000}}]}
    assert analytics.collect(long).status_code == 204
    assert analytics.validation(long) == [("", "EXCEEDED_MAX_ENTITIES")]
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
        ({"events": [{"name": "a", "timestamp_micros": -(2**63)}]}, [("events.timestamp_micros", "VALUE_INVALID")]),
        ({"events": [{"name": "a", "timestamp_micros": "soon"}]}, [("events.timestamp_micros", "VALUE_INVALID")]),
        ({"timestamp_micros": 1.5}, [("timestamp_micros", "VALUE_INVALID")]),
        ({"timestamp_micros": {}}, [("timestamp_micros", "VALUE_INVALID")]),
        # Seconds where microseconds belong; the events have that time.
        ({"timestamp_micros": 1_800_000_000}, [("timestamp_micros", "VALUE_OUT_OF_BOUNDS"), ("events", "VALUE_OUT_OF_BOUNDS")]),
        ({"timestamp_micros": str(micros(60))}, []),
        ({"user_properties": {"level": {"value": 1, "timestamp_micros": "x"}}},
         [("user_properties.level.timestamp_micros", "VALUE_INVALID")]),
        ({"user_properties": {"first_open_time": {"value": 1}}},
         [("user_properties.first_open_time", "NAME_RESERVED")]),
        ({"consent": {"ad_user_data": "DENIED", "ad_personalization": "GRANTED"}, "ip_override": "192.0.2.1",
          "user_data": {"sha256_email_address": ["f" * 64]}, "non_personalized_ads": True}, []),
        ({"consent": {"ad_user_data": "MAYBE"}}, [("consent.ad_user_data", "VALUE_INVALID")]),
        ({"consent": "DENIED"}, [("consent", "VALUE_INVALID")]),
        ({"user_data": 1, "ip_override": {}, "non_personalized_ads": "no"},
         [("user_data", "VALUE_INVALID"), ("non_personalized_ads", "VALUE_INVALID"), ("ip_override", "VALUE_INVALID")]),
        ({"validation_behavior": "STRICT"}, [("validation_behavior", "VALUE_INVALID")]),
        ({"validation_behavior": "RELAXED", "colour": 1, "device": {"shoes": 2}}, []),
        ({"validation_behavior": "ENFORCE_RECOMMENDATIONS", "colour": 1, "device": {"shoes": 2, "model": "x"}},
         [("colour", "VALUE_INVALID"), ("device.shoes", "VALUE_INVALID")]),
        ({"events": [{"name": "a", "params": {f"p{n}": 1 for n in range(26)}}]},
         [("events.params.p25", "EXCEEDED_MAX_ENTITIES")]),
    ],
)
def test_validation_codes(analytics, change, expected):
    body = {"app_instance_id": HEXADECIMAL, "events": [{"name": "fine"}], **change}
    assert analytics.validation(body) == expected


def test_what_the_sdk_sets_does_not_count_in_whatever_order_it_comes(analytics):
    system = {"ga_session_id": 1, "ga_session_number": 1, "engagement_time_msec": 1, "session_engaged": 1}
    own = {f"p{n:02}": n for n in range(27)}
    first = dict(list(own.items())[:25])
    orders = [({**first, **system}, []), ({**own, **system}, ["p25", "p26"]), ({**system, **own}, ["p25", "p26"])]
    for params, dropped in orders:
        answer = analytics.accepted(batch(INSTANCE, event("big", params)))
        assert [found["field"] for found in answer.get("dropped", [])] == [f"params.{name}" for name in dropped]


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


def day(ago=0):
    import datetime

    moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=ago)
    return moment.strftime("%Y-%m-%d")


def counted(rows):
    return {row["name"]: (row["now"]["events"], row["now"]["users"]) for row in rows}


@pytest.fixture
def filled(analytics):
    """Two days of two users: the events of the seed's list of products."""
    yesterday = micros(86_400)
    analytics.accepted(
        batch(
            INSTANCE, event("first_open", at=yesterday), event("new_item", at=yesterday + 1_000_000), userId="u1"
        )
    )
    analytics.accepted(
        batch(
            INSTANCE,
            event("select_item", {"item_id": "SKU_1", "engagement_time_msec": 250}),
            event("attempt_delete_product", {"item_id": "SKU_1"}, sequence=1),
            event("purchase", {"value": 9.5, "items": [{"item_id": "a", "quantity": 2}]}, sequence=2),
            userProperties={"level": {"value": "12"}},
            userId="u1",
        )
    )
    other = batch("dAbc-efghijklmnopqrst_", event("select_item", {"item_id": "SKU_2"}))
    other["device"] = {**other["device"], "country": "DE"}
    analytics.accepted(other)
    return analytics


def test_events_with_the_days_before(filled):
    report = filled.report("events", **{"from": day(), "to": day()})
    assert (report["from"], report["to"]) == (day(), day())
    assert counted(report["events"]) == {
        "select_item": (2, 2), "attempt_delete_product": (1, 1), "purchase": (1, 1),
        "first_open": (0, 0), "new_item": (0, 0),
    }
    rows = {row["name"]: row for row in report["events"]}
    assert rows["new_item"]["before"]["events"] == 1
    assert rows["purchase"]["now"]["value"] == 9.5
    assert rows["select_item"]["now"]["engagementMillis"] == 250
    assert counted(filled.report("events")["events"])["first_open"] == (1, 1)


def test_parameters_have_the_products_code(filled):
    [item] = filled.report("events/select_item")["parameters"]
    assert item["name"] == "item_id" and counted(item["values"]) == {"SKU_1": (1, 1), "SKU_2": (1, 1)}
    [item] = filled.report("events/attempt_delete_product")["parameters"]
    assert counted(item["values"]) == {"SKU_1": (1, 1)}
    assert filled.report("events/nobody_did")["parameters"] == []


def test_breakdowns(filled):
    assert counted(filled.report("breakdown", by="country", event="select_item")["rows"]) == {"BR": (1, 1), "DE": (1, 1)}
    assert counted(filled.report("breakdown", by="appVersion")["rows"]) == {"1.4.0": (6, 2)}
    assert counted(filled.report("breakdown", property="level")["rows"]) == {"12": (3, 1)}
    filled.report("breakdown", status=400, by="shoe_size")


def test_users_and_retention(filled):
    report = filled.report("users", **{"from": day(1), "to": day()})
    assert (report["users"], report["active"], report["new"]) == (2, 1, 1)
    first, second = report["days"]
    assert (first["users"], first["active"], first["new"]) == (1, 1, 1)
    assert (second["users"], second["active"], second["active7"], second["new"]) == (2, 1, 1, 0)
    first, second = filled.report("retention", **{"from": day(1), "to": day(), "days": 7})["cohorts"]
    assert (first["users"], first["returned"]) == (1, [1, 1])
    assert (second["users"], second["returned"]) == (0, [0])


def test_a_funnel(filled):
    steps = filled.report("funnel", "POST", body={"steps": ["select_item", "attempt_delete_product", "purchase"]})
    assert [step["users"] for step in steps["steps"]] == [2, 1, 1]
    filled.report("funnel", "POST", status=400, body={"steps": []})


def test_audiences(filled):
    rules = {
        "buyers": ({"event": "purchase"}, 1),
        "lookers": ({"event": "select_item"}, 2),
        "only lookers": ({"all": [{"event": "select_item"}, {"not": {"event": "purchase"}}]}, 1),
        "germans or new": ({"any": [{"country": "DE"}, {"group": "new"}]}, 2),
        "level": ({"property": {"name": "level", "value": "12"}}, 1),
        "nobody": ({"event": "never_seen"}, 0),
    }
    for name, (rule, users) in rules.items():
        kept = filled.report(f"audiences/{name}", "PUT", body={"days": 7, "rule": rule})
        assert kept == {"name": name, "days": 7, "rule": rule, "users": users}
    listed = filled.report("audiences")["audiences"]
    assert {a["name"]: a["users"] for a in listed} == {name: users for name, (_, users) in rules.items()}
    assert filled.report("audiences/buyers", limit=5)["appInstanceIds"] == [INSTANCE]
    assert filled.report("audiences/buyers", "DELETE") == {}
    filled.report("audiences/buyers", status=404)
    filled.report("audiences/buyers", "DELETE", status=404)
    deep = {"event": "x"}
    for _ in range(9):
        deep = {"not": deep}
    for wrong in ({}, {"rule": {}}, {"rule": {"shoes": "red"}}, {"rule": {"all": []}}, {"days": 0, "rule": {"event": "x"}},
                  {"rule": deep}, {"rule": {"event": "x", "country": "BR"}}):
        filled.report("audiences/x", "PUT", status=400, body=wrong)


def test_one_users_timeline(filled):
    names = [e["event"] for e in filled.report("timeline", instance=INSTANCE)["events"]]
    assert names == ["purchase", "attempt_delete_product", "select_item", "new_item", "first_open"]
    assert len(filled.report("timeline", user="u1")["events"]) == 5
    assert [e["event"] for e in filled.report("timeline", user="u1", limit=1)["events"]] == ["purchase"]
    assert filled.report("timeline", user="u2")["events"] == []
    filled.report("timeline", status=400)


def test_what_was_dropped_is_counted(analytics):
    analytics.accepted(batch(INSTANCE, event("fine"), event("ga_x"), event("1x"), event("2x")))
    assert {r["name"]: r["now"]["events"] for r in analytics.report("dropped")["dropped"]} == {
        "NAME_RESERVED": 1, "NAME_INVALID": 2,
    }


def test_without_consent_events_count_and_nobody_does(analytics):
    denied = batch("", event("quiet"), consent={"analyticsStorage": "DENIED"}, userId="u1")
    analytics.accepted(denied)
    # The app sends it again when the answer is lost.
    analytics.send(denied | {"sentTimeMillis": denied["sentTimeMillis"] + 5_000})
    assert counted(analytics.report("events")["events"]) == {"quiet": (1, 0)}
    assert analytics.report("users")["users"] == 0
    assert analytics.report("timeline", user="u1")["events"] == []
    [row] = exported(analytics, day())
    assert row["user_pseudo_id"] is None and row["privacy_info"]["analytics_storage"] == "No"


def exported(analytics, text):
    import gzip
    import json

    root = f"{analytics.url}/v1/projects/{analytics.project}/analytics/export/{text}"
    answer = analytics.session.get(root, headers={"Authorization": "Bearer owner"}, timeout=60)
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in gzip.decompress(answer.content).splitlines()]


def test_an_export_has_googles_columns(filled):
    assert filled.report("days")["days"] == [day(1), day()]
    rows = exported(filled, day())
    assert len(rows) == 4
    row = next(r for r in rows if r["event_name"] == "purchase")
    assert row["event_date"] == day().replace("-", "") and row["user_pseudo_id"] == INSTANCE
    assert row["event_params"] == [{"key": "value", "value": {"double_value": 9.5}}]
    assert row["items"] == [{"item_id": "a", "quantity": 2}]
    assert row["user_properties"][0]["key"] == "level"
    assert row["user_properties"][0]["value"]["string_value"] == "12"
    assert row["device"]["mobile_os_hardware_model"] == "iPhone17,2" and row["geo"] == {"country": "BR"}
    assert abs(int(row["event_timestamp"]) - micros()) < 600_000_000
    assert exported(filled, day(9)) == []
    assert row["ecommerce"] == {"total_item_quantity": "2", "unique_items": "1", "purchase_revenue": 9.5}
    assert row["device"]["category"] == "mobile" and row["device"]["mobile_brand_name"] == "Apple"
    assert row["stream_id"] == row["app_info"]["firebase_app_id"] and row["event_value_in_usd"] is None
    active = {r["user_pseudo_id"]: r["is_active_user"] for r in rows}
    assert active[INSTANCE] is True


def test_columns_that_an_export_makes_of_parameters(analytics):
    analytics.accepted(
        batch(
            INSTANCE,
            event("page_view", {
                "page_location": "https://ana:secret@shop.example:8443/a?b#c", "source": "news", "medium": "email",
                "campaign": "spring", "currency": "USD", "value": 2,
            }),
        )
    )
    [row] = exported(analytics, day())
    assert row["event_dimensions"] == {"hostname": "shop.example"}
    assert row["device"]["web_info"] == {"hostname": "shop.example"}
    assert row["collected_traffic_source"] == {
        "manual_campaign_name": "spring", "manual_source": "news", "manual_medium": "email",
    }
    assert row["event_value_in_usd"] == 2 and row["is_active_user"] is False and row["ecommerce"] is None


def test_erasing_a_user(filled):
    assert filled.report("erase", "POST", body={"userId": "u1"}) == {"events": 5}
    assert counted(filled.report("events")["events"]) == {"select_item": (1, 1)}
    assert filled.report("users")["users"] == 1
    assert [row["user_pseudo_id"] for row in exported(filled, day())] == ["dAbc-efghijklmnopqrst_"]
    assert filled.report("erase", "POST", body={"userId": "u1"}) == {"events": 0}
    filled.report("erase", "POST", status=400, body={})


def test_settings(analytics):
    assert analytics.report("settings") == {"timeZone": "UTC", "retentionDays": 425, "keyEvents": []}
    changed = analytics.report("settings", "PATCH", body={"timeZone": "Pacific/Kiritimati", "retentionDays": 60})
    assert changed == {"timeZone": "Pacific/Kiritimati", "retentionDays": 60, "keyEvents": []}
    for body in ({"timeZone": "Mars/Olympus"}, {"retentionDays": 1}, {"shoes": 2}):
        analytics.report("settings", "PATCH", status=400, body=body)
    assert analytics.report("settings") == changed


def test_the_zone_says_which_day_it_is(analytics):
    analytics.report("settings", "PATCH", body={"timeZone": "Pacific/Kiritimati"})
    at = micros()
    analytics.accepted(batch(INSTANCE, event("e", at=at)))
    import datetime

    local = datetime.datetime.fromtimestamp(at / 1e6, datetime.timezone(datetime.timedelta(hours=14)))
    assert analytics.report("days")["days"] == [local.strftime("%Y-%m-%d")]


def test_events_survive_a_kill_and_count_once(tmp_path):
    """Whatever was acknowledged is there after kill -9, sealed or not, and a repeat is known."""
    from support import server as servers

    running = servers.Brasa(tmp_path / "data").start()
    analytics = Analytics(running, "t-kill")
    sent = []
    for number in range(60):
        made = batch(f"instance-{number % 7}", event("tick", {"n": number}), event("tock", sequence=1))
        analytics.accepted(made)
        sent.append(made)
        if number % 20 == 10:
            assert analytics.report("events")["events"]
        if number % 20 == 15:
            running.kill()
            running.start()
            analytics = Analytics(running, "t-kill")
    for made in sent:
        assert analytics.accepted(made)["repeated"]
    assert counted(analytics.report("events")["events"]) == {"tick": (60, 7), "tock": (60, 7)}
    running.kill()
    done = servers.run("verify", "--data", tmp_path / "data")
    assert "120 events" in done.stdout + done.stderr and "no differences" in done.stdout + done.stderr


def test_the_command(filled, server, tmp_path):
    from support import server as servers

    def run(*arguments, **options):
        return servers.run("analytics", *arguments, "--data", server.data, **options)

    project = ("--project", filled.project)
    listed = run("events", *project).stdout
    assert "select_item  2 events  2 users" in listed
    run("export", tmp_path / "events", *project)
    files = sorted((tmp_path / "events").iterdir())
    assert [file.name for file in files] == [f"events_{day(n).replace('-', '')}.json.gz" for n in (1, 0)]
    copy = Analytics(server, filled.project + "-copy")
    done = run("import", *files, "--project", copy.project)
    assert "imported 6 events" in done.stdout + done.stderr
    assert copy.report("events")["events"] == filled.report("events")["events"]
    assert copy.report("users") == filled.report("users")
    assert exported(copy, day()) == exported(filled, day())
    assert "erased 5 events" in run("erase", "--user", "u1", "--project", copy.project).stderr
    assert copy.report("users")["users"] == 1
    bad = tmp_path / "bad.json"
    bad.write_text('{"event_name": "x"}\n{"event_name": "_x", "event_timestamp": 5}\nno\n')
    refused = run("import", bad, "--project", copy.project, check=False)
    assert refused.returncode == 1 and "imported 0 events" in refused.stdout + refused.stderr


def test_reports_are_the_administrators(production_analytics):
    for path in ("live", "debug", "events", "users", "settings", "days", "export/2026-11-23"):
        url = f"{production_analytics.url}/v1/projects/{production_analytics.project}/analytics/{path}"
        answer = production_analytics.session.get(url, timeout=30)
        assert answer.status_code in (401, 403), answer.text


@pytest.fixture
def production_analytics(production):
    from support import server as servers

    return Analytics(production, servers.PROJECT)


def table(analytics, path, verb="GET", body=None, accept="text/csv", **query):
    """A report as rows of cells."""
    import csv
    import io

    answer = analytics.session.request(
        verb, f"{analytics.url}/v1/projects/{analytics.project}/analytics/{path}", params=query, json=body,
        headers={"Authorization": "Bearer owner", "Accept": accept}, timeout=60,
    )
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="')
    answer.encoding = "utf-8"
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


def test_every_report_is_csv_too(filled):
    today = {"from": day(), "to": day()}
    rows = table(filled, "events", **today)
    assert {row["name"]: row["now.users"] for row in rows}["select_item"] == "2"
    assert {row["name"]: row["now.value"] for row in rows}["purchase"] == "9.500000"
    assert {row["values.name"] for row in table(filled, "events/select_item", **today)} == {"SKU_1", "SKU_2"}
    assert {row["name"] for row in table(filled, "breakdown", by="country")} == {"BR", "DE"}
    [row] = table(filled, "users", accept="application/json", format="csv", **today)
    assert row["day"] == day() and row["users"] == "2"
    rows = table(filled, "retention", **{"from": day(1), "to": day(), "days": 1})
    assert [(row["day"], row["daysLater"], row["returned"]) for row in rows] == [
        (day(1), "0", "1"), (day(1), "1", "1"), (day(), "0", "0"),
    ]
    rows = table(filled, "funnel", "POST", body={"steps": ["select_item", "purchase"]})
    assert [row["users"] for row in rows] == ["2", "1"]
    assert {row["event"] for row in table(filled, "live")} >= {"select_item", "purchase"}
    assert {row["event"] for row in table(filled, "timeline", user="u1")} >= {"new_item", "purchase"}
    assert [row["day"] for row in table(filled, "days")] == [day(1), day()]
    for path in ("dropped", "audiences", "debug"):
        assert table(filled, path) == []
    filled.report("settings", status=400, format="csv")
    filled.report("events", status=400, format="xml")


def test_csv_has_no_formulas(analytics):
    names = ["=1+2", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1", 'a "b", c', "plain", "line\nend", "'=1"]
    for number, name in enumerate(names):
        analytics.accepted(batch(f"instance-{number}", event("e", {"text": name, "minus": -5})))
    rows = table(analytics, "events/e")
    found = {row["values.name"] for row in rows if row["name"] == "text"}
    assert found == {
        "'=1+2", "'+1", "'-1", "'@SUM(A1)", "'\t=1", "' =1", "'＝1", 'a "b", c', "plain", "line\nend", "'=1",
    }
    [minus] = [row for row in rows if row["name"] == "minus"]
    # The server's own numbers stay numbers; a parameter's value is a text.
    assert (minus["values.name"], minus["numbers.value"]) == ("'-5", f"-{5 * len(names)}.000000")


def test_sessions_are_counted_and_the_engaged_ones(analytics):
    analytics.accepted(batch(INSTANCE, event("a", {"ga_session_id": 1}), event("b", {"ga_session_id": 1}, sequence=1)))
    analytics.accepted(batch(INSTANCE, event("a", {"ga_session_id": 1, "session_engaged": 1})))
    analytics.accepted(batch("dAbc-efghijklmnopqrst_", event("a", {"ga_session_id": 1})))
    [today] = analytics.report("users", **{"from": day(), "to": day()})["days"]
    assert (today["sessions"], today["engagedSessions"]) == (2, 1)


def test_remote_config_asks_for_audiences(filled):
    from support.remote_config import RemoteConfig

    config = RemoteConfig(filled, filled.project)
    config.publish({
        "conditions": [{"name": "buyers", "expression": "app.audiences.inAtLeastOne(['buyers'])"}],
        "parameters": {"k": {"defaultValue": {"value": "no"}, "conditionalValues": {"buyers": {"value": "yes"}}}},
    })

    def fetched(instance):
        return config.fetch({"app_instance_id": instance}).json()["entries"]["k"]

    assert fetched(INSTANCE) == "no"
    filled.report("audiences/buyers", "PUT", body={"days": 2, "rule": {"event": "purchase"}})
    assert (fetched(INSTANCE), fetched("dAbc-efghijklmnopqrst_"), fetched("nobody")) == ("yes", "no", "no")
    assert config.evaluate(app_instance_id=INSTANCE)["conditions"] == ["buyers"]
    filled.report("audiences/buyers", "DELETE")
    assert fetched(INSTANCE) == "no"


def test_the_report_command(tmp_path):
    from support import server as servers

    def run(*arguments, **options):
        return servers.run("analytics", *arguments, "--project", "t-report", "--data", tmp_path / "data", **options)

    running = servers.Brasa(tmp_path / "data").start()
    try:
        analytics = Analytics(running, "t-report")
        analytics.accepted(batch(INSTANCE, event("view"), event("buy", {"value": 2.5}, sequence=1)))
        lines = run("events", "--csv").stdout.splitlines()
        assert lines[0].startswith("name,now.events,") and any(line.startswith("buy,1,1,2.500000,") for line in lines)
        import json

        assert json.loads(run("report", "users", "--from", day()).stdout)["users"] == 1
        assert run("report", "nothing", check=False).returncode != 0
    finally:
        running.stop()
    # On the directory at rest.
    funnel = run("report", "funnel", "--step", "view", "--step", "buy", "--csv").stdout.splitlines()
    assert funnel == ["event,users", "view,1", "buy,1"]
    assert "BR" in run("report", "breakdown", "--by", "country", "--event", "buy", "--csv").stdout


def test_a_server_exports_days_that_are_over(tmp_path):
    import gzip
    import json
    import time

    from support import server as servers

    running = servers.Brasa(tmp_path / "data").start()
    try:
        analytics = Analytics(running, "t-export")
        analytics.accepted(batch(INSTANCE, event("old", at=micros(86_400)), event("new")))
    finally:
        running.stop()
    folder = tmp_path / "exports"
    running = servers.Brasa(tmp_path / "data", environment={"BRASA_ANALYTICS_EXPORT": str(folder)}).start()
    try:
        file = folder / "t-export" / f"events_{day(1).replace('-', '')}.json.gz"
        deadline = time.monotonic() + 30
        while not file.exists():
            assert time.monotonic() < deadline, "nothing is exported"
            time.sleep(0.05)
        rows = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
        assert [row["event_name"] for row in rows] == ["old"]
        assert [path.name for path in (folder / "t-export").iterdir()] == [file.name]
    finally:
        running.stop()


def test_a_daily_export_that_fails_warns_until_it_works(tmp_path):
    import requests

    from support import server as servers

    running = servers.Brasa(tmp_path / "data").start()
    try:
        Analytics(running, "t-export").accepted(batch(INSTANCE, event("old", at=micros(86_400))))
    finally:
        running.stop()
    folder = tmp_path / "exports"
    folder.write_text("A file where the directory belongs.")
    running = servers.Brasa(tmp_path / "data", environment={"BRASA_ANALYTICS_EXPORT": str(folder)}).start()
    try:

        def health():
            return requests.get(f"{running.url}/healthz", timeout=30).text

        warning = "daily export of events: fails"
        servers.wait_for(lambda: warning in health(), "a warning")
        assert requests.get(f"{running.url}/healthz", timeout=30).status_code == 200
        failing = 'brasa_task_failing{task="daily export of events"} '
        assert f"{failing}1" in requests.get(f"{running.url}/metrics", timeout=30).text
        folder.unlink()
        servers.wait_for(lambda: warning not in health(), "no warning")
        assert f"{failing}0" in requests.get(f"{running.url}/metrics", timeout=30).text
        assert list((folder / "t-export").iterdir())
    finally:
        running.stop()
    log = running.output
    assert log.count("a task failed") == 1 and log.count("a task works again") == 1
