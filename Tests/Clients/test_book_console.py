"""The book's chapter 9 in the console, in production mode: from its forms to people who sign in. 8 is in
`test_book_console_messages.py`, 10 to 13 are in `test_book_console_data.py`.

Google's own page, token and keys are at fixed addresses, so the browser is led to a page in Google's name and comes
back from a stand-in that a provider of the project's own names. The chapter's Swift is `Chapter09` of the examples'
tests.
"""

import urllib.parse

import pytest
import requests

from support import book as books, browser as browsers, oidc
from support.book import APP, APPLE, AUTH, BUNDLE, PROJECT, create_project, plist, reader, register_app, submit
from support.certificates import certificate_for
from support.identity import Identity
from support.web_sign_in import SignInPage

pytestmark = pytest.mark.brasa_only

CLIENT = "4711-app.apps.googleusercontent.com"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return certificate_for(["localhost", AUTH, APP, "accounts.google.com"], tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="module")
def provider(certificates):
    made = oidc.Provider(certificates)
    made.person("siecola", email="siecola@corp.example", email_verified=True, name="Paulo Siécola")
    yield made
    made.close()


@pytest.fixture(scope="module")
def pages(certificates):
    made = browsers.Pages(certificates)
    yield made
    made.close()


@pytest.fixture(scope="module")
def chromium(pages):
    """A browser for which Google's sign-in page is on this machine."""
    made = browsers.Browser([("accounts.google.com", pages.port)])
    yield made
    made.close()


@pytest.fixture(scope="module")
def book(certificates, tmp_path_factory):
    server = books.start(tmp_path_factory.mktemp("server"), certificates)
    yield server
    assert server.stop() == 0, server.output[-4000:]


def add_provider(console, kind, secret, texts):
    console.click("button", "Add provider")
    console.choose("Provider", kind)
    for name, text in texts.items():
        console.fill(name, text)
    console.browser.run("""
      const box = document.querySelector('dialog input[type=password]');
      box.value = arguments[0];
      box.dispatchEvent(new Event('input'));
      document.querySelector('dialog button[type=submit]').click();
    """, secret)
    console.browser.wait("return !document.querySelector('dialog[open]')")


def test_chapter_9_people_sign_in_with_a_provider(chromium, book, pages, provider):
    console = reader(chromium, book, "nine@example.org")

    # 9.4: the app is registered by its bundle id, and its plist names this server.
    register_app(console, BUNDLE)
    found = plist(book, BUNDLE)
    assert (found["BUNDLE_ID"], found["PROJECT_ID"], found["BRASA_HOST"]) == (BUNDLE, PROJECT, book.public)
    assert "CLIENT_ID" not in found

    # 9.8: the methods of sign-ins, where Google is enabled; 9.5: the scheme of the app's URL is in the plist.
    console.open("settings/methods")
    add_provider(console, "google.com", "secret-of-google", {"Client id": CLIENT})
    console.sees(CLIENT)
    found = plist(book, BUNDLE)
    assert found["CLIENT_ID"] == CLIENT and found["REVERSED_CLIENT_ID"] == "com.googleusercontent.apps.4711-app"
    own = {"Name, after oidc.": "corp", "Client id": "book", "Issuer": provider.issuer}
    add_provider(console, "oidc.", "secret-of-the-app", own)
    console.sees("oidc.corp")
    console.click("button", "Add domain")
    console.browser.run("[...document.querySelectorAll('fieldset input')].at(-1).value = arguments[0]", APP)
    console.click("button", "Save domains")
    console.sees("Saved")

    # 9.9: the button leads to Google's page, with the project's client; somebody who closes it is not signed in.
    page = SignInPage(chromium, f"https://{APP}:{pages.port}", book.public, PROJECT, "production").open()
    page.popup("signInViaPopup", "google.com")
    chromium.wait("return location.hostname === 'accounts.google.com'")
    address = urllib.parse.urlsplit(page.driver.current_url)
    asked = dict(urllib.parse.parse_qsl(address.query))
    assert address.path == "/o/oauth2/v2/auth" and asked["client_id"] == CLIENT
    assert asked["redirect_uri"] == f"{book.public}/__/auth/handler" and asked["response_type"] == "code"
    assert asked["code_challenge"] and asked["state"]
    page.driver.close()
    assert page.outcome() == "auth/popup-closed-by-user"

    # 9.10: at a provider that is at hand the flow goes on to its end, in a popup and by a redirect.
    page.popup("signInViaPopup", "oidc.corp").consent("siecola")
    first = page.outcome()
    assert first["providers"] == ["oidc.corp"] and first["isNewUser"] and first["email"] == "siecola@corp.example"
    page.open()
    page.redirect("signInViaRedirect", "oidc.corp").consent("siecola")
    again = page.result()
    assert again["uid"] == first["uid"] and not again["isNewUser"]
    # The session outlives the app's end.
    signed_in = page.browser.run("return user.idToken")
    identity = Identity(book, PROJECT, verify=book.authority)
    [account] = identity.client("lookup", idToken=signed_in)["users"]
    assert account["localId"] == first["uid"] and account["displayName"] == "Paulo Siécola"

    # The console lists the person by address, provider, days and uid, and finds them.
    console.open("users")
    for heading in ("Identifier", "Providers", "Created", "Last sign-in"):
        console.sees(heading)
    for text in ("siecola@corp.example", "oidc.corp", first["uid"]):
        console.sees(text)
    console.fill("Part of an email, phone number, name or uid", first["uid"])
    console.click("button", "Find")
    console.sees("siecola@corp.example")
    assert console.violations() == []


def fill_project(book, project):
    """Something of every kind that goes with a project; gives the calls that find each."""
    root, bucket = f"{book.url}/v1/projects/{project}", f"{project}.appspot.com"
    headers = {"authorization": f"Bearer {book.administrator_key}"}

    def call(method, address, **options):
        return requests.request(method, address, headers=headers | options.pop("headers", {}), verify=book.authority, timeout=30, **options)

    rules = {"source": {"files": [{"name": "firestore.rules", "content": "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{p=**} { allow read; } } }"}]}}
    document, stored = f"{root}/databases/(default)/documents/products/lamp", f"{book.url}/storage/v1/b/{bucket}/o/lamp"
    made = [
        call("PATCH", document, json={"fields": {}}), call("POST", f"{root}/accounts", json={"email": "ada@example.org", "localId": "ada"}),
        call("POST", f"{book.url}/upload/storage/v1/b/{bucket}/o?uploadType=media&name=lamp", data=b"lamp", headers={"content-type": "text/plain"}),
        call("POST", f"{root}/rulesets", json=rules),
    ]
    assert [one.status_code for one in made] == [200] * len(made), [one.text for one in made]
    ruleset = made[-1].json()["name"]
    released = call("POST", f"{root}/releases", json={"name": f"projects/{project}/releases/cloud.firestore", "rulesetName": ruleset})
    assert released.status_code in (200, 409), released.text
    return [lambda: call("GET", document), lambda: call("GET", stored), lambda: call("GET", f"{book.url}/v1/{ruleset}")]


def test_chapter_9_4_create_the_project_in_the_console(chromium, book):
    """Add project, name; Analytics is on in every project. It is renamed and deleted again."""
    console = reader(chromium, book, "project@example.org")
    made = create_project(console, "SwiftUI Ação")
    assert made == "swiftui-acao"
    console.click("button", "Project settings")
    console.fill("Project name", "SwiftUI Firebase 2")
    submit(console)
    console.find("heading", "SwiftUI Firebase 2")
    filled = fill_project(book, made)
    assert all(call().status_code == 200 for call in filled)
    console.click("button", "Project settings")
    console.click("button", "Delete project")
    console.find("dialog", "Delete project")
    console.click("button", "Delete project")
    console.sees(f"Type {made} to confirm.")
    console.fill("Type the project id to confirm", made)
    console.click("button", "Delete project")
    console.sees(f"{made} is deleted.")
    # Nothing of it is left, whoever makes a project of the same id.
    assert [call().status_code for call in filled] == [404] * len(filled)
    console.until(lambda: f"({made})" not in console.text("combobox", "Project"), "the project is still listed")
    assert console.violations() == []


@pytest.mark.skip(reason=APPLE)
def test_chapter_9_5_the_reversed_client_id_among_the_url_types():
    """Info, URL Types, URL Schemes: the plist's REVERSED_CLIENT_ID."""
