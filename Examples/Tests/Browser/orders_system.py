"""What the order status runs on: a Brasa that sends, and a sales provider with orders."""

import json
import urllib.parse
import urllib.request

from conftest import PATIENCE, Process, Server

PROJECT = "order-status"
ADMINISTRATOR = ("matilde@siecola.com.br", "matilde")


class OrdersServer(Server):
    """A Brasa in production mode with a server key for the provider."""

    def __init__(self, data):
        super().__init__(data)
        self.command("apps", "create", "linux", "--name", PROJECT, "--project", PROJECT)
        made = self.command("messages", "keys", "create", "shop", "--project", PROJECT)
        self.key = next(line for line in made.split() if line.startswith("BRSA"))

    def send(self, token, order_info):
        """Sends the book's message to a device; gives the message's id."""
        notification = {
            "body": "Status do pedido",
            "title": "Provedor de Mensagens",
            "orderInfo": order_info,
        }
        message = {
            "to": token,
            "notification": notification,
            "priority": "high",
            "content_available": True,
        }
        answer = ask("POST", f"{self.address}/fcm/send", f"key={self.key}", message)
        assert answer["success"] == 1, answer
        return answer["results"][0]["message_id"]


class Shop:
    """A sales provider that sends through a Brasa."""

    def __init__(self, server, database):
        environment = {"SALES_MESSAGES_URL": server.address, "SALES_MESSAGES_KEY": server.key}
        self.process = Process(
            "sales-service", "--sample", "--database", str(database), environment=environment
        )

    @property
    def address(self):
        return self.process.address

    def sign_up(self, email, password="segredo"):
        body = {"email": email, "password": password, "enabled": True}
        ask("POST", f"{self.address}/api/users", f"Bearer {self.token(*ADMINISTRATOR)}", body)

    def token(self, email, password="segredo"):
        form = urllib.parse.urlencode(
            {"grant_type": "password", "username": email, "password": password}
        )
        request = urllib.request.Request(
            f"{self.address}/oauth/token",
            data=form.encode(),
            headers={
                "Authorization": "Basic c2llY29sYTptYXRpbGRl",
                "Content-Type": "application/x-www-form-urlencoded",
            },
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["access_token"]

    def place(self, email, password="segredo"):
        """Places an order of the person; gives it as the provider answers it."""
        order = {"email": email, "freightPrice": 10.5, "orderItems": [{"productId": 7}]}
        bearer = f"Bearer {self.token(email, password)}"
        return ask("POST", f"{self.address}/api/orders", bearer, order)

    def change(self, order, status, who=ADMINISTRATOR):
        bearer = f"Bearer {self.token(*who)}"
        path = f"{self.address}/api/orders/{order['id']}"
        return ask("PUT", path, bearer, {"status": status})


def ask(method, address, authorization, body):
    headers = {"Content-Type": "application/json"}
    if authorization:
        headers["Authorization"] = authorization
    request = urllib.request.Request(
        address, data=json.dumps(body).encode(), headers=headers, method=method
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def pages(start, server, shop, folder):
    """Starts the pages."""
    return start(
        "order-status-web",
        "--service",
        shop.address,
        "--messages",
        server.address,
        "--folder",
        str(folder),
    )


def sign_in(page, email, password="segredo", answer="Allow"):
    """Answers the question for notifications, signs in, and waits until the provider knows the device."""
    if page.all("#permission"):
        page.click(answer)
        page.sees_no("#permission")
    page.fill("#email", email)
    page.fill("#password", password)
    page.click("Sign in")
    page.one("#registration")
    return page


def lines(page):
    """The five values."""
    return [e.text for e in page.all("#lines dd")]
