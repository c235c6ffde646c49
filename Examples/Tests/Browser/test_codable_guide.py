"""The Codable guide in a browser, with a second person beside, a server that stops and comes back, a host without a
network, and a host that is killed."""

import re
import signal

import pytest
from conftest import ROOT

PROJECT = "codable-guide"


@pytest.fixture
def web(run, guide_server, tmp_path):
    return run(
        "codable-guide-web", "--service", guide_server.address, "--folder", tmp_path / "devices"
    )


def opened(page, entry):
    """Opens an entry of the menu; on a telephone the menu is behind the screen."""
    if page.driver.find_elements("css selector", ".split.open"):
        page.click("‹ Menu")
    page.click(entry)
    page.sees(entry, "main h1")
    return page


def value(page, css):
    return page.one(css).get_attribute("value")


def text_of_error(page):
    page.one(".error")
    return page.one(".error").text


def test_books_and_their_errors(web, make_page):
    page = make_page(web.address)
    page.sees("Choose an entry of the menu.")
    assert len(page.all("button.entry")) == 10
    opened(page, "Simple types")
    page.click("Fetch a missing one")
    missing = text_of_error(page)
    page.click("Fetch an invalid one")
    page.wait(lambda: text_of_error(page) != missing, "another text")
    assert "numberOfPages" in text_of_error(page)
    page.click("Fetch")
    page.sees_no(".error")
    assert value(page, "#pages") == "816" and value(page, "#author") == "Douglas Adams"
    page.fill("#pages", "42")
    page.click("Update")
    page.sees("Updated hitchhiker")
    other = opened(make_page(web.address), "Simple types")
    other.click("Fetch")
    other.wait(lambda: value(other, "#pages") == "42", "the change")
    other.click("Add as a new document")
    other.sees("Added")
    assert other.one("#document-id").text not in ("hitchhiker", "none yet")
    opened(page, "Manual mapping")
    page.click("Fetch an invalid one")
    page.wait(lambda: value(page, "#title").startswith("A book"), "the title")
    assert value(page, "#pages") == "0" and not page.all(".error")
    opened(page, "Custom types").click("Fetch")
    page.wait(lambda: len(page.all("#part a")) == 3, "three covers")
    opened(page, "Arrays").click("Fetch")
    page.sees("Comedy", "#part")
    page.click("Add a genre")
    page.sees("Fiction", "#part")
    opened(page, "Arrays of custom types").click("Fetch")
    page.wait(lambda: len(page.all("#part .tinted rect[fill='#ffd60a']")) == 1, "a yellow tag")


def test_lists_stay_true_beside_a_second_person(web, make_page):
    page, other = make_page(web.address), make_page(web.address)
    opened(page, "Enums")
    opened(other, "Enums")
    page.fill("#title", "Written in a test")
    page.set("#status", "in review")
    page.click("Add")
    page.sees("Written in a test", "#articles")
    page.wait(lambda: value(page, "#title") == "", "an empty form")
    other.sees("Written in a test", "#articles")
    assert len(other.all("#articles .badge.yellow")) == 2
    opened(page, "Custom mapping")
    page.sees("ada is left out. A field is missing", ".skipped")
    page.wait(lambda: len(page.all("#languages li")) == 3, "the three others")
    page.sees("Released: 1964", "#languages")
    opened(other, "Dates and times")
    other.fill("#name", "Zig")
    other.fill("#year", "2016")
    other.click("Add")
    page.sees("Released: 2016", "#languages")
    opened(page, "GeoPoints")
    page.wait(lambda: len(page.all("#map .pin")) == 5, "five pins")
    boxes = page.driver.execute_script(
        "return [...document.querySelectorAll('#map .pin text')].map(t => {"
        " const b = t.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; })"
    )
    assert len(boxes) == 5
    for number, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[number + 1 :]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
    page.one("#locations li[data-key=hamburg] button").click()
    page.wait(lambda: len(page.all("#map .pin")) == 1, "one pin")
    page.sees("Hamburg", "#map")


def test_colours_without_a_server(web, guide_server, make_page):
    page, other = make_page(web.address), make_page(web.address)
    opened(page, "Colours")
    opened(other, "Colours")
    for one in (page, other):
        one.wait(lambda: len(one.all("#colors li")) == 2, "the sample")
    guide_server.stop()
    page.sees("Offline", ".behind")
    page.fill("#name", "Without a server")
    page.set("#color", "#336699")
    page.set("#opacity", "128")
    page.click("Add")
    page.sees("#33669980", "#colors")
    assert not page.all(".error") and len(other.all("#colors li")) == 2
    guide_server.start()
    other.sees("Without a server", "#colors")
    page.sees_no(".behind")


def test_a_list_that_the_rules_end_is_followed_again(web, guide_server, tmp_path, make_page):
    page = make_page(web.address)
    rules = ROOT / "CodableGuide/firestore.rules"
    closed = tmp_path / "closed.rules"
    closed.write_text(re.sub(r"if .*?;", "if false;", rules.read_text(), flags=re.DOTALL))
    for entry, count in (("Colours", 2), ("Enums", 4), ("GeoPoints", 5), ("Custom mapping", 3)):
        opened(page, entry)
        page.wait(lambda: len(page.all("main ul.list li")) == count, "the list")
        page.sees_no(".behind")
        guide_server.command("rules", "deploy", closed, "--project", PROJECT)
        page.sees("The list is not up to date any more.", "#stopped")
        assert len(page.all("main ul.list li")) == count
        guide_server.command("rules", "deploy", rules, "--project", PROJECT)
        page.click("Try again")
        page.sees_no(".stopped")
        page.wait(lambda: len(page.all("main ul.list li")) == count, "the list again")
        page.sees_no(".behind")


def test_a_host_without_a_network_shows_what_it_knows(
    run, web, guide_server, wires, tmp_path, make_page
):
    wire = wires(guide_server.port)
    alone = run("codable-guide-web", "--service", wire.address, "--folder", tmp_path / "alone")
    page, other = make_page(alone.address), make_page(web.address)
    opened(page, "Colours")
    opened(other, "Colours")
    for one in (page, other):
        one.wait(lambda: len(one.all("#colors li")) == 2, "the sample")
        one.sees_no(".behind")
    wire.cut()
    page.sees("Offline", ".behind")
    # The app is started anew, without a network.
    alone.stop()
    alone.restart()
    page.driver.get(alone.address)
    opened(page, "Colours")
    page.wait(lambda: len(page.all("#colors li")) == 2, "the colours from the cache")
    page.sees("Offline", ".behind")
    page.fill("#name", "Without a network")
    page.click("Add")
    page.sees("Without a network", "#colors")
    assert len(other.all("#colors li")) == 2 and not other.all(".behind")
    other.fill("#name", "Meanwhile")
    other.click("Add")
    wire.join()
    other.sees("Without a network", "#colors")
    page.sees("Meanwhile", "#colors")
    page.sees_no(".behind")


def test_a_killed_host_goes_on_as_the_same_person(web, guide_server, make_page):
    page = opened(make_page(web.address), "Dates and times")
    page.sees("You were not here before.")
    page.fill("#remark", "From a test")
    page.click("I am here now")
    page.sees("Remark: From a test")
    page.wait(lambda: page.one("#visit-time").text.endswith("Z"), "the server's time")
    time = page.one("#visit-time").text
    web.stop(signal.SIGKILL)
    guide_server.stop()
    web.restart()
    # Nobody can sign in anew now: the session and the documents are from the device's folder.
    page.driver.get(web.address)
    opened(page, "Dates and times")
    page.sees("Remark: From a test")
    page.wait(lambda: page.one("#visit-time").text == time, "the same visit")
    page.sees("Offline", ".behind")
    guide_server.start()
    page.sees_no(".behind")
