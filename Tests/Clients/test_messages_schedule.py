"""Messages that are sent later: by devices' own clocks, and again and again."""

import datetime
import zoneinfo

import pytest

from support import server as servers
from support.messaging import Device, Reports

pytestmark = pytest.mark.brasa_only

DAY = datetime.timedelta(days=1)


@pytest.fixture
def reports(server, project):
    return Reports(server, project)


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def instant(time):
    return time.isoformat().replace("+00:00", "Z")


def schedule(reports, **body):
    return reports.session.post(f"{reports.root}:schedule", json=body, timeout=30)


def clock(zone, time):
    """What clocks of a zone show."""
    return time.astimezone(zoneinfo.ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M:%S")


def test_each_device_gets_it_by_its_own_clock(server, project, reports):
    tokyo, lima = (
        Device(server, project).register({"direct": {"time_zone": zone}}) for zone in ("Asia/Tokyo", "America/Lima")
    )
    message = {"topic": "all", "data": {"n": "1"}}
    for device in (tokyo, lima):
        device.post(f"registrations/{device.token}/topicSubscriptions/all:subscribe", {})
    # Tokyo's clocks show now what Lima's will show in 14 hours.
    name = schedule(reports, message=message, localTime=clock("Asia/Tokyo", now())).json()["name"]
    with tokyo.connect() as stream:
        assert stream.line()["messageId"] == name.rsplit("/", 1)[1]
    reports.wait(name, {"direct": {"waiting": 1, "handed": 1}})
    with lima.connect() as stream:
        # What comes first is another message.
        other = reports.session.post(
            f"{reports.root}:send", json={"message": {"token": lima.token}}, timeout=30
        ).json()["name"]
        assert stream.line()["messageId"] == other.rsplit("/", 1)[1]
    shown = reports.get(name)
    assert shown["stage"] == "expanded" and "localTime" in shown["schedule"]
    found = servers.run("verify", "--data", server.data)
    assert "no differences" in found.stdout + found.stderr


def test_a_message_is_repeated(server, project, reports):
    device = Device(server, project).register()
    name = schedule(
        reports, message={"token": device.token}, scheduleTime=instant(now() + datetime.timedelta(seconds=4)),
        timeZone="America/Sao_Paulo", repeat={"every": "DAY", "interval": 2, "until": instant(now() + 30 * DAY)},
    ).json()["name"]
    with device.connect() as stream:
        made = stream.line()["messageId"]
    assert made != name.rsplit("/", 1)[1]
    assert reports.get(f"messages/{made}")["repeats"] == name.rsplit("/", 1)[1]
    waiting = reports.get(name)
    assert waiting["stage"] == "scheduled" and waiting["schedule"]["repeat"]["every"] == "DAY"
    next_time = datetime.datetime.fromisoformat(waiting["time"].replace("Z", "+00:00"))
    assert DAY < next_time - now() < 2 * DAY
    url = f"{reports.root}/{name.rsplit('/', 1)[1]}"
    assert reports.session.delete(url, timeout=30).json() == {}
    assert reports.session.get(url, timeout=30).status_code == 404


@pytest.mark.parametrize("field, body", [
    ("scheduleTime", {}), ("scheduleTime", {"scheduleTime": "soon"}),
    ("scheduleTime", {"scheduleTime": "2020-01-01T00:00:00Z"}),
    ("scheduleTime", {"scheduleTime": instant(now() + 400 * DAY)}),
    ("scheduleTime", {"scheduleTime": instant(now() + DAY), "localTime": "2027-01-15T09:00"}),
    ("localTime", {"localTime": "2027-02-30T09:00"}), ("localTime", {"localTime": "2027-01-15T09:00Z"}),
    ("scheduleTime", {"localTime": clock("UTC", now() - DAY)}),
    ("timeZone", {"scheduleTime": instant(now() + DAY), "timeZone": "Nowhere/Else"}),
    ("repeat.every", {"scheduleTime": instant(now() + DAY), "repeat": {"every": "YEAR"}}),
    ("repeat.interval", {"scheduleTime": instant(now() + DAY), "repeat": {"every": "DAY", "interval": 0}}),
    ("repeat.until", {"scheduleTime": instant(now() + DAY), "repeat": {"every": "DAY", "until": "never"}}),
])
def test_wrong_times_are_named(reports, field, body):
    for trial in (True, False):
        answer = schedule(reports, message={"topic": "a"}, validate_only=trial, **body)
        assert answer.status_code == 400
        assert answer.json()["error"]["details"][1]["fieldViolations"][0]["field"] == field


def test_the_commands(tmp_path):
    server = servers.Brasa(tmp_path / "data").start()

    def brasa(*arguments, **options):
        return servers.run("messages", *arguments, "--project", "shop", "--data", server.data, **options)

    message = '{"topic": "news"}'
    local = clock("UTC", now() + 2 * DAY)
    name = brasa("send", message, "--at-local", local, "--every", "week", "--interval", "2").stderr.split()[-1]
    shown = Reports(server, "shop").get(f"messages/{name}")["schedule"]
    assert shown == {"localTime": local, "timeZone": "GMT", "repeat": {"every": "WEEK", "interval": 2}}
    once = brasa("send", message, "--at", instant(now() + DAY), "--time-zone", "America/Lima").stderr.split()[-1]
    assert "scheduled" in brasa("list").stdout
    for each in (name, once):
        assert brasa("cancel", each).stderr.strip() == f"cancelled {each}"
        assert brasa("cancel", each, check=False).returncode != 0
    for wrong in (["--every", "day"], ["--at", "x", "--at-local", "y"], ["--at", instant(now() + DAY), "--interval", "2"]):
        assert brasa("send", message, *wrong, check=False).returncode != 0
    assert brasa("erase", "--user", "nobody").stderr.strip() == "erased 0 registrations and 0 messages"
    assert server.stop() == 0


def test_nobody_gets_more_of_a_label_than_its_cap(server, project, reports):
    device = Device(server, project).register()
    body = {
        "message": {"token": device.token, "fcm_options": {"analytics_label": "offers"}},
        "frequencyCap": {"messages": 2, "period": "3600s"},
    }
    sent = [reports.session.post(f"{reports.root}:send", json=body, timeout=30).json()["name"] for _ in range(3)]
    for name in sent[:2]:
        reports.wait(name, {"direct": {"waiting": 1}})
    reports.wait(sent[2], {"direct": {"refused": 1}})
    assert [each["reason"] for each in reports.deliveries(sent[2])] == ["frequency-cap"]
    for wrong in ({"messages": 0, "period": "60s"}, {"messages": 1}, {"messages": 1, "period": "90d"}):
        answer = reports.session.post(f"{reports.root}:send", json=body | {"frequencyCap": wrong}, timeout=30)
        assert answer.status_code == 400 and "frequencyCap" in answer.text
    del body["message"]["fcm_options"]
    assert reports.session.post(f"{reports.root}:send", json=body, timeout=30).status_code == 400
