"""Google's SDK for the web in production: a page loads our script first and then asks Google's hosts, in headless Chromium."""

import os

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import ec

from support import rules, server as servers
from support.push import encode, point
from support.remote_config import RemoteConfig

pytestmark = pytest.mark.brasa_only

NOTES = rules.service("match /notes/{id} { allow read, write: if request.auth != null; }")
FILES = """rules_version = '2';
service firebase.storage {
  match /b/{bucket}/o {
    match /users/{uid}/{path=**} { allow read, write: if request.auth.uid == uid; }
  }
}
"""


@pytest.fixture(scope="module")
def pages():
    from support import browser as browsers

    made = browsers.Pages()
    yield made
    made.close()


@pytest.fixture(scope="module")
def page(browser, pages, production):
    """The page on a production server with rules, a template and a bucket."""
    project, bucket = servers.PROJECT, f"{servers.PROJECT}.appspot.com"
    api = rules.RulesAPI(production.url, project, production.administrator_key, production.authority)
    api.deploy(NOTES)
    api.deploy(FILES, f"firebase.storage/{bucket}")
    config = RemoteConfig(production, project, token=production.administrator_key)
    config.publish({"parameters": {"color": {"defaultValue": {"value": "blue"}}}})
    browser.open(f"{pages.url}/web.html?server={production.url}&project={project}")
    return browser


def later(page, expression, *arguments):
    """What a promise of the page comes to."""
    script = f"const done = arguments[arguments.length - 1]; ({expression}).then(done, (e) => done(String(e)))"
    return page.driver.execute_async_script(script, *arguments)


def test_a_page_reaches_every_product_by_googles_hosts(page, production):
    bucket = f"{servers.PROJECT}.appspot.com"
    assert later(page, "signIn()") is True
    assert later(page, "documents()") == ["hello", "1"]
    assert later(page, "files(arguments[0])", bucket) == "hello"
    # Links to files are for images, too, which no script sees: apps set the host.
    assert later(page, "files(arguments[0], arguments[1])", bucket, production.url) == "hello"
    assert later(page, "install()") == 3
    values, number = later(page, "config()")
    assert values == {"color": "blue"} and int(number) >= 1
    keys = {
        "p256dh": encode(point(ec.generate_private_key(ec.SECP256R1()))), "auth": encode(os.urandom(16)),
    }
    assert later(page, "register(arguments[0], arguments[1])", "https://fcm.googleapis.com/fcm/send/abc", keys) is True
    assert later(page, "unregister()") == 200


def test_other_hosts_are_left_alone(page, production):
    sockets = production.url.replace("https://", "wss://")
    assert later(page, "led()") == [True, 204, None, None, None, f"{sockets}/a?b=c"]


def test_the_script_is_served_to_every_origin(production):
    url = f"{production.url}/__/brasa/web.js"
    answer = requests.get(url, headers={"Origin": "https://shop.example"}, verify=production.authority, timeout=30)
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "identitytoolkit.googleapis.com" in answer.text
