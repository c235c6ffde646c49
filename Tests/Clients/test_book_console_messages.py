"""The book's chapter 8 in the console, in production mode: from its forms to the push at Apple's service, which is a stand-in.

The chapter's Swift is `Chapter08` of the examples' tests, its page in `test_book.py` there.
"""

import json

import pytest
import requests

from support import book as books, browser as browsers, push, secrets, server as servers
from support.book import APPLE, PROJECT, create_project, plist, reader, register_app, submit
from support.certificates import certificate_for
from support.messaging import Device

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.skipif(not push.PROGRAM.exists(), reason=f"{push.PROGRAM} is not built"),
]

BUNDLE = "br.com.siecola.ios-swiftui-fcm"


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    """8.5.1: the key of the developer's account, with its id and the team's."""
    made = push.AppleKey(tmp_path_factory.mktemp("key"))
    made.bundle = BUNDLE
    return made


@pytest.fixture(scope="module")
def apple(key):
    with push.APNs(key) as made:
        yield made


@pytest.fixture(scope="module")
def book(apple, tmp_path_factory):
    certificates = certificate_for(["localhost", books.AUTH], tmp_path_factory.mktemp("book"))
    server = books.start(
        tmp_path_factory.mktemp("server"), certificates,
        BRASA_PUSH_CA=apple.authority, BRASA_APNS_PRODUCTION=apple.url, BRASA_APNS_SANDBOX=apple.url,
    )
    yield server
    assert server.stop() == 0, server.output[-4000:]


@pytest.fixture(scope="module")
def chromium():
    made = browsers.Browser()
    yield made
    made.close()


# 8.7.6, as it is printed; the token is the phone's.
MESSAGE = """{
  "to": "token de registro no FCM",
  "notification": {
    "body": "Status do pedido",
    "title": "Provedor de Mensagens",
    "orderInfo": {
      "infoReason": "Status de pedido",
      "orderID": 3,
      "userEmail": "matilde@siecola.com.br",
      "newOrderStatus": "Novo pedido"
    }
  },
  "priority": "high",
  "content_available": true
}"""


def test_chapter_8_a_message_reaches_the_phone(chromium, book, key, apple):
    console = reader(chromium, book, "eight@example.org")

    # 8.4.1: the app is registered by its bundle id; its file is there to be kept, and names it.
    register_app(console, BUNDLE)
    console.find("button", "GoogleService-Info.plist")
    found = plist(book, BUNDLE)
    assert (found["BUNDLE_ID"], found["PROJECT_ID"]) == (BUNDLE, PROJECT) and found["GCM_SENDER_ID"].isdigit()

    # 8.5.4: the key's file, whose name says its id, with the team's id.
    console.open("messages/credentials")
    console.sees("No key: Apple devices receive no messages.")
    console.click("button", "Add key")
    console.find("dialog").find_element("css selector", "input[type=file]").send_keys(str(key.file))
    console.until(lambda: console.read("Key id") == key.id, "the name of the file is not read")
    console.fill("Team id", key.team)
    console.fill("Bundle id", key.bundle)
    submit(console)
    console.sees(key.team)
    assert "PRIVATE KEY" not in console.driver.page_source

    # 8.6.2: the app asks for its registration token.
    device = f"{8:064x}"
    token = Device(book, PROJECT, found["GOOGLE_APP_ID"]).register(
        {"ios": {"apns_token": device, "apns_environment": "PROD", "bundle_id": BUNDLE}}).token

    # 8.7.6: the server key, and the request with it.
    console.open("settings")
    console.click("button", "Create server key")
    console.fill("Name", "postman")
    console.browser.run("document.querySelector('dialog[open] button[type=submit]').click()")
    server_key = secrets.note(console.read("Server key"), "server key")
    console.click("button", "Close")

    def send(message, authorization):
        headers = {"Content-Type": "application/json", "Authorization": authorization}
        return requests.post(f"{book.url}/fcm/send", data=message.encode(), headers=headers, verify=book.authority, timeout=30)

    message = MESSAGE.replace("token de registro no FCM", token)
    assert send(message, "key=<Server key>").status_code == 401
    answer = send(message, f"key={server_key}").json()
    assert set(answer) == {"multicast_id", "success", "failure", "canonical_ids", "results"}
    assert (answer["success"], answer["failure"], answer["canonical_ids"]) == (1, 0, 0)
    [result] = answer["results"]

    # What the phone gets is what the log of the text shows, under the id of the answer.
    [arrived] = servers.wait_for(lambda: [one for one in apple.pushes if one["path"].endswith(device)], "the message at Apple's service", 20)
    info = arrived["body"]
    assert info["gcm.message_id"] == result["message_id"]
    assert info["aps"] == {"alert": {"title": "Provedor de Mensagens", "body": "Status do pedido"}, "content-available": 1}
    assert {"google.c.a.e", "google.c.sender.id"} <= set(info) and info["google.c.sender.id"] == found["GCM_SENDER_ID"]
    assert json.loads(info["gcm.notification.orderInfo"]) == json.loads(MESSAGE)["notification"]["orderInfo"]
    assert arrived["headers"]["apns-topic"] == BUNDLE and arrived["headers"]["apns-priority"] == "10"

    # The console says what became of it.
    console.open("messages")
    console.sees("Provedor de Mensagens")
    assert console.violations() == []


def test_chapter_8_4_1_create_the_project_in_the_console(chromium, book):
    """Add project, name."""
    console = reader(chromium, book, "project@example.org")
    assert create_project(console, "iOS SwiftUI FCM") == "ios-swiftui-fcm"
    assert console.violations() == []


@pytest.mark.skip(reason=APPLE)
def test_chapter_8_5_authentication_key_app_id_and_provisioning_profile():
    """8.5.1 to 8.5.3, and the background mode and the push capability of 8.6.1."""
