"""The products in a browser: sign-in at the provider, photos, a second client beside, a server that stops and comes back,
a host without a network, and a host that is killed."""

import signal

import pytest
from conftest import PATIENCE, ROOT
from products_system import PROJECT, ProductsServer

PHOTOS = [ROOT / "Vollmed/Service/Faces" / f"{name}.png" for name in ("98765", "24680")]


@pytest.fixture
def server(tmp_path):
    made = ProductsServer(tmp_path)
    yield made
    made.close()


@pytest.fixture
def wire(server, wires):
    return wires(server.port, server.certificates)


@pytest.fixture
def web(run, server, tmp_path):
    return start(run, server.address, tmp_path)


def start(run, address, tmp_path, *arguments):
    return run(
        "products-web",
        "--service",
        address,
        "--folder",
        tmp_path / "devices",
        *arguments,
    )


def by_provider(page, name="Ana Souza", email="ana@corp.example", empty=True):
    page.click("Sign in with the trial provider")
    page.sees("It believes you.")
    page.fill("#name", name)
    page.fill("#email", email)
    page.click("Continue")
    if empty:
        page.sees("No products yet.")
    else:
        page.one("#products li")
    return page


def by_email(page, email, label="Create an account"):
    page.fill("#email", email)
    page.fill("#password", "correct horse")
    page.click(label)
    page.one("#products")
    page.sees_no(".behind")
    return page


def add(page, name, code, photo=None, price="1.50"):
    page.click("New product")
    page.sees("New product", "#editor h1")
    page.fill("#name", name)
    page.fill("#code", code)
    page.fill("#price", price)
    if photo:
        page.one("#photo").send_keys(str(photo))
        page.one("#preview")
    page.click("Add")
    page.sees(name, "#products")


def names(page):
    return [e.text for e in page.all("#products .name")]


def shown(page):
    """How many photos are really drawn."""
    return page.driver.execute_script(
        "return [...document.querySelectorAll('#products img')].filter(i => i.naturalWidth).length"
    )


def status_of_photo(page, name):
    """What the app's host answers to this browser where it asks for a photo by its name."""
    return page.driver.execute_async_script(
        "const [name, done] = arguments;"
        "fetch(`/live/files/${name}`).then(r => done(r.status), e => done(`${e}`));",
        name,
    )


def test_sign_in_at_the_provider_and_out_again(web, make_page):
    page = by_provider(make_page(web.address))
    add(page, "Lamp", "L1")
    page.click("Log out")
    page.sees("Sign in to see your products.")
    assert "Lamp" not in page.driver.page_source
    page.click("Sign in with the trial provider")
    page.sees("It believes you.")
    page.click("Cancel")
    page.sees("The sign-in was cancelled.")
    page.click("Sign in with the trial provider")
    page.sees("It believes you.")
    page.fill("#email", "ana@corp.example")
    page.click("Continue")
    page.sees("Lamp", "#products")
    page.driver.refresh()
    page.sees("Lamp", "#products")


def test_a_list_with_photos_beside_a_second_client(web, server, make_page):
    page = by_email(make_page(web.address), "ana@corp.example")
    other = by_email(make_page(web.address), "ana@corp.example", "Sign in")
    stranger = by_email(make_page(web.address), "bia@corp.example")
    add(page, "Table", "T1", PHOTOS[0])
    add(page, "Chair", "C1")
    other.wait(lambda: names(other) == ["Chair", "Table"], "both, sorted by name")
    page.wait(lambda: shown(page) == 1, "a photo")
    other.wait(lambda: shown(other) == 1, "the photo in the second client")
    assert len(page.all("#products svg.photo")) == 1 and names(stranger) == []
    (first,) = server.photos()
    # A stranger's page has no such photo, even by its name.
    assert [status_of_photo(p, first) for p in (page, other, stranger)] == [200, 200, 404]
    other.click("Edit Table")
    other.sees("Edit product", "#editor h1")
    other.wait(lambda: other.one("#name").get_attribute("value") == "Table", "its name")
    other.one("#photo").send_keys(str(PHOTOS[1]))
    other.wait(lambda: other.one("#preview").get_attribute("src").startswith("data:"), "preview")
    other.fill("#name", "Big table")
    other.click("Save")
    page.wait(lambda: names(page) == ["Big table", "Chair"], "the new name")
    page.wait(lambda: len(server.photos()) == 1 and server.photos() != [first], "one new photo")
    page.wait(lambda: shown(page) == 1, "the new photo")
    page.click("Delete Big table")
    other.wait(lambda: names(other) == ["Chair"], "the rest")
    page.wait(lambda: server.photos() == [], "no photo")


def test_the_labels_and_titles_of_the_book(web, server, make_page):
    page = make_page(web.address)
    # Google's button is there; a project without Google says so.
    page.click("Sign in with Google")
    page.one("#error")
    page = by_email(page, "ana@corp.example")
    page.click("New product")
    page.sees("New product", "#editor h1")
    assert page.one("label[for=photo]").text == "Select the photo"
    page.fill("#name", "Lamp")
    page.fill("#code", "L1")
    page.fill("#price", "1.5")
    page.one("#photo").send_keys(str(PHOTOS[0]))
    page.one("#preview")
    page.click("Add")
    page.sees("$ 1.50", "#products .price")
    page.click("Edit Lamp")
    page.sees("Edit product", "#editor h1")
    assert page.one("label[for=photo]").text == "Change the photo"
    server.stop()
    take_photo(page, PHOTOS[1])
    page.click("Save")
    page.sees("Saving product...", "#saving")
    assert page.one("#saving-title").text == "Edit product"
    page.sees("The product couldn't be updated", "#alert")
    assert page.one("#alert-title").text == "Error"


@pytest.mark.parametrize("argument", ["-FIRDebugEnabled", "-FIRAnalyticsDebugEnabled"])
def test_debug_arguments_send_events_to_the_live_view(run, server, tmp_path, make_page, argument):
    web = start(run, server.address, tmp_path, argument)
    page = by_email(make_page(web.address), "ana@corp.example")
    page.click("New product")
    page.one("#editor")

    def events():
        report = server.administer("GET", f"/v1/projects/{PROJECT}/analytics/debug")
        return [e.get("event") for device in report["devices"] for e in device["entries"]]

    page.wait(lambda: "new_item" in events(), "the event in the live view")


def test_a_form_that_is_no_product_says_so_and_stays(web, make_page):
    page = by_email(make_page(web.address), "ana@corp.example")
    page.click("New product")
    page.fill("#name", "Lamp")
    page.fill("#code", "L1")
    page.fill("#price", "much")
    page.click("Add")
    page.sees("The price must be a number", "#alert")
    page.click("Dismiss")
    page.wait(lambda: page.one("#name").get_attribute("value") == "Lamp", "what was typed")
    page.fill("#price", "7,25")
    page.click("Add")
    page.sees("$ 7.25", "#products .price")


def test_a_list_that_the_rules_end_is_followed_again(web, server, tmp_path, make_page):
    page = by_email(make_page(web.address), "ana@corp.example")
    add(page, "Lamp", "L1")
    closed = tmp_path / "closed.rules"
    allowed = (ROOT / "Products/firestore.rules").read_text()
    closed.write_text(allowed.replace("if isSignedIn()", "if false"))
    server.command("rules", "deploy", closed, "--project", PROJECT)
    page.sees("The list is not up to date any more", "#stopped")
    assert names(page) == ["Lamp"]
    server.command("rules", "deploy", ROOT / "Products/firestore.rules", "--project", PROJECT)
    page.click("Try again")
    page.sees_no("#stopped")
    add(page, "Chair", "C1")
    page.wait(lambda: names(page) == ["Chair", "Lamp"], "both")


def test_the_server_stops_and_comes_back(web, server, make_page):
    page = by_email(make_page(web.address), "ana@corp.example")
    other = by_email(make_page(web.address), "ana@corp.example", "Sign in")
    add(page, "Lamp", "L1", PHOTOS[0])
    other.wait(lambda: shown(other) == 1, "the photo")
    server.stop()
    page.sees("Offline", ".behind")
    add(page, "Chair", "C1")
    assert names(other) == ["Lamp"]
    server.start()
    other.wait(lambda: names(other) == ["Chair", "Lamp"], "what was stored meanwhile")
    page.sees_no(".behind")
    page.click("Delete Lamp")
    page.wait(lambda: server.photos() == [], "no photo")


def test_a_host_without_a_network_shows_list_and_photos(run, server, wire, tmp_path, make_page):
    web = start(run, wire.address, tmp_path)
    page = by_email(make_page(web.address), "ana@corp.example")
    add(page, "Lamp", "L1", PHOTOS[0])
    page.wait(lambda: shown(page) == 1, "the photo")
    page.sees_no(".behind")
    wire.cut()
    page.sees("Offline", ".behind")
    # The app is started anew, without a network.
    web.stop()
    web.restart()
    page.driver.get(web.address)
    page.sees("Lamp", "#products")
    page.wait(lambda: shown(page) == 1, "the photo from the cache")
    page.sees("Offline", ".behind")
    add(page, "Chair", "C1")
    wire.join()
    page.sees_no(".behind")
    other = by_email(make_page(web.address), "ana@corp.example", "Sign in")
    other.wait(lambda: names(other) == ["Chair", "Lamp"], "what was stored meanwhile")


def test_with_the_flag_off_nothing_can_be_deleted(run, server, tmp_path, make_page):
    template = tmp_path / "off.json"
    template.write_text('{"parameters":{"delete_list_view":{"defaultValue":{"value":"false"}}}}')
    server.command("config", "publish", template, "--project", PROJECT)
    page = by_email(make_page(start(run, server.address, tmp_path).address), "ana@corp.example")
    add(page, "Lamp", "L1")
    page.sees_no("button[aria-label='Delete Lamp']")
    page.one("button[aria-label='Edit Lamp']")


def take_photo(page, photo):
    page.one("#photo").send_keys(str(photo))
    page.wait(lambda: page.one("#preview").get_attribute("src").startswith("data:"), "preview")


def relaunched(web, wire, page):
    """Kills the app's host, and starts it anew on a wire that lets everything through."""
    web.stop(signal.SIGKILL)
    wire.cut()
    wire.join()
    web.restart()
    page.driver.get(web.address)
    page.one("#products")


def test_a_host_killed_before_the_document_leaves_no_photo(run, server, wire, tmp_path, make_page):
    web = start(run, wire.address, tmp_path)
    page = by_email(make_page(web.address), "ana@corp.example")
    add(page, "Lamp", "L1", PHOTOS[0])
    (first,) = server.photos()
    # A photo that is taken and not saved is nowhere.
    page.click("New product")
    take_photo(page, PHOTOS[1])
    relaunched(web, wire, page)
    page.wait(lambda: names(page) == ["Lamp"] and shown(page) == 1, "the list as it was")
    assert server.photos() == [first]
    # The new photo arrives, and the host is killed before it knows.
    wire.hold_answer(b"upload, finalize")
    page.click("Edit Lamp")
    take_photo(page, PHOTOS[1])
    page.click("Save")
    page.sees("Saving product...")
    assert wire.seen.wait(PATIENCE)
    page.wait(lambda: len(server.photos()) == 2, "the new photo")
    relaunched(web, wire, page)
    page.wait(lambda: server.photos() == [first], "the first photo alone")
    page.wait(lambda: names(page) == ["Lamp"] and shown(page) == 1, "the list as it was")


def test_a_host_killed_after_the_document_keeps_both(run, server, wire, tmp_path, make_page):
    web = start(run, wire.address, tmp_path)
    page = by_email(make_page(web.address), "ana@corp.example")
    # The document is queued on the device and does not get out.
    wire.hold_request(b"/google.firestore.v1.Firestore/Write/")
    add(page, "Lamp", "L1", PHOTOS[0])
    assert wire.seen.wait(PATIENCE)
    (photo,) = server.photos()
    relaunched(web, wire, page)
    page.wait(lambda: names(page) == ["Lamp"] and shown(page) == 1, "list and photo")
    page.sees_no(".behind")
    other = by_email(make_page(web.address), "ana@corp.example", "Sign in")
    other.wait(lambda: names(other) == ["Lamp"] and shown(other) == 1, "both at the server")
    # A replaced photo that was not deleted yet goes after the next start.
    wire.hold_request(b"/google.firestore.v1.Firestore/Write/")
    page.click("Edit Lamp")
    page.wait(lambda: page.one("#name").get_attribute("value") == "Lamp", "its name")
    take_photo(page, PHOTOS[1])
    page.click("Save")
    page.one("#products")
    page.wait(lambda: len(server.photos()) == 2, "both photos")
    relaunched(web, wire, page)
    page.wait(lambda: len(server.photos()) == 1 and server.photos() != [photo], "the new photo")
    page.wait(lambda: names(page) == ["Lamp"] and shown(page) == 1, "list and photo")
