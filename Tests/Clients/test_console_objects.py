"""Things with addresses of their own: each opens by its address, says what it is about, and opens again after a reload."""

import pytest
import requests

from support.analytics import Analytics, batch, event

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}


class Things:
    """What the project has, each made past the console; a method gives the address and a text that shows it."""

    def __init__(self, server, project):
        self.server, self.project = server, project
        self.root = f"{server.url}/v1/projects/{project}"

    def call(self, method, path, **options):
        answer = requests.request(method, path if path.startswith("http") else f"{self.root}{path}", headers=OWNER, timeout=30, **options)
        assert answer.ok, (path, answer.text)
        return answer

    def document(self):
        self.call("PATCH", "/databases/(default)/documents/products/chair", json={"fields": {"name": {"stringValue": "Cadeira azul"}}})
        return "firestore/-default-/data/products/chair?wide=1", "products/chair"

    def user(self):
        self.call("POST", "/accounts", json={"email": "ada@example.org", "localId": "uid-of-ada"})
        return "users/uid-of-ada", "uid-of-ada"

    def file(self):
        bucket = f"{self.project}.appspot.com"
        self.call("POST", f"{self.server.url}/upload/storage/v1/b/{bucket}/o?uploadType=media&name=notes/a.txt", data=b"of a file")
        return f"files/{bucket}?prefix=notes/&file=notes/a.txt", "of a file"

    def message(self):
        sent = self.call("POST", "/messages:send", json={"message": {"topic": "news", "notification": {"title": "A Cadeira voltou"}}}).json()
        return f"messages/sent/{sent['name'].rsplit('/', 1)[1]}", "A Cadeira voltou"

    def event(self):
        Analytics(self.server, self.project).accepted(batch("cAbc-efghijklmnopqrst_", event("select_item", {"item_id": "SKU_1"})))
        return "analytics/events/select_item", "item_id"

    def request(self):
        answer = self.call("GET", "/databases")
        return f"requests/log/{answer.headers['x-request-id']}", answer.headers["x-request-id"]

    def query(self):
        self.document()
        return "firestore/-default-/data/products?q=name+%3E+%22A%22", "Cadeira azul"


@pytest.mark.parametrize("kind", ["document", "user", "file", "message", "event", "request", "query"])
def test_a_thing_opens_by_its_address(console, server, project, kind):
    address, text = getattr(Things(server, project), kind)()
    seen = "return document.body.innerText.includes(arguments[0]) || document.querySelector(`[title=\"${arguments[0]}\"]`) !== null"
    console.open(address)
    console.browser.wait(seen, text)
    here = console.driver.current_url
    console.driver.refresh()
    console.browser.wait(seen, text)
    assert console.driver.current_url == here and console.violations() == []
