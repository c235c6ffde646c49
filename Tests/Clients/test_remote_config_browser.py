"""Remote Config from a page in headless Chromium, in the forms of Google's SDK for the web."""

import pytest

from support.remote_config import RemoteConfig

pytestmark = pytest.mark.brasa_only


@pytest.fixture(scope="module")
def pages():
    from support import browser as browsers

    made = browsers.Pages()
    yield made
    made.close()


def template(value):
    return {
        "conditions": [{"name": "Brazil", "expression": "device.language in ['pt-BR'] && app.id == '1:42:web:ab'"}],
        "parameters": {"delete_list_view": {"defaultValue": {"value": "true"},
                                            "conditionalValues": {"Brazil": {"value": value}}}},
    }


def test_a_page_fetches_and_hears_of_a_publish(browser, pages, server, project):
    config = RemoteConfig(server, project)
    config.publish(template("false"))
    browser.open(f"{pages.url}/remoteconfig.html")
    browser.run("make(arguments[0])", {"base": server.url, "project": project, "body": {}})
    assert browser.run("return config.fetch()") == "UPDATE"
    assert browser.run("return config.values") == {"delete_list_view": "false"}
    assert browser.run("return config.fetch()") == "NO_CHANGE"
    browser.run("config.listen()")
    browser.wait("return config.isListening")
    config.publish(template("true"))
    assert browser.wait("return config.version === '2' && config.values") == {"delete_list_view": "true"}
    assert browser.run("return config.numbers") == ["2"]
    config.publish(template("maybe"))
    assert browser.wait("return config.version === '3' && config.values") == {"delete_list_view": "maybe"}
