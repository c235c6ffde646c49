"""Makes the pictures of the examples' READMEs anew: `scripts/pictures`."""

import datetime
import pathlib
import sys
import tempfile

from conftest import ROOT, Brasa, Page, Process, make_driver, write_mock
from orders_system import ADMINISTRATOR, OrdersServer, Shop, lines, pages, sign_in
from products_system import ProductsServer
from smaller_png import smaller


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
        picture = smaller(self.driver.get_screenshot_as_png())
        (self.folder / f"{name}.png").write_bytes(picture)


def vollmed(folder, scheme, target):
    mock = folder / "mock.json"
    write_mock(mock, {"method": "GET", "path": "/especialista", "delay": 3})
    service = Process(
        "vollmed-service",
        "--sample",
        "--database",
        str(folder / "clinic.sqlite"),
        "--mock",
        str(mock),
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
        text = "Ops! Ocorreu um erro, mas já estamos trabalhando para solucionar"
        body = {"error": {"code": 400, "message": text}}
        route = {"method": "GET", "path": "/especialista", "status": 400, "body": body}
        write_mock(mock, route)
        page.click("Home")
        page.one("#snackbar")
        album.take(f"snackbar{end}")
    finally:
        driver.quit()
        web.stop()
        service.stop()


def sales(folder, scheme, target):
    service = Process("sales-service", "--sample", "--database", str(folder / "shop.sqlite"))
    web = Process("sales-web", "--service", service.address, "--folder", str(folder / "devices"))
    driver = make_driver(scheme)
    try:
        album = Album("Sales", driver, web.address, target)
        page = album.page
        end = "-dark" if scheme == "dark" else ""
        page.sees("Sign in to see your products.")
        album.take(f"sign-in{end}")
        page.fill("#email", "matilde@siecola.com.br")
        page.fill("#password", "matilde")
        page.click("Sign in")
        page.sees("Mochila")
        album.take(f"products{end}")
        page.click("New product")
        page.one("#editor")
        page.fill("#name", "Caneta vermelha")
        page.fill("#code", "CAN01")
        page.fill("#price", "3.50")
        album.take(f"new-product{end}")
        page.click("Add")
        page.one("#alert")
        album.take(f"alert{end}")
        page.click("Dismiss")
        page.click("Cancel")
        page.click("Form")
        page.fill("#name", "Lápis")
        page.fill("#code", "LAP1")
        page.click("Save")
        page.sees("The code needs 5 characters")
        album.take(f"form-invalid{end}")
        page.fill("#code", "LAP01")
        page.click("Save")
        page.sees("Product Saved")
        album.take(f"form{end}")
    finally:
        driver.quit()
        web.stop()
        service.stop()


def ponto(folder, scheme, target):
    service = Process("ponto-service", "--database", str(folder / "ponto.sqlite"))
    web = Process("ponto-web", "--service", service.address, "--folder", str(folder / "devices"))
    driver = make_driver(scheme)
    try:
        driver.execute_cdp_cmd(
            "Browser.grantPermissions", {"origin": web.address, "permissions": ["geolocation"]}
        )
        driver.execute_cdp_cmd(
            "Emulation.setGeolocationOverride",
            {"latitude": -23.5881, "longitude": -46.6323, "accuracy": 10},
        )
        album = Album("Ponto", driver, web.address, target)
        page = album.page
        end = "-dark" if scheme == "dark" else ""
        photo = ROOT / "Vollmed/Service/Faces/98765.png"
        page.one("#photo").send_keys(str(photo))
        page.click("REGISTRAR PONTO")
        page.sees("Ponto registrado às")
        album.take(f"clock{end}")
        service.stop()
        page.click("REGISTRAR PONTO")
        page.sees("Registro guardado.")
        album.take(f"clock-offline{end}")
        page.click("Recibos")
        page.one("#profile-photo").send_keys(str(photo))
        page.one("img.profile")
        page.sees("NÃO SINCRONIZADO")
        album.take(f"receipts-offline{end}")
        service.restart()
        page.sees_no(".status.bad")
        album.take(f"receipts{end}")
        page.click("Apagar recibo de " + page.one("#receipts .date").text)
        page.one("#question")
        album.take(f"delete{end}")
    finally:
        driver.quit()
        web.stop()
        service.stop()


def codable_guide(folder, scheme, target):
    server = Brasa(folder / "brasa", "codable-guide", ROOT / "CodableGuide")
    web = Process(
        "codable-guide-web", "--service", server.address, "--folder", str(folder / "devices")
    )
    driver = make_driver(scheme)
    try:
        album = Album("CodableGuide", driver, web.address, target)
        page = album.page
        end = "-dark" if scheme == "dark" else ""

        def open_entry(title):
            if page.all(".split.open"):
                page.click("‹ Menu")
            page.click(title)
            page.sees(title, "main h1")

        page.sees("Choose an entry of the menu.")
        album.take(f"menu{end}")
        open_entry("Simple types")
        page.click("Fetch")
        page.sees("Fetched hitchhiker")
        album.take(f"simple{end}")
        page.click("Fetch an invalid one")
        page.sees("numberOfPages", ".error")
        album.take(f"error{end}")
        open_entry("Arrays of custom types")
        page.click("Fetch")
        page.sees("series", "#part")
        page.click("Add a tag")
        page.sees("classic", "#part")
        album.take(f"nested{end}")
        open_entry("Dates and times")
        page.sees("TypeScript", "#languages")
        page.click("I am here now")
        page.sees("Remark: null")
        page.sees_no(".behind")
        driver.execute_script("scrollTo(0, 0)")
        album.take(f"dates{end}")
        open_entry("GeoPoints")
        page.sees("Hamburg", "#locations")
        page.sees_no(".behind")
        album.take(f"locations{end}")
        open_entry("Colours")
        page.fill("#name", "Half of violet")
        page.set("#color", "#7a3cff")
        page.set("#opacity", "128")
        page.click("Add")
        page.sees("#7a3cff80", "#colors")
        page.sees_no(".behind")
        album.take(f"colors{end}")
        open_entry("Enums")
        page.sees("in review", "#articles")
        page.sees_no(".behind")
        album.take(f"enums{end}")
        closed = folder / "closed.rules"
        closed.write_text(
            "rules_version = '2'; service cloud.firestore { match /databases/{database}/documents {"
            " match /{document=**} { allow read: if false; } } }"
        )
        server.command("rules", "deploy", closed, "--project", "codable-guide")
        page.one("#stopped")
        album.take(f"stopped{end}")
    finally:
        driver.quit()
        web.stop()
        server.stop()


def products(folder, scheme, target):
    server = ProductsServer(folder)
    web = Process(
        "products-web",
        "--service",
        server.address,
        "--folder",
        str(folder / "devices"),
    )
    driver = make_driver(scheme)
    try:
        album = Album("Products", driver, web.address, target)
        page = album.page
        end = "-dark" if scheme == "dark" else ""
        page.sees("Sign in to see your products.")
        album.take(f"sign-in{end}")
        page.click("Sign in with the trial provider")
        page.sees("It believes you.")
        album.take(f"provider{end}")
        page.click("Continue")
        page.sees("No products yet.")
        page.sees_no(".behind")
        photos = pathlib.Path(__file__).parent / "photos"
        for name, code, price, photo in (
            ("Desk lamp", "LAMP1", "89.90", "lamp"),
            ("Armchair", "CHAIR", "450", "armchair"),
            ("Table", "TABLE", "720", None),
        ):
            page.click("New product")
            page.fill("#name", name)
            page.fill("#description", "From the workshop")
            page.fill("#code", code)
            page.fill("#price", price)
            if photo:
                page.one("#photo").send_keys(str(photos / f"{photo}.png"))
                page.one("#preview")
            if name == "Armchair":
                album.take(f"form{end}")
            page.click("Add")
            page.sees(name, "#products")
        page.wait(lambda: len(page.all("#products img")) == 2, "two photos")
        page.sees_no(".behind")
        album.take(f"products{end}")
        server.stop()
        page.sees("Offline", ".behind")
        album.take(f"offline{end}")
    finally:
        driver.quit()
        web.stop()
        server.close()


def order_status(folder, scheme, target):
    server = OrdersServer(folder / "brasa")
    shop = Shop(server, folder / "shop.sqlite")
    web = pages(Process, server, shop, folder / "devices")
    driver = make_driver(scheme)
    try:
        album = Album("OrderStatus", driver, web.address, target)
        page = album.page
        end = "-dark" if scheme == "dark" else ""
        page.one("#permission")
        album.take(f"permission{end}")
        sign_in(page, *ADMINISTRATOR)
        page.sees("No order has changed yet.")
        album.take(f"empty{end}")
        order = shop.place(*ADMINISTRATOR)
        shop.change(order, "APPROVED")
        changed = shop.change(order, "SHIPPED")
        page.wait(lambda: lines(page)[0] == changed["messageId"], "the change")
        page.one("#banner")
        album.take(f"status{end}")
        page.click("Log out")
        driver.delete_all_cookies()
        driver.get(web.address)
        sign_in(page, *ADMINISTRATOR, answer="Don't allow")
        delivered = shop.change(order, "DELIVERED")
        page.wait(lambda: lines(page)[0] == delivered["messageId"], "the change")
        album.take(f"silent{end}")
        shop.process.stop()
        web.stop()
        web.restart()
        driver.get(web.address)
        page.one("#problem")
        album.take(f"problem{end}")
    finally:
        driver.quit()
        web.stop()
        if shop.process.process.poll() is None:
            shop.process.stop()
        server.stop()


EXAMPLES = {
    "CodableGuide": codable_guide,
    "OrderStatus": order_status,
    "Ponto": ponto,
    "Products": products,
    "Sales": sales,
    "Vollmed": vollmed,
}


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
