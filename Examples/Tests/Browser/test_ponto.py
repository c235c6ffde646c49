"""The time clock in a browser: acceptance list 6e, service up, down and up again."""

import base64
import json
import urllib.request

import pytest

from conftest import Page, make_driver

PHOTO = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def ponto(run, tmp_path):
    service = run("ponto-service", "--database", tmp_path / "ponto.sqlite")
    web = run("ponto-web", "--service", service.address, "--folder", tmp_path / "devices")
    return service, web


@pytest.fixture
def located(driver, ponto):
    """A browser whose position is the clinic's street in São Paulo."""
    driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"origin": ponto[1].address, "permissions": ["geolocation"]},
    )
    driver.execute_cdp_cmd(
        "Emulation.setGeolocationOverride",
        {"latitude": -23.5881, "longitude": -46.6323, "accuracy": 10},
    )
    return Page(driver, ponto[1].address)


def stored(service):
    with urllib.request.urlopen(f"{service.address}/recibos", timeout=20) as reply:
        return json.load(reply)


def test_6e_main_flow(located, ponto, tmp_path):
    page = located
    photo = tmp_path / "photo.png"
    photo.write_bytes(PHOTO)
    clock = page.one("time").text
    assert len(clock) == 5 and clock[2] == ":"
    page.one("#photo").send_keys(str(photo))
    page.click("REGISTRAR PONTO")
    page.sees("Ponto registrado às")
    assert stored(ponto[0])[0]["localizacao"] == {"latitude": "-23.5881", "longitude": "-46.6323"}

    page.click("Recibos")
    page.sees("SINCRONIZADO", ".status.good")
    assert page.one(".taken").get_attribute("src").startswith("data:image/jpeg")
    link = page.one("#receipts a").get_attribute("href")
    assert "mlat=-23.5881" in link and "mlon=-46.6323" in link

    date = page.one("#receipts .date").text
    page.click(f"Apagar recibo de {date}")
    page.sees("É necessário autenticação para apagar um recibo")
    page.fill("#pin", "0000")
    page.click("Apagar")
    page.sees("PIN incorreto")
    page.click("Cancelar")
    page.sees_no("#question")
    assert len(stored(ponto[0])) == 1
    page.click(f"Apagar recibo de {date}")
    page.fill("#pin", "1234")
    page.click("Apagar")
    page.sees("Nenhum recibo ainda.")
    assert stored(ponto[0]) == []


def test_6e_2_offline_receipts_turn_green_when_the_server_is_back(located, ponto):
    page = located
    ponto[0].stop()
    page.click("REGISTRAR PONTO")
    page.sees("Registro guardado. Ele será enviado quando houver conexão.")
    page.click("Recibos")
    page.sees("NÃO SINCRONIZADO", ".status.bad")
    page.sees("Sem conexão com o servidor.")
    ponto[0].restart()
    page.sees("SINCRONIZADO", ".status.good")
    page.sees_no(".status.bad")
    assert len(stored(ponto[0])) == 1


def test_6e_2_the_outbox_survives_the_page_and_sends_on_demand(located, ponto):
    page = located
    ponto[0].stop()
    page.click("REGISTRAR PONTO")
    page.sees("Registro guardado.")
    ponto[1].stop(9)
    ponto[1].restart()
    page.driver.refresh()
    page.click("Recibos")
    page.sees("NÃO SINCRONIZADO", ".status.bad")
    ponto[0].restart()
    page.click("Sincronizar agora")
    page.sees_no(".status.bad")
    page.sees("SINCRONIZADO", ".status.good")
    assert len(stored(ponto[0])) == 1


def test_6e_5_the_profile_photo_survives_a_relaunch(located, ponto, tmp_path):
    page = located
    photo = tmp_path / "photo.png"
    photo.write_bytes(PHOTO)
    page.click("Recibos")
    page.one("#profile-photo").send_keys(str(photo))
    page.one("img.profile")
    ponto[1].stop()
    ponto[1].restart()
    page.driver.refresh()
    page.click("Recibos")
    page.one("img.profile")


def test_6e_6_another_device_sees_the_servers_receipts(located, ponto):
    page = located
    page.click("REGISTRAR PONTO")
    page.sees("Ponto registrado às")
    other = make_driver()
    try:
        second = Page(other, ponto[1].address)
        second.click("Recibos")
        second.sees("SINCRONIZADO", ".status.good")
    finally:
        other.quit()


def test_slow_busy_and_refusing_server(driver, run, proxy, tmp_path):
    service = run("ponto-service", "--database", tmp_path / "ponto.sqlite")
    between = proxy(service)
    web = run("ponto-web", "--service", between.address, "--folder", tmp_path / "devices")
    page = Page(driver, web.address)
    page.one("time")
    between.hold()
    page.click("REGISTRAR PONTO")
    page.one("button.register[aria-busy]")
    between.release()
    page.sees("Ponto registrado às")

    between.fail(503, "Em manutenção")
    page.click("REGISTRAR PONTO")
    page.sees("Registro guardado.")
    between.recover()
    page.click("Recibos")
    page.wait(lambda: len(page.all(".status.good")) == 2, "two green receipts")

    page.click("Início")
    between.fail(400, "Fora do horário de trabalho")
    page.click("REGISTRAR PONTO")
    page.sees("Fora do horário de trabalho", ".message")
    between.recover()
    page.click("Recibos")
    page.sees("Fora do horário de trabalho", "#receipts .error")
    assert len(page.all(".status.bad")) == 1 and len(stored(service)) == 2
    page.click("Sincronizar agora")
    page.wait(lambda: len(page.all(".status.good")) == 3, "three green receipts")
    assert len(stored(service)) == 3
