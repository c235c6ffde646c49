"""Messages in headless Chromium: the page registers, the worker shows, and both report what arrived.

Chromium's push service is Google's; its part is played by a stand-in that decrypts with http-ece, and the developer tools
(`ServiceWorker.deliverPushMessage`) bring what it decrypted to the worker.
"""

import itertools
import json

import pytest
import requests
import websocket

from support import push, server as servers

pytestmark = pytest.mark.brasa_only

PAUSE = 20


@pytest.fixture(scope="module")
def pages():
    from support import browser as browsers

    made = browsers.Pages()
    yield made
    made.close()


@pytest.fixture(scope="module")
def pushing(tmp_path_factory, push_service):
    running = push.Server(tmp_path_factory.mktemp("pushing"), push_service)
    running.start()
    yield running
    running.stop()


class Tools:
    """Chromium's developer tools on one page."""

    def __init__(self, browser):
        address = browser.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        self.targets = lambda: requests.get(f"http://{address}/json/list", timeout=10).json()
        self.numbers = itertools.count(1)

    def connect(self, kind, part):
        url = next(t["webSocketDebuggerUrl"] for t in self.targets() if t["type"] == kind and part in t["url"])
        return websocket.create_connection(url, suppress_origin=True, timeout=PAUSE)

    def call(self, socket, method, **parameters):
        number = next(self.numbers)
        socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        return self.read(socket, lambda said: said.get("id") == number)

    def read(self, socket, wanted):
        while True:
            said = json.loads(socket.recv())
            assert "error" not in said, said
            if wanted(said):
                return said

    def deliver(self, origin, payload, part):
        """Brings a message to the worker of an origin, as the browser's push service does."""
        socket = self.connect("page", part)
        socket.send(json.dumps({"id": next(self.numbers), "method": "ServiceWorker.enable"}))
        said = self.read(socket, lambda said: any(
            r["scopeURL"].startswith(origin) for r in said.get("params", {}).get("registrations", [])
        ))
        registration = next(r for r in said["params"]["registrations"] if r["scopeURL"].startswith(origin))
        self.call(socket, "ServiceWorker.deliverPushMessage", origin=origin,
                  registrationId=registration["registrationId"], data=json.dumps(payload))
        socket.close()

    def click(self, part):
        """Tells the worker that its first notification was clicked; gives the link that it opens.

        Browsers open windows at clicks of people alone, so the worker's call is taken down instead.
        """
        socket = self.connect("service_worker", part)
        script = """new Promise(async (resolve, reject) => {
          self.clients.openWindow = async (url) => resolve(url);
          const [notification] = await self.registration.getNotifications();
          if (!notification) reject(new Error("nothing is shown"));
          self.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
        })"""
        said = self.call(socket, "Runtime.evaluate", expression=script, awaitPromise=True)["result"]
        socket.close()
        assert "exceptionDetails" not in said, said
        return said["result"]["value"]


def arrived(service, count):
    servers.wait_for(lambda: len(service.pushes) >= count, f"{count} messages", PAUSE)
    return service.pushes[count - 1]


def start(browser, pages, server, project, subscription):
    browser.open(f"{pages.url}/messaging.html")
    settings = {"server": server.url, "project": project, "endpoint": subscription.endpoint, "keys": subscription.keys}
    assert later(browser, "start(arguments[0])", settings) is True


def later(browser, expression, *arguments):
    """What a promise of the page comes to."""
    script = f"const done = arguments[arguments.length - 1]; ({expression}).then(done, (e) => done(String(e)))"
    return browser.driver.execute_async_script(script, *arguments)


def test_a_page_registers_receives_and_reports(browser, pages, pushing, push_service, project):
    subscription = push.Subscription(push_service)
    browser.driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": pages.url, "permissions": ["notifications"]})
    start(browser, pages, pushing, project, subscription)
    token = later(browser, "take()")
    fid, _, secret = token.partition(":")
    assert fid and secret, token
    assert len(browser.run("return asked[0]")) == 65
    assert later(browser, "take()") == token

    # A visible page gets the message and nothing is shown; a repetition is nothing new.
    tools = Tools(browser)
    name = pushing.send(project, token=token, notification={"title": "New order", "body": "Table 4"}, data={"order": "4"})
    payload = arrived(push_service, 1).payload(subscription)
    assert payload["fcmMessageId"] == name and payload["data"] == {"order": "4"}
    for _ in range(2):
        tools.deliver(pages.url, payload, "messaging.html")
    pushing.became(project, name, {"webpush": {"acknowledged": 1}})
    name = pushing.send(project, token=token, data={"order": "5"})
    other = arrived(push_service, 2).payload(subscription)
    tools.deliver(pages.url, other, "messaging.html")
    pushing.became(project, name, {"webpush": {"acknowledged": 1}})
    assert browser.wait("return received.length > 1 && received") == [payload, other]
    assert later(browser, "notifications()") == []

    # Without one the worker shows it; a click opens its link and is reported.
    link = "https://shop.example/orders/5"
    name = pushing.send(project, token=token, notification={"title": "Ready", "body": "Table 5"},
                        webpush={"fcm_options": {"link": link}})
    payload = arrived(push_service, 3).payload(subscription)
    browser.driver.get("about:blank")
    tools.deliver(pages.url, payload, "about:blank")
    pushing.became(project, name, {"webpush": {"acknowledged": 1}})
    start(browser, pages, pushing, project, subscription)
    assert later(browser, "notifications()") == [{"title": "Ready", "body": "Table 5", "id": name}]
    assert tools.click("firebase-messaging-sw.js") == link
    pushing.became(project, name, {"webpush": {"opened": 1}})
    assert later(browser, "notifications()") == []

    # What was clicked does not arrive once more.
    pushing.send(project, token=token, data={"order": "6"})
    last = arrived(push_service, 4).payload(subscription)
    tools.deliver(pages.url, last, "messaging.html")
    assert browser.wait("return received.length > 0 && received") == [last]

    # The end of the registration.
    assert later(browser, "take()") == token
    assert later(browser, "end()") is True
    refused = requests.post(
        f"{pushing.url}/v1/projects/{project}/messages:send", headers={"authorization": "Bearer owner"},
        json={"message": {"token": token, "data": {"a": "b"}}}, timeout=PAUSE,
    )
    assert refused.status_code == 404, refused.text


def test_scripts_are_served_to_every_origin(pushing):
    for script in ("messaging.js", "messaging-store.js", "messaging-worker.js"):
        url = f"{pushing.url}/__/messaging/{script}"
        answer = requests.get(url, headers={"origin": "https://shop.example"}, timeout=PAUSE)
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/javascript")
        assert answer.headers["access-control-allow-origin"] == "https://shop.example"
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        again = requests.get(url, headers={"if-none-match": answer.headers["etag"]}, timeout=PAUSE)
        assert again.status_code == 304 and not again.content
