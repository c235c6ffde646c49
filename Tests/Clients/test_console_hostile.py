"""What somebody wrote into parameters, messages and accounts is text in the console, and no other page frames it; documents, files and events have their own files."""

import pytest
import requests

from support import browser as browsers
from support.remote_config import RemoteConfig

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
HOSTILE = "<img src=x onerror=\"document.title='run'\">\u202e{{constructor}}"
SHOWN = "return [...document.querySelectorAll('main *')].some((one) => one.childElementCount === 0 && (one.value ?? one.textContent).includes(arguments[0]))"


@pytest.fixture
def everywhere(server, project):
    """A project whose parameters, messages and accounts have hostile texts."""
    root = f"{server.url}/v1/projects/{project}"
    message = {"topic": "news", "notification": {"title": HOSTILE, "body": HOSTILE}, "data": {HOSTILE: HOSTILE}}
    answer = requests.post(f"{root}/messages:send", json={"message": message}, headers=OWNER, timeout=30)
    assert answer.status_code == 200, answer.text
    person = {"displayName": HOSTILE, "photoUrl": "javascript:document.title='run'"}
    answer = requests.post(f"{root}/accounts", json=person, headers=OWNER, timeout=30)
    assert answer.status_code == 200, answer.text
    parameter = {"defaultValue": {"value": HOSTILE}, "description": HOSTILE}
    RemoteConfig(server, project).publish({"parameters": {"welcome": parameter}, "parameterGroups": {HOSTILE: {"description": HOSTILE, "parameters": {"other": parameter}}}})


@pytest.mark.parametrize("path", ["messages", "config", "users"])
def test_what_somebody_wrote_is_text(console, everywhere, path):
    console.open(path)
    console.browser.wait(SHOWN, HOSTILE)
    assert console.browser.run("return [document.title.includes('run'), document.querySelectorAll('main img, a[href^=javascript]').length]") == [False, 0]


def test_an_account_s_own_page_shows_text(console, everywhere):
    console.open("users")
    console.click("link", HOSTILE)
    console.find("dialog")
    assert console.find("textbox", "Name").get_attribute("value") == HOSTILE
    assert console.browser.run("return [document.title.includes('run'), document.querySelectorAll('img[src^=x], a[href^=javascript]').length]") == [False, 0]


def test_no_other_page_frames_the_console(browser, server):
    pages = browsers.Pages()
    try:
        browser.driver.get(f"{pages.url}/webchannel.html")
        browser.complaints()
        browser.run("const frame = document.createElement('iframe'); frame.src = arguments[0]; document.body.append(frame)", f"{server.url}/console")
        found = []

        def is_refused():
            found.extend(entry["message"] for entry in browser.complaints())
            return any("frame-ancestors" in message for message in found)

        browsers.WebDriverWait(browser.driver, 30, poll_frequency=0.05).until(lambda _: is_refused())
    finally:
        browser.driver.get("about:blank")
        pages.close()
