"""The sales provider's app in a browser: 1e.9, 1e.10, chapter 5's form, service up and down."""

import pytest

from conftest import Page


@pytest.fixture
def shop(run, tmp_path):
    service = run("sales-service", "--sample", "--database", tmp_path / "shop.sqlite")
    web = run("sales-web", "--service", service.address, "--folder", tmp_path / "devices")
    return service, web


def sign_in(page):
    page.fill("#email", "matilde@siecola.com.br")
    page.fill("#password", "matilde")
    page.click("Sign in")
    page.sees("Mochila")


def fill(page, name, code, price):
    page.fill("#name", name)
    page.fill("#code", code)
    page.fill("#price", price)


def test_main_flow(driver, shop):
    page = Page(driver, shop[1].address)
    page.fill("#email", "matilde@siecola.com.br")
    page.fill("#password", "wrong")
    page.click("Sign in")
    page.sees("Wrong e-mail or password")
    sign_in(page)
    assert [row.text for row in page.all("#products .price")] == [
        "$ 18.90",
        "$ 3.50",
        "$ 10.00",
        "$ 20.00",
        "$ 159.00",
    ]

    page.click("New product")
    page.sees("New product", "h1")
    fill(page, "Borracha", "BOR01", "x")
    page.click("Add")
    page.sees("The price must be a number of at least 0")
    page.fill("#price", "2,25")
    page.click("Add")
    page.sees("$ 2.25")
    page.sees_no("#editor")

    page.click("Edit Borracha")
    page.sees("Edit product", "h1")
    page.fill("#code", "BOR/02 ç")
    page.click("Save")
    page.sees("BOR/02 ç")
    page.click("Delete Borracha")
    page.wait(lambda: "Borracha" not in page.one("#products").text, "the row to leave")
    page.click("Sign out")
    page.sees("Sign in to see your products.")


def test_1e_10_a_duplicate_code_shows_the_alert_and_keeps_the_form(driver, shop):
    page = Page(driver, shop[1].address)
    sign_in(page)
    page.click("New product")
    page.one("#editor")
    fill(page, "Outra caneta", "CAN01", "9.99")
    page.click("Add")
    page.sees("The product couldn't be saved", "[role=alertdialog]")
    page.click("Dismiss")
    page.sees_no("#alert")
    assert page.one("#name").get_attribute("value") == "Outra caneta"
    assert page.one("#price").get_attribute("value") == "9.99"
    page.click("Cancel")
    page.sees_no("#editor")


def test_service_down_keeps_the_rows(driver, shop):
    page = Page(driver, shop[1].address)
    sign_in(page)
    shop[0].stop()
    page.click("Delete Mochila")
    page.sees("The product couldn't be deleted")
    page.click("Dismiss")
    page.sees("Mochila")
    page.click("Reload")
    page.sees("The products couldn't be loaded")
    page.click("Dismiss")
    shop[0].restart()
    page.click("Delete Mochila")
    page.wait(lambda: "Mochila" not in page.one("#products").text, "the row to leave")


def test_session_survives_restarts_of_page_and_service(driver, shop):
    page = Page(driver, shop[1].address)
    sign_in(page)
    for part in shop:
        part.stop()
    for part in shop:
        part.restart()
    driver.refresh()
    page.sees("Caderno")


def test_chapter_5_form_binds_both_ways_and_validates(driver, shop):
    page = Page(driver, shop[1].address)
    page.click("Try the product form")
    page.sees("Product", "h1")
    fill(page, "Lápis", "LAP1", "-1")
    page.sees("Lápis · · LAP1 · -1", "#preview")
    page.click("Save")
    page.sees("The code needs 5 characters")
    page.sees("The price must be a number of at least 0")
    page.fill("#code", "LAP01")
    page.fill("#price", "1.5")
    page.click("Save")
    page.sees("Product Saved")
    page.sees("Price: 1.50", "#saved")
    page.sees_no(".error")
    # What is saved is bound to the fields: it follows them, until something that is not valid is to be saved.
    page.fill("#name", "Lápis preto")
    page.sees("Name: Lápis preto", "#saved")
    page.fill("#price", "x")
    page.sees("Lápis preto · · LAP01 · x", "#preview")
    page.sees("Price: 1.50", "#saved")
    page.click("Save")
    page.sees("The price must be a number of at least 0")
    page.sees_no("#saved")


def test_slow_and_failing_service(driver, run, proxy, tmp_path):
    service = run("sales-service", "--sample", "--database", tmp_path / "shop.sqlite")
    between = proxy(service)
    web = run("sales-web", "--service", between.address, "--folder", tmp_path / "devices")
    page = Page(driver, web.address)
    between.hold()
    page.fill("#email", "matilde@siecola.com.br")
    page.fill("#password", "matilde")
    page.click("Sign in")
    page.one("button[aria-busy]")
    between.release()
    page.sees("Mochila")

    between.fail(500, "Erro interno")
    page.click("New product")
    page.one("#editor")
    fill(page, "Borracha", "BOR01", "2.00")
    page.click("Add")
    page.sees("The product couldn't be saved")
    page.click("Dismiss")
    between.recover()
    page.click("Add")
    page.sees("Borracha", "#products")

    web.stop()
    between.hold()
    web.restart()
    driver.refresh()
    page.one("#skeleton")
    assert not page.all("#products li")
    between.release()
    page.sees("Mochila")
    page.sees_no("#skeleton")
