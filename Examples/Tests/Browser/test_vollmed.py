"""The clinic's app in a browser: acceptance list 4e, service up, down, slow and in error."""

import datetime
import os

import pytest

from conftest import Page, write_mock

HOME = "/especialista"


@pytest.fixture
def clinic(run, tmp_path):
    mock = tmp_path / "mock.json"
    write_mock(mock)
    service = run(
        "vollmed-service", "--sample", "--database", tmp_path / "clinic.sqlite", "--mock", mock
    )
    web = run("vollmed-web", "--service", service.address, "--folder", tmp_path / "devices")
    service.mock = lambda *routes: write_mock(mock, *routes)
    return service, web


def sign_in(page):
    page.fill("#email", "lucas@example.com")
    page.fill("#password", "senha123")
    page.click("Entrar")
    page.sees("Boas-vindas!")


def weekday(days):
    """A moment at least `days` ahead on which the clinic is open."""
    day = datetime.date.today() + datetime.timedelta(days=days)
    while day.weekday() == 6:
        day += datetime.timedelta(days=1)
    return day


def mocked(status, message):
    return {
        "method": "GET",
        "path": HOME,
        "status": status,
        "body": {"error": {"code": status, "message": message}},
    }


def test_4e_main_flow(driver, clinic):
    page = Page(driver, clinic[1].address)
    page.sees("Olá!")
    page.click("Ainda não possui uma conta? Cadastre-se.")
    assert len(page.one("#plan").text.splitlines()) == 11
    page.click("Cadastrar")
    page.sees("Insira seu nome completo")
    for name, value in {
        "name": "Ana Lima",
        "email": "ana@example.com",
        "cpf": "529.982.247-25",
        "phoneNumber": "11999990000",
        "password": "segredo",
    }.items():
        page.fill(f"#{name}", value)
    page.click("Cadastrar")
    page.sees("O paciente foi criado com sucesso!")
    page.click("Ok")

    page.fill("#email", "ana@example.com")
    page.fill("#password", "errada")
    page.click("Entrar")
    page.sees("Senha incorreta!")
    page.click("Ok")
    page.fill("#password", "segredo")
    page.click("Entrar")
    page.sees("Andréia Rodrigues")
    assert len(page.all("#specialists li")) == 5

    page.click("Agendar consulta com Maria Souza")
    day = weekday(3)
    page.one("#date")
    page.set("#date", f"{day}T10:15")
    page.click("Agendar consulta")
    page.sees("A consulta foi agendada com sucesso!")
    page.click("Ok")
    page.click("‹ Voltar")
    page.click("Minhas consultas")
    page.sees(f"{day:%d/%m/%Y} às 10:15")

    page.click(f"Remarcar consulta de {day:%d/%m/%Y} às 10:15")
    page.one("#date")
    page.set("#date", f"{day}T11:30")
    page.click("Reagendar consulta")
    page.sees("A consulta foi reagendada com sucesso!")
    page.click("Ok")
    page.click("‹ Voltar")
    page.sees(f"{day:%d/%m/%Y} às 11:30")

    page.click(f"Cancelar consulta de {day:%d/%m/%Y} às 11:30")
    page.fill("#reason", "Viagem")
    page.click("Cancelar consulta")
    page.sees("A consulta foi cancelada com sucesso!")
    page.click("Ok")
    page.sees("Não há nenhuma consulta agendada no momento!")

    page.click("Home")
    page.click("Logout")
    page.sees("Olá!")


def test_4e_1_session_survives_a_relaunch(driver, clinic):
    page = Page(driver, clinic[1].address)
    sign_in(page)
    clinic[1].stop()
    page.sees("Sem conexão com a página", "#lost")
    clinic[1].restart()
    driver.refresh()
    page.sees("Boas-vindas!")
    page.sees("Pedro Oliveira")


def test_4e_2_skeleton_until_a_slow_reply(driver, clinic):
    clinic[0].mock({"method": "GET", "path": HOME, "delay": 2})
    page = Page(driver, clinic[1].address)
    sign_in(page)
    page.one("#skeleton")
    assert len(page.all("#skeleton li")) == 4 and not page.all("#specialists")
    page.sees("Rafael Silva")
    page.sees_no("#skeleton")


def test_4e_3_and_4_errors_show_their_message_for_three_seconds(driver, clinic):
    page = Page(driver, clinic[1].address)
    clinic[0].mock(mocked(400, "Ops! Ocorreu um erro, mas já estamos trabalhando para solucionar"))
    sign_in(page)
    page.sees("já estamos trabalhando para solucionar", "#snackbar")
    assert page.all("#retry") and not page.all("#skeleton")
    page.click("Minhas consultas")
    page.sees("Não há nenhuma consulta")
    page.sees_no("#snackbar")

    clinic[0].mock(mocked(500, "Outra mensagem"))
    page.click("Home")
    page.sees("Outra mensagem", "#snackbar")
    page.sees_no("#snackbar")

    clinic[0].mock(mocked(401, "x"))
    page.click("Home")
    page.sees("sessão expirada", "#snackbar")
    clinic[0].mock()
    page.click("Home")
    page.sees("Maria Souza")


def test_service_down_and_up_again(driver, clinic):
    page = Page(driver, clinic[1].address)
    clinic[0].stop()
    page.fill("#email", "lucas@example.com")
    page.fill("#password", "senha123")
    page.click("Entrar")
    page.sees("Houve um erro ao tentar realizar login.")
    page.click("Ok")
    clinic[0].restart()
    page.fill("#password", "senha123")
    page.click("Entrar")
    page.sees("Maria Souza")


def test_keyboard_alone_is_enough(driver, clinic):
    from selenium.webdriver.common.keys import Keys

    page = Page(driver, clinic[1].address)
    page.fill("#email", "x@example.com")
    page.fill("#password", "x")
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.sees("Não encontrado!")
    page.wait(lambda: driver.switch_to.active_element.text == "Ok", "focus on Ok")
    driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.sees_no("#notice")
    assert not page.all("main[inert]")
