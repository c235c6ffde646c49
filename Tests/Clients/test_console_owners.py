"""The console in production: the roles that an invitation suggests, the trail of what administrators did, the lines that apps reach the server with."""

import os
import subprocess
import sys

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support import secrets, server as servers
from support.administrators import administrator, come_in, invite
from support.axe import findings
from support.looks import LANGUAGES
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

PROJECT = servers.PROJECT


@pytest.fixture
def tab(production, production_console, request):
    """A tab in which an owner of the server has signed in."""
    name = "".join(one if one.isalnum() else "-" for one in request.node.name.lower())
    come_in(production_console, invite(production, f"{name[-40:].strip('-')}@example.org", "owner"))
    return production_console


def trail(owner):
    return owner.renew().call("GET", "/console/api/audit").json()["entries"]


@LANGUAGES
def test_an_invitation_suggests_the_least(production, tab, language):
    """With the keyboard alone: the person may look at this project, and at nothing else; and the trail says so."""
    text = Texts(language)
    email = f"new-{language}@example.org".lower()
    tab.open("settings/administrators", language)
    tab.browser.run("arguments[0].focus()", tab.find("button", text("settings.invite")))
    ActionChains(tab.driver).send_keys(Keys.ENTER).perform()
    tab.find("dialog", text("settings.invite"))
    assert findings(tab, "dialog[open]") == []
    # Without an address, and without any role, nothing is sent, and it is said what is missing.
    tab.browser.run("document.querySelector('dialog button[type=submit]').click()")
    tab.sees(text("settings.emailMissing"))
    tab.click("button", text("pairs.remove"))
    tab.fill(text("users.email"), email)
    tab.browser.run("document.querySelector('dialog button[type=submit]').click()")
    tab.sees(text("settings.roleMissing"))
    tab.click("button", text("cancel"))
    tab.click("button", text("settings.invite"))
    tab.find("dialog", text("settings.invite"))
    ActionChains(tab.driver).send_keys(email, Keys.ENTER).perform()
    address = tab.read(text("settings.link"))
    secrets.note(address.split("#invitation=")[1], "invitation")
    owner = administrator(production, "owner", f"looks-{language}@example.org".lower())
    [link] = [one for one in owner.call("GET", "/console/api/administrators").json()["invitations"] if one["email"] == email]
    assert link["role"] is None and link["projects"] == {PROJECT: "viewer"}
    [entry] = [one for one in trail(owner) if email in str(one["subjects"])]
    assert entry["subjects"] == [f"invite {email} as viewer of {PROJECT}"] and entry["status"] == 200
    tab.open("settings/audit", language)
    tab.sees(text("did.invite", f"{email} as viewer of {PROJECT}"))


def test_the_command_suggests_the_least_too(production):
    [link] = servers.run("console", "invite", "by-command@example.org", "--data", production.data).stdout.strip().splitlines()
    secrets.note(link.split("#invitation=")[1], "invitation")
    owner = administrator(production, "owner", "reads-links@example.org")
    [found] = [one for one in owner.call("GET", "/console/api/administrators").json()["invitations"] if one["email"] == "by-command@example.org"]
    assert found["role"] == "viewer"


def test_reads_are_in_the_trail_only_where_they_were_refused(production):
    owner = administrator(production, "owner", "reader@example.org")
    editor = administrator(production, "editor", "curious@example.org")
    for path in ("/console/api/audit", "/console/api/jobs", "/console/api/administrators", f"/console/api/projects/{PROJECT}/keys"):
        assert owner.renew().call("GET", path).status_code == 200
        assert editor.renew().call("GET", path).status_code == 403
    reads = [(one["administrator"], one["target"], one["status"]) for one in trail(owner) if one["action"] == "GET" and one["administrator"] in ("reader@example.org", "curious@example.org")]
    assert {who for who, _, _ in reads} == {"curious@example.org"} and len(reads) == 4
    assert all(status == 403 for _, _, status in reads)


@LANGUAGES
def test_the_trail_names_whose_roles_and_links_were_changed(production, tab, language):
    text = Texts(language)
    owner = administrator(production, "owner", f"changes-{language}@example.org".lower())
    about = f"about-{language}@example.org".lower()
    administrator(production, "viewer", about)
    assert owner.renew().call("PATCH", f"/console/api/administrators/{about}", json={"role": "editor"}).status_code == 200
    secrets.note(owner.renew().call("POST", "/console/api/administrators", json={"email": f"x-{about}", "role": "viewer"}).json()["code"], "invitation")
    [link] = [one for one in owner.call("GET", "/console/api/administrators").json()["invitations"] if one["email"] == f"x-{about}"]
    assert owner.call("DELETE", f"/console/api/invitations/{link['id']}").status_code == 200
    assert owner.call("DELETE", f"/console/api/administrators/{about}").status_code == 200
    tab.open("settings/audit", language)
    for sentence in (text("did.roles", f"{about} to editor of all projects"), text("did.endLink", f"x-{about}"), text("did.remove", about), text("did.setUp")):
        tab.sees(sentence)
    # What was read is there only where it was refused.
    reads = "return [...document.querySelectorAll('main tbody tr')].filter((one) => one.cells[2].querySelector('code')?.textContent.startsWith('GET ')).map((one) => one.cells[3].textContent)"
    assert set(tab.browser.run(reads)) <= {text("audit.refused")}
    assert findings(tab) == []
    tab.fill(text("audit.filter"), about)
    tab.until(lambda: len(tab.browser.run("return [...document.querySelectorAll('main tbody tr')]")) >= 4, "the filter finds nothing")


@LANGUAGES
def test_the_overview_of_production_has_lines_that_work_there(production, tab, authority, tmp_path, language):
    tab.open("overview", language)
    assert findings(tab) == []
    words = Texts(language)
    tab.click("button", words("overview.connect"))
    lines = {}
    for name in ("Swift", "JavaScript", "Python"):
        tab.click("button", f"{words(f'platform.{name}')} {words('connect.backEnd' if name == 'Python' else 'connect.app')}")
        lines[name] = tab.browser.wait("return document.querySelector('dialog pre.snippet')?.textContent")
        if name != "Python":
            tab.click("button", words("connect.other"))
    assert not any("mulator" in text for text in lines.values())
    assert production.url.split("//")[1] in lines["Swift"] and f"{production.url}/__/brasa/web.js" in lines["JavaScript"]
    tab.find("link", words("overview.keys"))
    # The back end's lines are run as they are shown, with a key of this server.
    key = tmp_path / "backend.json"
    servers.run("keys", "create", f"lines-{language}".lower(), "--role", "admin", "--project", PROJECT, "--out", key, "--data", production.data)
    secrets.note_file(key)
    program = lines["Python"] + '\ndb.document("lines/python").set({"works": True})\nprint(db.document("lines/python").get().to_dict())\n'
    environment = servers.clean_environment({"GOOGLE_APPLICATION_CREDENTIALS": str(key), "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(authority), "REQUESTS_CA_BUNDLE": str(authority)})
    ran = subprocess.run([sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True, timeout=120)
    assert ran.stdout.strip() == "{'works': True}", ran.stderr
