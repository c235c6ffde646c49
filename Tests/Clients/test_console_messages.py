"""The console in headless Chromium: messages that are composed, sent, scheduled, taken back, and what became of them."""

import datetime

import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from support import secrets
from support.analytics import Analytics, batch, event
from support.axe import findings
from support.looks import LANGUAGES
from support.messaging import Device, Reports
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
HOSTILE = "<img src=x onerror=alert(1)>\u202e & \"quotes\""


@pytest.fixture
def device(server, project):
    return Device(server, project).register()


def subscribe(device, topic):
    answer = device.post(f"registrations/{device.token}/topicSubscriptions/{topic}:subscribe", {})
    assert answer.status_code == 200, answer.text


WORDS = {
    "en": {
        "new": "New message", "title": "Title", "text": "Text", "target": "Topic, audience, token, uid or condition", "review": "Review", "send": "Send", "waiting": "Waiting 1",
        "opened": "Opened", "kind": "To", "topic": "topic news",
    },
    "pt-BR": {
        "new": "Nova mensagem", "title": "Título", "text": "Texto", "target": "Tópico, público, token, uid ou condição", "review": "Revisar", "send": "Enviar", "waiting": "Esperando 1",
        "opened": "Aberta", "kind": "Para", "topic": "tópico news",
    },
}


@LANGUAGES
def test_a_message_to_a_topic_and_what_became_of_it(console, server, project, device, language):
    words = WORDS[language]
    subscribe(device, "news")
    console.open("messages", language)
    console.click("button", words["new"])
    console.fill(words["title"], "Cadeira")
    console.put(words["text"], HOSTILE)
    console.fill(words["target"], "news")
    console.browser.wait("return document.querySelector('aside .bubble').textContent.includes(arguments[0])", HOSTILE)
    console.click("button", words["review"])
    console.find("dialog")
    console.click("button", words["send"])
    console.browser.wait("return location.pathname.includes('/messages/sent/')")
    with device.connect() as stream:
        line = stream.line()
        assert line["message"]["notification"] == {"title": "Cadeira", "body": HOSTILE}
        device.acknowledge(line["sequence"], opened=[line["messageId"]])
    # The report follows what the device says by itself.
    console.sees(words["opened"])
    console.open("messages", language)
    console.click("link", "Cadeira")
    console.sees(words["topic"])


def test_a_message_waits_for_its_time_and_is_taken_back(console, server, project):
    console.open("messages/compose?topic=news")
    console.fill("Title", "Later")
    day = datetime.datetime.now() + datetime.timedelta(days=30)
    console.put("Send at", day.strftime("%Y-%m-%dT%H:%M"))
    console.click("button", "Review")
    console.find("dialog", "Schedule")
    # Nobody has subscribed yet.
    console.click("checkbox", "Send anyway")
    console.click("button", "Schedule")
    console.sees("Scheduled")
    [message] = requests.get(f"{server.url}/v1/projects/{project}/messages", headers=OWNER, timeout=30).json()["messages"]
    assert message["stage"] == "scheduled" and message["title"] == "Later"
    console.click("button", "Cancel sending")
    console.find("dialog")
    console.browser.run("document.querySelector('dialog button.danger').click()")
    console.sees("Sending was cancelled")
    assert requests.get(f"{server.url}/v1/projects/{project}/messages", headers=OWNER, timeout=30).json()["messages"] == []


def test_a_trial_reaches_one_device_and_a_wrong_message_says_why(console, device):
    console.open("messages/compose?topic=news")
    console.fill("Title", "Trial")
    console.click("button", "Send a test")
    console.fill("Device token", "unknown")
    console.click("button", "Send")
    console.browser.wait("return document.querySelector('dialog [role=alert]').textContent !== ''")
    console.put("Device token", device.token)
    console.click("button", "Send")
    with device.connect() as stream:
        assert stream.line()["message"]["notification"] == {"title": "Trial"}
    console.browser.wait("return !document.querySelector('dialog')")
    console.choose("To", "condition")
    console.fill("Topic, audience, token, uid or condition", "news &&")
    console.click("button", "Check only")
    console.sees("Invalid condition expression")
    # Nothing typed is lost by leaving.
    console.click("link", "Users")
    console.dismiss_question()
    assert console.read("Title") == "Trial"


def test_a_message_to_an_audience_reaches_who_is_in_it(console, server, project):
    analytics = Analytics(server, project)
    buyer, visitor = Device(server, project).register(), Device(server, project).register()
    for one, name in ((buyer, "purchase"), (visitor, "open")):
        analytics.accepted(batch(one.fid, event(name)))
    analytics.report("audiences/buyers", "PUT", body={"days": 7, "rule": {"event": "purchase"}})
    console.open("analytics/audiences")
    console.click("link", "Send to buyers")
    assert console.read(WORDS["en"]["target"]) == "buyers"
    console.browser.wait("return [...document.querySelectorAll('datalist option')].some((one) => one.label === 'buyers (1)')")
    console.fill("Title", "Thanks")
    console.click("button", "Review")
    console.find("dialog")
    console.click("button", "Send")
    console.browser.wait("return location.pathname.includes('/messages/sent/')")
    console.sees("audience buyers")
    with buyer.connect() as stream:
        assert stream.line()["message"]["notification"] == {"title": "Thanks"}
    [message] = requests.get(f"{server.url}/v1/projects/{project}/messages", headers=OWNER, timeout=30).json()["messages"]
    [delivery] = Reports(server, project).deliveries(message["name"])
    assert delivery["transport"] == "direct"
    console.open("messages/compose?audience=nobody")
    console.fill("Title", "Nobody")
    console.click("button", "Check only")
    console.sees("There is no audience")


def test_topics_are_listed_with_their_registrations(console, server, project):
    for topics in (["news"], ["news", "sports"]):
        device = Device(server, project).register()
        for topic in topics:
            subscribe(device, topic)
    root = f"{server.url}/v1/projects/{project}/messages:listTopics"
    assert requests.get(root, headers=OWNER, timeout=30).json() == {"topics": [{"name": "news", "registrations": 2}, {"name": "sports", "registrations": 1}]}
    first = requests.get(f"{root}?pageSize=1", headers=OWNER, timeout=30).json()
    assert [one["name"] for one in first["topics"]] == ["news"]
    assert requests.get(f"{root}?pageSize=1&pageToken={first['nextPageToken']}", headers=OWNER, timeout=30).json()["topics"][0]["name"] == "sports"
    console.open("messages/topics")
    console.click("link", "Send to sports")
    assert console.read("Topic, audience, token, uid or condition") == "sports"


def test_a_refused_delivery_says_its_reason(console, server, project):
    # A push service that the server does not know is asked for nothing.
    key = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    device = Device(server, project).register({"web": {"endpoint": "https://push.example/1", "auth": "AAAAAAAAAAAAAAAAAAAAAA", "p256dh": key}})
    answer = requests.post(f"{server.url}/v1/projects/{project}/messages:send", headers=OWNER, timeout=30, json={"message": {"token": device.token, "data": {"a": "b"}}})
    assert answer.status_code == 200, answer.text
    name = answer.json()["name"]
    Reports(server, project).wait(name, {"webpush": {"refused": 1}})
    [delivery] = Reports(server, project).deliveries(name)
    console.open(f"messages/sent/{name.rsplit('/', 1)[1]}")
    console.sees("Why deliveries were refused")
    console.sees(delivery["reason"])
    console.sees("Web Push")


def test_nothing_is_sent_while_writing_is_locked(console, server, project):
    console.open("messages/compose?topic=news")
    console.click("button", "Read only")
    console.sees("Send a test")
    for name in ("Review", "Send a test", "Check only"):
        assert not console.is_enabled(name), name
    console.driver.refresh()
    console.browser.wait("return document.querySelector('button[aria-pressed=true]')")
    console.click("link", "Users")
    assert not console.is_enabled("Add user")
    console.click("button", "Read only")
    console.browser.wait("return [...document.querySelectorAll('button.primary')].some((one) => !one.disabled)")


@LANGUAGES
def test_a_server_key_is_made_shown_once_and_revoked(console, server, project, language):
    create, name, field, close, revoke, none = {
        "en": ("Create server key", "Name", "Server key", "Close", "Revoke the key of back-end", "No server keys."),
        "pt-BR": ("Criar chave do servidor", "Nome", "Chave do servidor", "Fechar", "Revogar a chave de back-end", "Não há chave do servidor."),
    }[language]
    console.open("settings", language=language)
    console.sees(none)
    console.click("button", create)
    console.fill(name, "back-end")
    console.browser.run("document.querySelector('dialog button[type=submit]').click()")
    key = secrets.note(console.read(field), "server key")
    console.click("button", close)
    console.sees(f"{key[:8]}…")
    assert key not in console.driver.page_source
    send = {"to": "/topics/news", "data": {"a": "b"}}

    def sent():
        return requests.post(f"{server.url}/fcm/send", json=send, headers={"authorization": f"key={key}"}, timeout=30).status_code

    assert sent() == 200
    root = f"{server.url}/v1/projects/{project}/serverKeys"
    assert [one["name"] for one in requests.get(root, headers=OWNER, timeout=30).json()["keys"]] == ["back-end"]
    console.click("button", revoke)
    console.find("dialog")
    console.browser.run("document.querySelector('dialog button.danger').click()")
    console.sees(none)
    assert requests.delete(f"{root}/back-end", headers=OWNER, timeout=30).status_code == 404


def test_a_key_for_apples_devices_is_added_and_removed(console, server, project, tmp_path):
    pem = ec.generate_private_key(ec.SECP256R1()).private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = tmp_path / "AuthKey_ABC1234567.p8"
    file.write_bytes(pem)
    secrets.note(pem.decode(), "APNs key")
    root = f"{server.url}/v1/projects/{project}/pushCredentials"
    console.open("messages/credentials")
    console.sees("No key: Apple devices receive no messages.")
    console.click("button", "Add key")
    console.find("dialog").find_element("css selector", "input[type=file]").send_keys(str(file))
    console.until(lambda: console.read("Key id") == "ABC1234567", "the file's name is not read")
    console.fill("Team id", "short")
    console.fill("Bundle id", "com.example.shop")
    submit = "document.querySelector('dialog button[type=submit]').click()"
    console.browser.run(submit)
    console.sees("ten letters and digits")
    console.fill("Team id", "DEF1234567")
    console.browser.run(submit)
    console.sees("Key added")
    answer = requests.get(root, headers=OWNER, timeout=30).json()
    assert answer["apnsKeys"] == [{"keyId": "ABC1234567", "teamId": "DEF1234567", "bundleId": "com.example.shop"}]
    assert "PRIVATE" not in console.driver.page_source
    console.click("button", "Remove the key ABC1234567")
    console.find("dialog")
    console.browser.run("document.querySelector('dialog button.danger').click()")
    console.sees("No key: Apple devices receive no messages.")
    assert requests.delete(f"{root}/-", headers=OWNER, timeout=30).status_code == 404


@pytest.mark.parametrize("width, scheme, language", [(390, "light", "pt-BR"), (1440, "dark", "en")])
def test_the_review_says_whom_a_message_reaches(console, server, project, device, width, scheme, language):
    text = Texts(language)
    other = Device(server, project).register()
    for one, topics in ((device, ["news", "sports"]), (other, ["news"])):
        for topic in topics:
            subscribe(one, topic)
    analytics = Analytics(server, project)
    analytics.report("audiences/nobody", "PUT", body={"days": 28, "rule": {"event": "never"}})
    console.browser.show_as(width, 900, scheme)
    console.open("messages/compose", language)
    console.fill(text("messages.title"), "Cadeira")
    devices = {"en": ("2 devices", "At most 3 devices"), "pt-BR": ("2 aparelhos", "No máximo 3 aparelhos")}[language]
    cases = [
        ("topic", "news", devices[0], None), ("topic", "nwes", None, text("reach.noTopic", "nwes")), ("condition", "'news' in topics || 'sports' in topics", devices[1], None),
        ("condition", "'news' in topics && 'nwes' in topics", None, text("reach.noTopic", "nwes")), ("condition", "!('news' in topics)", text("reach.unknown"), None), ("audience", "nobody", None, text("reach.nobody")),
    ]
    for kind, value, reach, warning in cases:
        console.choose(text("messages.target"), kind)
        console.fill(text("messages.targetValue"), value)
        console.click("button", text("messages.review"))
        console.find("dialog")
        said = console.text("dialog")
        assert (reach or "") in said and (warning or "") in said, said
        assert bool(console.all("checkbox", text("reach.anyway"))) == (warning is not None)
        assert findings(console, "dialog[open]") == [], value
        if warning:
            # Without the tick nothing goes out.
            console.click("button", text("messages.send"))
            console.sees(text("reach.confirm"))
        console.click("button", text("cancel"))
    sent = requests.get(f"{server.url}/v1/projects/{project}/messages", headers=OWNER, timeout=30).json()
    assert not sent.get("messages")
    console.choose(text("messages.target"), "topic")
    console.fill(text("messages.targetValue"), "nwes")
    console.click("button", text("messages.review"))
    console.click("checkbox", text("reach.anyway"))
    console.click("button", text("messages.send"))
    console.browser.wait("return location.pathname.includes('/messages/sent/')")
