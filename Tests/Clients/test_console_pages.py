"""The console in headless Chromium: files, Remote Config, apps, and what the rules denied."""

import base64
import json
import plistlib
import random

import pytest
import requests

from support import axe
from support import server as servers
from support.axe import findings
from support.console import Console
from support.looks import LANGUAGES, cut_off
from support.remote_config import RemoteConfig
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
# One red pixel.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
HOSTILE = "<img src=x onerror=alert(1)>\u202e & \"quotes\" 100%"


class Files:
    """A project's first bucket."""

    def __init__(self, server, project):
        self.bucket = f"{project}.appspot.com"
        self.upload = f"{server.url}/upload/storage/v1/b/{self.bucket}/o"
        self.root = f"{server.url}/storage/v1/b/{self.bucket}/o"

    def put(self, name, content, kind=None):
        headers = OWNER | ({"content-type": kind} if kind else {})
        answer = requests.post(self.upload, params={"uploadType": "media", "name": name}, data=content, headers=headers, timeout=30)
        assert answer.status_code == 200, answer.text

    def get(self, name):
        answer = requests.get(f"{self.root}/{requests.utils.quote(name, safe='')}", headers=OWNER, timeout=30)
        return answer.json() if answer.status_code == 200 else None

    def content(self, name):
        return requests.get(f"{self.root}/{requests.utils.quote(name, safe='')}?alt=media", headers=OWNER, timeout=30).content


@pytest.fixture
def files(server, project):
    return Files(server, project)


def choose_files(console, *paths):
    console.browser.run("document.querySelector('input[type=file]').hidden = false")
    console.driver.find_element("css selector", "input[type=file]").send_keys("\n".join(map(str, paths)))
    console.browser.run("document.querySelector('input[type=file]').hidden = true")


# Files


def test_files_are_uploaded_shown_changed_and_deleted(console, files, tmp_path):
    local = tmp_path / "note.txt"
    local.write_text("first")
    console.open("files")
    console.sees("This folder is empty.")
    choose_files(console, local)
    console.find("link", "note.txt")
    assert files.content("note.txt") == b"first"
    # A name that is taken is asked about.
    local.write_text("second")
    choose_files(console, local)
    console.click("button", "Keep both")
    console.find("link", "note (2).txt")
    assert files.content("note.txt") == b"first" and files.content("note (2).txt") == b"second"
    choose_files(console, local)
    console.click("button", "Replace")
    console.browser.wait("return !document.querySelector('.uploads li')")
    assert files.content("note.txt") == b"second"
    console.click("link", "note.txt")
    console.find("heading", "note.txt")
    console.sees("second")
    console.fill("Type", "text/markdown")
    console.fill("Name", "folder/renamed.md")
    console.click("button", "Save")
    console.sees("File saved")
    assert files.get("note.txt") is None and files.get("folder/renamed.md")["contentType"] == "text/markdown"
    # The page follows the file to its new name; a reload and the way back work.
    console.find("heading", "renamed.md")
    console.driver.refresh()
    console.find("heading", "renamed.md")
    console.click("link", "All files")
    console.click("link", "folder/")
    console.click("link", "renamed.md")
    console.driver.back()
    console.find("link", "renamed.md")
    console.driver.forward()
    console.find("heading", "renamed.md")
    console.click("button", "Delete")
    console.click("button", "Delete 1 file")
    console.sees("This folder is empty.")
    assert files.get("folder/renamed.md") is None


@LANGUAGES
def test_a_files_download_url_is_made_copied_and_revoked(console, files, language):
    words = Texts(language)
    files.put("folder/a b.txt", b"content", "text/plain")
    console.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    console.open(f"files/{files.bucket}?prefix=folder/&file=folder/a%20b.txt", language)
    console.click("button", words("files.makeURL"))
    console.sees(words("copied"))
    url = console.read(words("files.url"))
    assert console.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])") == url
    # Anyone who has it reads the file.
    assert requests.get(url, timeout=30).content == b"content"
    assert axe.findings(console) == []
    # The token is no entry of the metadata, and stays when that is saved.
    assert "firebaseStorageDownloadTokens" not in console.browser.run("return document.querySelector('main').innerText")
    console.fill(words("type"), "text/markdown")
    console.click("button", words("save"))
    console.sees(words("files.saved"))
    assert requests.get(url, timeout=30).headers["content-type"] == "text/markdown"
    console.open(f"files/{files.bucket}?prefix=folder/&file=folder/a%20b.txt", language)
    console.click("button", words("files.revoke"))
    console.until(lambda: [one.click() for one in console.all("button", words("files.revoke")) if "danger" in one.get_attribute("class")], "nothing to confirm with")
    console.until(lambda: console.read(words("files.url")) != url, "the URL is still shown")
    # This project's rules let everybody read, so it is the token that is gone.
    tokens = files.get("folder/a b.txt")["metadata"]["firebaseStorageDownloadTokens"].split(",")
    assert [console.read(words("files.url")).endswith(f"token={one}") for one in tokens] == [True]
    assert requests.get(console.read(words("files.url")), timeout=30).content == b"content"


def test_an_upload_goes_on_when_the_server_goes_and_comes_back(browser, project, tmp_path):
    own = servers.Brasa(tmp_path / "data", "--port", servers.free_port())
    own.start()
    try:
        local = tmp_path / "film.bin"
        local.write_bytes(random.Random(17).randbytes(20 << 20))
        browser.show_as(1600, 900)
        console = Console(browser, own, project).open("files")
        console.sees("This folder is empty.")
        # The second part waits until the server has gone.
        browser.run("""
            const send = window.fetch, gate = new Promise((resolve) => { window.release = resolve; });
            window.fetch = async (address, options) => {
              if (options?.headers?.["content-range"]?.startsWith("bytes 8388608-") && !window.isHeld) { window.isHeld = true; await gate; }
              return send(address, options);
            };""")
        choose_files(console, local)
        browser.wait("return window.isHeld")
        own.kill()
        browser.run("window.release()")
        own.start()
        console.find("link", "film.bin")
        assert Files(own, project).content("film.bin") == local.read_bytes()
    finally:
        own.kill()


DROP = """
const [target, names] = arguments;
const data = new DataTransfer();
for (const name of names) data.items.add(new File([name], name, { type: "text/plain" }));
const at = document.querySelector(target);
for (const type of ["dragover", "drop"]) at.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
return document.querySelector(".files").classList.contains("dropping");
"""


@pytest.mark.parametrize("width, scheme, language", [(390, "dark", "en"), (1440, "light", "pt-BR")])
def test_fifty_files_dropped_anywhere_are_one_panel(console, files, width, scheme, language):
    text = Texts(language)
    console.browser.show_as(width, 900, scheme)
    files.put("file-07.txt", b"before")
    files.put("file-08.txt", b"before")
    console.open("files", language)
    console.find("link", "file-07.txt")
    # The second upload waits until the panel has been looked at.
    console.browser.run("""
        const send = window.fetch, gate = new Promise((resolve) => { window.release = resolve; });
        let uploads = 0;
        window.fetch = async (address, options) => {
          if (String(address).startsWith("/upload/") && (uploads += 1) === 2) await gate;
          return send(address, options);
        };""")
    # Beside the list, on the rail: nothing of it is the strip of the files.
    assert console.browser.run(DROP, ".bar", [f"file-{number:02}.txt" for number in range(50)]) is False
    progress, more = {"en": ("1 of 50 uploaded", "and 44 more"), "pt-BR": ("1 de 50 enviados", "e mais 44")}[language]
    console.sees(progress)
    shown = "return [document.querySelectorAll('.uploads').length, document.querySelectorAll('.uploads li').length, document.querySelector('.uploads').offsetHeight]"
    panels, rows, height = console.browser.run(shown)
    assert (panels, rows) == (1, 5) and height < 500
    console.sees(more)
    assert findings(console) == [] and cut_off(console.browser) == [0, []]
    console.browser.run("window.release()")
    # Two names are taken; one answer is for both.
    console.find("dialog", text("files.taken"))
    assert findings(console, "dialog[open]") == []
    console.browser.run("document.querySelector('dialog input[type=checkbox]').click()")
    console.click("button", text("files.replace"))
    console.browser.wait("return document.querySelector('.uploads').hidden")
    assert console.browser.run("return document.querySelectorAll('dialog').length") == 0
    assert all(files.content(f"file-{number:02}.txt") == f"file-{number:02}.txt".encode() for number in (0, 7, 8, 49))
    console.find("link", "file-49.txt")


def test_uploads_are_cancelled_together(console, files):
    console.open("files")
    console.sees("This folder is empty.")
    console.browser.run("""
        const send = window.fetch;
        window.fetch = (address, options) => (String(address).startsWith("/upload/") ? new Promise((_, reject) => options.signal.addEventListener("abort", () => reject(options.signal.reason))) : send(address, options));""")
    console.browser.run(DROP, "main", ["a.txt", "b.txt", "c.txt"])
    console.click("button", "Cancel the upload of b.txt")
    console.browser.wait("return document.querySelectorAll('.uploads li').length === 2")
    console.click("button", "Cancel all")
    console.browser.wait("return document.querySelector('.uploads').hidden")
    assert files.get("a.txt") is None and files.get("c.txt") is None


def test_pictures_show_by_what_they_are(console, files):
    files.put("photos/no-extension", PICTURE)
    files.put("photos/lies.png", b"<svg onload=alert(1) xmlns='http://www.w3.org/2000/svg'/>", "image/png")
    console.open(f"files/{files.bucket}?prefix=photos/")
    console.browser.wait("return [...document.querySelectorAll('.thumbnail img')].filter((one) => one.complete && one.naturalWidth === 1).length === 1")
    console.click("link", "no-extension")
    console.browser.wait("return document.querySelector('main .preview img')?.naturalWidth === 1")
    console.click("link", "photos")
    console.click("link", "lies.png")
    console.browser.wait("return document.querySelector('main .preview pre')?.textContent.startsWith('<svg onload')")


def test_hostile_names_of_files_are_text(console, files):
    files.put(f"{HOSTILE}/{HOSTILE}", b"x", "text/html")
    console.open("files")
    console.browser.wait("return [...document.querySelectorAll('main a')].some((one) => one.textContent.includes('onerror=alert(1)'))")
    console.browser.run("[...document.querySelectorAll('main a')].find((one) => one.textContent.includes('onerror')).click()")
    console.browser.wait("return document.querySelectorAll('.crumbs li').length === 2")
    console.browser.wait("return [...document.querySelectorAll('tbody a')].some((one) => one.textContent === arguments[0])", HOSTILE)
    console.browser.run("[...document.querySelectorAll('tbody a')].find((one) => one.textContent === arguments[0]).click()", HOSTILE)
    assert console.read("Name") == f"{HOSTILE}/{HOSTILE}"


# Remote Config


@pytest.fixture
def template(server, project):
    return RemoteConfig(server, project)


def test_a_parameter_is_published_and_rolled_back(console, template):
    console.open("config")
    console.click("button", "Add parameter")
    console.fill("Name", "welcome")
    console.fill("Default", HOSTILE)
    console.click("button", "Save to draft")
    console.sees("There are unpublished changes.")
    console.click("tab", "Conditions 0")
    console.click("button", "Add condition")
    console.fill("Name", "Brazil")
    console.fill("Expression", "device.country is 'BR'")
    console.click("button", "Save to draft")
    console.sees("The expression is not valid.")
    console.fill("Expression", "device.country in ['BR']")
    console.click("button", "Save to draft")
    console.click("button", "Publish changes")
    console.find("dialog", "Publish changes")
    console.click("button", "Publish changes")
    console.sees("Published")
    served, _ = template.get()
    assert served["parameters"]["welcome"]["defaultValue"] == {"value": HOSTILE}
    assert served["conditions"][0]["expression"] == "device.country in ['BR']"
    console.click("tab", "Parameters 1")
    console.click("button", "welcome")
    console.fill("Default", "changed")
    console.click("button", "Save to draft")
    console.click("button", "Publish changes")
    console.click("button", "Publish changes")
    console.browser.wait("return !document.querySelector('dialog') && document.body.innerText.includes('changed')")
    console.click("tab", "Versions")
    console.click("button", "Roll back")
    console.find("dialog", "Roll back")
    console.click("button", "Roll back")
    console.click("tab", "Parameters 1")
    console.browser.wait("return document.body.innerText.includes('onerror=alert(1)')")
    assert template.get()[0]["parameters"]["welcome"]["defaultValue"] == {"value": HOSTILE}


def test_two_who_publish_are_brought_together(console, template):
    template.publish({"parameters": {"mine": {"defaultValue": {"value": "1"}}, "theirs": {"defaultValue": {"value": "1"}}}})
    console.open("config")
    console.click("button", "mine")
    console.fill("Default", "2")
    console.click("button", "Save to draft")
    template.publish({"parameters": {"mine": {"defaultValue": {"value": "1"}}, "theirs": {"defaultValue": {"value": "3"}}}})
    console.click("button", "Publish changes")
    console.click("button", "Publish changes")
    console.sees("Someone else published")
    console.click("button", "Publish changes")
    console.click("button", "Publish changes")
    console.sees("Published")
    served = template.get()[0]["parameters"]
    assert {name: one["defaultValue"]["value"] for name, one in served.items()} == {"mine": "2", "theirs": "3"}


# Earlier versions of documents


def test_every_earlier_version_is_shown_and_one_restored(console, server, project):
    address = f"{server.url}/v1/projects/{project}/databases/(default)/documents/products/chair"
    for number in range(1, 4):
        assert requests.patch(address, json={"fields": {"n": {"integerValue": str(number)}}}, headers=OWNER, timeout=30).status_code == 200
    console.open("firestore/-default-/data/products/chair")
    console.find("complementary")
    console.click("button", "Earlier versions")
    console.find("dialog")
    shown = "return [...document.querySelectorAll('dialog .diff .added')].some((one) => one.textContent.includes(arguments[0]))"
    console.click("button", "Earlier")
    console.browser.wait(shown, '"n": 2')
    console.click("button", "Earlier")
    console.browser.wait(shown, '"n": 1')
    console.click("button", "Earlier")
    console.sees("The history does not go back further")
    console.click("button", "Later")
    console.browser.wait(shown, '"n": 2')
    console.click("button", "Restore this version")
    console.sees("Earlier version restored")
    assert requests.get(address, headers=OWNER, timeout=30).json()["fields"]["n"] == {"integerValue": "2"}
    console.click("button", "Undo")
    console.sees("Undone")
    assert requests.get(address, headers=OWNER, timeout=30).json()["fields"]["n"] == {"integerValue": "3"}


# Apps


def test_an_app_is_registered_and_its_file_names_this_server(console, server, project):
    console.open("settings")
    console.click("button", "Register app")
    console.fill("Bundle id or package name", "com.example.shop")
    console.find("dialog")
    console.browser.run("document.querySelector('dialog button[type=submit]').click()")
    console.sees("com.example.shop")
    root = f"{server.url}/console/api/projects/{project}/apps"
    [app] = requests.get(root, headers=OWNER, timeout=30).json()["apps"]
    file = requests.get(f"{root}/{app['id']}/file", headers=OWNER, timeout=30).json()
    assert file["name"] == "GoogleService-Info.plist"
    found = plistlib.loads(file["text"].encode())
    assert found["PROJECT_ID"] == project and found["BRASA_HOST"] == server.url and found["BUNDLE_ID"] == "com.example.shop"
    assert requests.get(f"{root}/{app['id']}/file?form=exe", headers=OWNER, timeout=30).status_code == 400
    console.click("button", "Remove com.example.shop")
    console.find("dialog")
    console.browser.run("document.querySelector('dialog button.danger').click()")
    console.sees("No apps registered yet.")
    assert requests.get(root, headers=OWNER, timeout=30).json() == {"apps": []}


# Denials

RULES = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /users/{id} {
      allow read: if request.auth.uid == id;
    }
  }
}
"""


STORAGE_RULES = """rules_version = '2';
service firebase.storage {
  match /b/{bucket}/o {
    match /photos/{name} {
      allow read: if true;
      allow write: if request.resource.size < 2000 && request.resource.contentType.matches('image/.*');
    }
  }
}
"""


def test_rules_of_a_bucket_are_tried_and_published(console, files, server, project):
    files.put("photos/one", PICTURE, "image/png")
    console.driver.get(f"{server.url}/project/{project}/storage/{files.bucket}/rules")
    console.find("textbox", "Source of the rules")
    assert console.driver.current_url.endswith(f"/console/{project}/rules/-storage-/{files.bucket}")
    console.sees("only administrators can access this bucket")
    console.put("Source of the rules", STORAGE_RULES)
    console.fill("Path of the file", "photos/one")
    console.click("button", "Run")
    console.sees("Allowed")
    console.choose("Method", "update")
    console.put("File after the write, as JSON", '{ "size": 3000, "contentType": "image/png" }')
    console.click("button", "Run")
    console.sees("Denied")
    console.click("button", "Publish")
    console.find("dialog")
    console.click("button", "Publish")
    console.sees("The rules are in force")
    url = f"{server.url}/v0/b/{files.bucket}/o/photos%2Fone"
    assert requests.get(url, timeout=30).status_code == 200
    assert requests.get(url.replace("photos", "other"), timeout=30).status_code == 403


def token(uid, project):
    part = lambda data: base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()  # noqa: E731
    return f"{part({'alg': 'none'})}.{part({'sub': uid, 'aud': project})}."


def test_denials_show_as_they_happen_and_lead_to_the_playground(console, server, project):
    rules = {"rules": {"files": [{"name": "firestore.rules", "content": RULES}]}}
    assert requests.put(f"{server.url}/emulator/v1/projects/{project}:securityRules", json=rules, headers=OWNER, timeout=30).status_code == 200
    console.open("requests")
    console.sees("The rules denied nothing recently.")
    root = f"{server.url}/v1/projects/{project}/databases/(default)/documents/users"
    for uid, name in (("ada", "grace"), ("ada", "alan"), ("grace", "ada")):
        answer = requests.get(f"{root}/{name}", headers={"authorization": f"Bearer {token(uid, project)}"}, timeout=30)
        assert answer.status_code == 403
    console.sees("get users/*")
    console.sees("2 callers")
    console.browser.run("document.querySelector('details > summary').click()")
    console.sees("Values that the conditions read")
    console.click("link", "Test in the playground")
    assert console.read("Path of the document") == "users/ada"
    assert console.read("uid") == "grace"
    console.click("button", "Run")
    console.sees("Denied")


@LANGUAGES
def test_all_requests_show_as_they_come(console, server, project, language):
    everything, outcome, allowed, denied, nothing = {
        "en": ("All", "Outcome", "Allowed", "Denied", "Nothing yet."), "pt-BR": ("Todas", "Resultado", "Permitida", "Negada", "Nada ainda."),
    }[language]
    rules = {"rules": {"files": [{"name": "firestore.rules", "content": RULES}]}}
    assert requests.put(f"{server.url}/emulator/v1/projects/{project}:securityRules", json=rules, headers=OWNER, timeout=30).status_code == 200
    root = f"{server.url}/v1/projects/{project}/databases/(default)/documents/users"

    def ask(name):
        return requests.get(f"{root}/{name}", headers={"authorization": f"Bearer {token('ada', project)}"}, timeout=30).status_code

    console.open("requests", language=language)
    console.click("link", everything)
    console.sees(nothing)
    assert (ask("ada"), ask("grace")) == (404, 403)
    rows = "return [...document.querySelectorAll('tbody tr')].map((row) => [...row.children].slice(1, 5).map((cell) => cell.textContent.trim()))"
    both = [[denied, "get", "users/grace", "ada"], [allowed, "get", "users/ada", "ada"]]
    console.until(lambda: console.browser.run(rows) == both, "not both requests")
    console.choose(outcome, "allowed")
    assert console.browser.run(rows) == both[1:]


def test_a_draft_is_tried_on_what_was_denied(console, server, project):
    rules = {"rules": {"files": [{"name": "firestore.rules", "content": RULES}]}}
    assert requests.put(f"{server.url}/emulator/v1/projects/{project}:securityRules", json=rules, headers=OWNER, timeout=30).status_code == 200
    root = f"{server.url}/v1/projects/{project}/databases/(default)/documents/users"
    assert requests.patch(f"{root}/alan", json={"fields": {"open": {"booleanValue": True}}}, headers=OWNER, timeout=30).status_code == 200
    for name in ("grace", "alan"):
        answer = requests.get(f"{root}/{name}", headers={"authorization": f"Bearer {token('ada', project)}"}, timeout=30)
        assert answer.status_code == 403
    console.open("rules")
    console.find("textbox", "Source of the rules")
    console.put("Source of the rules", RULES.replace("== id", "== id || resource.data.open"))
    console.click("button", "Test on denials")
    console.sees("1 of 2 would be allowed.")
    rows = console.browser.run("return [...document.querySelectorAll('dialog tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent.trim()))")
    assert rows == [["get", "users/alan", "ada", "Allowed"], ["get", "users/grace", "ada", "Denied"]]
    console.click("button", "Close")
    console.put("Source of the rules", "service")
    console.click("button", "Test on denials")
    console.browser.wait("return document.querySelector('dialog li.error')")


def test_development_counts_what_the_rules_were_asked(console, server, project):
    rules = {"rules": {"files": [{"name": "firestore.rules", "content": RULES + "\n"}]}}
    assert requests.put(f"{server.url}/emulator/v1/projects/{project}:securityRules", json=rules, headers=OWNER, timeout=30).status_code == 200
    root = f"{server.url}/v1/projects/{project}/databases/(default)/documents/users"
    for _ in range(3):
        requests.get(f"{root}/grace", headers={"authorization": f"Bearer {token('ada', project)}"}, timeout=30)
    console.open("rules")
    console.click("button", "Coverage")
    console.sees("1 of 1 line with a condition was evaluated.")
    assert console.browser.run("return [...document.querySelectorAll('.coverage .added .count')].map((one) => one.textContent)") == ["3"]
