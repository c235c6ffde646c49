"""Uploads and downloads of a web page of another origin, in Chromium."""

import pytest

from support import browser as browsers, firebase_storage as firebase, tokens

pytestmark = pytest.mark.brasa_only


@pytest.fixture(scope="module")
def pages():
    made = browsers.Pages()
    yield made
    made.close()


def test_a_page_of_another_origin_uploads_and_downloads(server, project, browser, pages):
    bucket = f"{project}.appspot.com"
    firebase.set_rules(server, firebase.OWN_FOLDER, bucket)
    browser.open(f"{pages.url}/storage.html")
    browser.run(
        "window.start(...arguments)", f"{server.url}/v0/b/{bucket}/o", tokens.unsigned(project, "ana"), "users/ana/a b"
    )
    assert browser.wait("return window.result") == [
        200, "active", "3", "final", "abcdef", 206, "bc", "hello"
    ]
