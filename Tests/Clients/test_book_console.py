"""The book's steps in the console, in production mode: chapter 9 from its forms to people who sign in, 10 and 12.

Google's own page, token and keys are at fixed addresses, so the browser is led to a page in Google's name and comes
back from a stand-in that a provider of the project's own names. The chapters' Swift is `Chapter09` to `Chapter13` of the
examples' tests.
"""

import json
import plistlib
import types
import urllib.parse

import pytest

from support import browser as browsers, oidc, server as servers
from support.administrators import come_in, invite
from support.certificates import certificate_for
from support.console import Console
from support.identity import Identity
from support.web_sign_in import SignInPage

pytestmark = pytest.mark.brasa_only

PROJECT = "swiftui-firebase"
BUNDLE = "br.com.siecola.SwiftUI-Firebase"
CLIENT = "4711-app.apps.googleusercontent.com"
AUTH, APP = "auth.book.example", "www.book.example"
CONSOLE = "a form of the console that is not there yet: a project is there with its first app or person"
APPLE = "is done in Xcode, on a Mac"


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
    port = servers.free_port()
    server = servers.Brasa.production(
        tmp_path_factory.mktemp("server") / "data", certificates, "--port", port, "--origin", f"https://{AUTH}:{port}",
        environment={
            "BRASA_PROJECT": PROJECT, "BRASA_OUTBOUND_PRIVATE": "true",
            "BRASA_OUTBOUND_CA": str(certificates / "authority.pem"),
        },
    ).start()
    server.public = f"https://{AUTH}:{port}"
    yield server
    assert server.stop() == 0, server.output[-4000:]


def plist(book):
    made = servers.run("apps", "config", BUNDLE, "--project", PROJECT, "--data", book.data)
    return plistlib.loads(made.stdout.encode())


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
    chromium.show_as(1280, 900)
    console = Console(chromium, types.SimpleNamespace(url=book.public), PROJECT)
    come_in(console, invite(book, "reader@example.org"))

    # 9.4: the app is registered by its bundle id, and its plist names this server.
    console.open("settings")
    console.click("button", "Register app")
    console.fill("Bundle id or package name", BUNDLE)
    console.browser.run("document.querySelector('dialog button[type=submit]').click()")
    console.sees(BUNDLE)
    found = plist(book)
    assert (found["BUNDLE_ID"], found["PROJECT_ID"], found["BRASA_HOST"]) == (BUNDLE, PROJECT, book.public)
    assert "CLIENT_ID" not in found

    # 9.8: the methods of sign-ins, where Google is enabled; 9.5: the scheme of the app's URL is in the plist.
    console.open("settings/methods")
    add_provider(console, "google.com", "secret-of-google", {"Client id": CLIENT})
    console.sees(CLIENT)
    found = plist(book)
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
    console.fill("Email, phone number or uid", first["uid"])
    console.click("button", "Find")
    console.sees("siecola@corp.example")
    assert console.violations() == []


@pytest.mark.skip(reason=CONSOLE)
def test_chapter_9_4_create_the_project_in_the_console():
    """Add project, name, Enable Google Analytics on."""


@pytest.mark.skip(reason=APPLE)
def test_chapter_9_5_the_reversed_client_id_among_the_url_types():
    """Info, URL Types, URL Schemes: the plist's REVERSED_CLIENT_ID."""


RULES = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /products/{product} {
      allow read, delete: if request.auth.uid == resource.data.userId;
      allow create: if request.auth.uid == request.resource.data.userId;
      allow update: if request.auth.uid == resource.data.userId;
    }
  }
}
"""


def test_chapters_10_and_12_a_database_its_rules_an_index_and_a_parameter(chromium, book):
    chromium.show_as(1600, 900)
    console = Console(chromium, types.SimpleNamespace(url=book.public), PROJECT)
    come_in(console, invite(book, "second@example.org"))
    own = ("--project", PROJECT, "--data", book.data)

    # 10.4: the database begins in production mode, where nobody gets in; then the rules of the text.
    console.open("firestore/-/create")
    console.find("button", "Create database")
    next(one for one in console.all("radio") if one.accessible_name.startswith("Production mode")).click()
    console.click("button", "Create database")
    console.find("button", "Start a collection")
    console.open("rules")
    console.put("Source of the rules", RULES)
    console.click("button", "Publish")
    console.find("dialog")
    console.click("button", "Publish")
    console.sees("The rules are in force")

    # 10.5: the index of the list's query, by the form.
    console.open("firestore/-default-/indexes")
    console.click("button", "Create index")
    console.fill("Collection", "products")
    console.find("dialog")
    console.browser.run("""
      const rows = [...document.querySelectorAll('dialog fieldset input, dialog [role=group] input')];
      for (const [index, name] of ['userId', 'name'].entries()) rows[index].value = name;
      document.querySelector('dialog button[type=submit]').click();
    """)
    console.sees("Ready")
    listed = servers.run("indexes", *own).stdout
    assert "products" in listed and listed.index("userId") < listed.index("name")

    # 12.4: the parameter, whose publishing turns deleting off in the app.
    console.open("config")
    console.click("button", "Add parameter")
    console.fill("Name", "delete_list_view")
    console.fill("Default", "false")
    console.click("button", "Take over")
    console.sees("There are changes that are not published.")
    console.click("button", "Publish changes")
    console.find("dialog", "Publish changes")
    console.click("button", "Publish changes")
    console.sees("Published")
    template = json.loads(servers.run("config", "get", *own).stdout)
    assert template["parameters"]["delete_list_view"]["defaultValue"] == {"value": "false"}
    assert console.violations() == []


# The console's later forms. test_console_data makes indexes by the error's link, test_console_pages sees to files.
FORMS = "a form of the console that is not there yet"


@pytest.mark.skip(reason=FORMS)
def test_chapter_10_4_test_and_monitor_the_rules():
    """Rules, the tab to test and monitor: how often rules allowed and denied, by day."""


@pytest.mark.skip(reason=FORMS)
def test_chapter_11_1_the_dashboard_of_events():
    """Engagement by day, users by country on a map and in a table."""


@pytest.mark.skip(reason=FORMS)
def test_chapter_11_4_the_panels_of_debug_view():
    """Bars by minute, top events, the details of one event in one list, the user's properties."""


@pytest.mark.skip(reason=FORMS)
def test_chapter_12_4_a_condition_by_its_form():
    """Define new condition, from a parameter: the region is Brazil."""
