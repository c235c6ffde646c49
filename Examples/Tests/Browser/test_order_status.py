"""The order status in a browser: 1e.11, a second person beside, a server that stops and comes back, a host without a network,
a host that is killed, and a provider that is not there."""

import os
import signal
import subprocess

import pytest
from conftest import ROOT
from orders_system import ADMINISTRATOR, OrdersServer, Shop, lines, pages, sign_in

BOOK = {
    "infoReason": "Status de pedido",
    "orderID": 3,
    "userEmail": ADMINISTRATOR[0],
    "newOrderStatus": "Novo pedido",
}


@pytest.fixture
def server(tmp_path):
    made = OrdersServer(tmp_path / "brasa")
    yield made
    made.stop()


@pytest.fixture
def shop(server, tmp_path):
    made = Shop(server, tmp_path / "shop.sqlite")
    for email in ("ana@a.co", "bia@a.co"):
        made.sign_up(email)
    yield made
    if made.process.process.poll() is None:
        made.process.stop()


@pytest.fixture
def web(run, server, shop, tmp_path):
    return pages(run, server, shop, tmp_path / "devices")


def test_1e_11_the_books_message_shows_a_banner_and_fills_the_five_lines(web, server, make_page):
    page = make_page(web.address)
    page.sees("would like to send you notifications", "#permission")
    sign_in(page, *ADMINISTRATOR)
    page.sees("No order has changed yet.")
    assert lines(page) == [""] * 5
    token = page.one("#token").get_attribute("textContent")
    sent = server.send(token, BOOK)
    page.sees("Provedor de Mensagens", "#banner .title")
    page.sees("Status do pedido", "#banner")
    assert lines(page) == [sent, "Status de pedido", "3", "Novo pedido", ADMINISTRATOR[0]]
    assert [e.text for e in page.all("#lines dt")] == [
        "Message Id:",
        "Reason:",
        "Order Id:",
        "Status:",
        "Email:",
    ]
    page.click("Dismiss")
    page.sees_no("#banner")
    page.driver.refresh()
    page.wait(lambda: lines(page)[0] == sent, "the lines after a reload")
    # The command of one line that sends the same.
    made = subprocess.run(
        [str(ROOT / "OrderStatus/send"), token],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "SALES_MESSAGES_URL": server.address,
            "SALES_MESSAGES_KEY": server.key,
        },
    ).stdout
    page.wait(lambda: f'"{lines(page)[0]}"' in made, "the message of the command")
    # A message that cannot be read says so, and keeps nothing of the one before.
    unread = server.send(token, {"infoReason": "Status de pedido"})
    page.sees("The last message could not be read.")
    assert lines(page) == [unread, "", "", "", ""]


def test_orders_are_told_to_their_person_alone(web, shop, make_page):
    ana = sign_in(make_page(web.address), "ana@a.co")
    bia = sign_in(make_page(web.address), "bia@a.co", answer="Don't allow")
    bia.sees("Notifications are off")
    order = shop.place("ana@a.co")
    told = [order["messageId"], "NEW_ORDER", f"{order['id']}", "CREATED", "ana@a.co"]
    ana.wait(lambda: lines(ana) == told, "the new order")
    ana.one("#banner")
    shop.place("bia@a.co")
    bia.wait(lambda: lines(bia)[4] == "bia@a.co", "her own order")
    assert not bia.all("#banner") and lines(ana)[4] == "ana@a.co"
    changed = shop.change(order, "APPROVED")
    ana.wait(lambda: lines(ana)[0] == changed["messageId"], "the change")
    assert lines(ana)[1:4] == ["STATUS_CHANGED", f"{order['id']}", "APPROVED"]
    cancelled = shop.change(order, "CANCELLED", who=("ana@a.co", "segredo"))
    ana.wait(lambda: lines(ana)[0] == cancelled["messageId"], "the cancellation")
    assert lines(ana)[3] == "CANCELLED"
    bia.click("Turn on notifications")
    bia.sees_no("#silent")
    shop.place("bia@a.co")
    bia.one("#banner")


def test_log_out_empties_the_screen_and_ends_the_pushes(web, shop, make_page):
    page = sign_in(make_page(web.address), "ana@a.co")
    shop.place("ana@a.co")
    page.one("#banner")
    page.click("Log out")
    page.sees("Sign in at the sales provider")
    assert "NEW_ORDER" not in page.driver.page_source
    assert "messageId" not in shop.place("ana@a.co")
    sign_in(page, "bia@a.co")
    assert lines(page) == [""] * 5
    order = shop.place("bia@a.co")
    page.wait(lambda: lines(page)[0] == order["messageId"], "her own order")


def test_the_server_stops_and_comes_back(web, server, shop, make_page):
    page = sign_in(make_page(web.address), "ana@a.co")
    server.stop()
    order = shop.place("ana@a.co")
    assert "messageId" not in order
    server.start()
    changed = shop.change(order, "APPROVED")
    page.wait(lambda: lines(page)[0] == changed["messageId"], "the change")


def test_a_host_without_a_network_shows_what_it_knows(
    run, server, shop, wires, tmp_path, make_page
):
    messages, provider = wires(server.port), wires(shop.process.port)
    web = pages(run, messages, provider, tmp_path / "devices")
    page = sign_in(make_page(web.address), "ana@a.co")
    order = shop.place("ana@a.co")
    page.wait(lambda: lines(page)[0] == order["messageId"], "the new order")
    messages.cut()
    provider.cut()
    # The app is started anew, without a network.
    web.stop()
    web.restart()
    page.driver.get(web.address)
    page.sees("The sales provider couldn't be reached.", "#problem")
    changed = shop.change(order, "APPROVED")
    assert lines(page)[0] == order["messageId"]
    messages.join()
    provider.join()
    page.wait(lambda: lines(page)[0] == changed["messageId"], "what came meanwhile")
    page.click("Try again")
    page.sees_no("#problem")


def test_a_killed_host_gets_what_came_meanwhile(web, shop, make_page):
    page = sign_in(make_page(web.address), "ana@a.co")
    order = shop.place("ana@a.co")
    page.wait(lambda: lines(page)[0] == order["messageId"], "the new order")
    web.stop(signal.SIGKILL)
    changed = shop.change(order, "APPROVED")
    web.restart()
    page.driver.get(web.address)
    page.wait(lambda: lines(page)[0] == changed["messageId"], "what came meanwhile")
    page.one("#banner")


def test_a_provider_that_is_not_there_is_told_when_it_is_back(web, shop, make_page):
    page = sign_in(make_page(web.address), "ana@a.co")
    shop.process.stop()
    web.stop()
    web.restart()
    page.driver.get(web.address)
    page.sees("The sales provider couldn't be reached.", "#problem")
    shop.process.restart()
    page.click("Try again")
    page.sees_no("#problem")
    order = shop.place("ana@a.co")
    page.wait(lambda: lines(page)[0] == order["messageId"], "the new order")
