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


def test_an_upload_that_is_cut_at_every_chunk_goes_on(server, project, browser, pages):
    bucket = f"{project}.appspot.com"
    firebase.set_rules(server, firebase.OWN_FOLDER, bucket)
    browser.open(f"{pages.url}/storage.html")
    size, step = 5 * 262_144 + 17, 262_144
    browser.run(
        "window.startCut(...arguments)", f"{server.url}/v0/b/{bucket}/o", tokens.unsigned(project, "ana"),
        "users/ana/cut.png", size, step,
    )
    assert browser.wait("return window.result") == [size, True, True]
