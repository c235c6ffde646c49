"""Makes the pictures of the examples' READMEs anew: `scripts/pictures`."""

import datetime
import pathlib
import sys
import tempfile

from conftest import ROOT, Page, Process, make_driver, write_mock


class Album:
    """One example's pictures; `target` replaces the examples' own folders."""

    def __init__(self, example, driver, address, target=None):
        self.folder = pathlib.Path(target or ROOT) / example / "Pictures"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.driver = driver
        self.page = Page(driver, address)

    def take(self, name):
        self.driver.execute_script("document.activeElement?.blur()")
        self.driver.execute_cdp_cmd("Animation.enable", {})
        self.page.wait(
            lambda: self.driver.execute_script(
                "return [...document.images].every(i => i.complete) &&"
                " document.getAnimations().every("
                "a => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)"
            ),
            "pictures and movements",
        )
        self.driver.save_screenshot(str(self.folder / f"{name}.png"))


def vollmed(folder, scheme, target):
    mock = folder / "mock.json"
    write_mock(mock, {"method": "GET", "path": "/especialista", "delay": 3})
    service = Process(
        "vollmed-service", "--sample", "--database", str(folder / "clinic.sqlite"), "--mock", str(mock)
    )
    web = Process(
        "vollmed-web", "--service", service.address, "--folder", str(folder / "devices")
    )
    driver = make_driver(scheme)
    try:
        album = Album("Vollmed", driver, web.address, target)
        page = album.page
        end = "-dark" if scheme == "dark" else ""
        page.sees("Olá!")
        album.take(f"sign-in{end}")
        page.click("Ainda não possui uma conta? Cadastre-se.")
        page.click("Cadastrar")
        page.sees("Insira seu nome completo")
        album.take(f"sign-up{end}")
        page.click("Já possui uma conta? Faça o login!")
        page.fill("#email", "lucas@example.com")
        page.fill("#password", "senha123")
        page.click("Entrar")
        page.one("#skeleton")
        album.take(f"skeleton{end}")
        page.sees("Rafael Silva")
        album.take(f"home{end}")
        day = datetime.date.today() + datetime.timedelta(days=3)
        day += datetime.timedelta(days=day.weekday() == 6)
        page.click("Agendar consulta com Maria Souza")
        page.one("#date")
        page.set("#date", f"{day}T10:15")
        album.take(f"booking{end}")
        page.click("Agendar consulta")
        page.sees("A consulta foi agendada com sucesso!")
        album.take(f"notice{end}")
        page.click("Ok")
        page.click("‹ Voltar")
        page.click("Minhas consultas")
        page.sees("às 10:15")
        album.take(f"appointments{end}")
        error = {"code": 400, "message": "Ops! Ocorreu um erro, mas já estamos trabalhando para solucionar"}
        write_mock(mock, {"method": "GET", "path": "/especialista", "status": 400, "body": {"error": error}})
        page.click("Home")
        page.one("#snackbar")
        album.take(f"snackbar{end}")
    finally:
        driver.quit()
        web.stop()
        service.stop()


EXAMPLES = {"Vollmed": vollmed}


def main():
    target = None
    names = sys.argv[1:]
    if names[:1] == ["--into"]:
        target, names = names[1], names[2:]
    for name in names or EXAMPLES:
        for scheme in ("light", "dark"):
            with tempfile.TemporaryDirectory() as folder:
                EXAMPLES[name](pathlib.Path(folder), scheme, target)
        print(f"{name}: done")


if __name__ == "__main__":
    main()
