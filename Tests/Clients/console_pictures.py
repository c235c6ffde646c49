"""Makes the pictures of the console: `python Tests/Clients/console_pictures.py FOLDER [WIDTH…]`.

A server of its own is filled with a shop's data; its pages are opened in both languages, light and dark. With widths, every page is
shown at each of them, for people who look whether something is wrong; without, the pictures are those of the README, the guide and docs, as small as WebP makes them.
"""

import base64
import itertools
import pathlib
import sys
import tempfile
import time

import requests

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from support import server as servers  # noqa: E402
from support.administrators import administrator  # noqa: E402
from support.analytics import Analytics, batch, event  # noqa: E402
from support.browser import Browser  # noqa: E402
from support.console import Console  # noqa: E402
from support.messaging import Device  # noqa: E402
from support.remote_config import RemoteConfig  # noqa: E402

OWNER = {"authorization": "Bearer owner"}
PROJECT = "loja"
README = {
    "data": "firestore/-default-/data/products/p2", "messages": "messages/compose?from={message}&audience=buyers", "analytics": "analytics",
    "experiment": "config/experiments/checkout", "administrators": "settings/administrators",
}
LANGUAGES = ("en", "pt-BR")
SCHEMES = ("light", "dark")
PAGES = {
    "overview": "overview", "data": "firestore/-default-/data/products/p2", "indexes": "firestore/-default-/indexes", "tree": "firestore/-default-/data/products/p2?view=tree", "create": "firestore/-/create", "rules": "rules",
    "users": "users", "user": "users/ana", "files": "files", "file": "files/loja.appspot.com?prefix=produtos/&file=produtos/cadeira.png", "config": "config", "experiments": "config/experiments", "experiment": "config/experiments/checkout", "messages": "messages", "compose": "messages/compose?from={message}", "report": "messages/sent/{message}", "topics": "messages/topics", "keys": "messages/credentials",
    "analytics": "analytics", "events": "analytics/events", "event": "analytics/events/select_item", "funnel": "analytics/funnel", "audiences": "analytics/audiences",
    "timeline": "analytics/timeline?user=user-1", "live": "analytics/live", "debugview": "analytics/debugview", "requests": "requests", "requestlog": "requests/log", "operations": "operations",
    "log": "operations/log", "jobs": "operations/jobs", "settings": "settings", "administrators": "settings/administrators", "audit": "settings/audit",
}


def fill(server):
    """A small shop: products, people, parameters, events, messages; gives the id of a message."""
    root = f"{server.url}/v1/projects/{PROJECT}"

    def send(method, path, body, **headers):
        answer = requests.request(method, root + path, json=body, headers=OWNER | headers, timeout=60)
        assert answer.ok, answer.text
        return answer.json()

    for number, (name, price) in enumerate([("Cadeira", 349), ("Mesa de jantar", 1290), ("Luminária", 189), ("Estante", 799), ("Tapete", 420), ("Sofá", 2999)]):
        fields = {"name": {"stringValue": name}, "price": {"integerValue": str(price)}, "inStock": {"booleanValue": number % 2 == 0}, "tags": {"arrayValue": {"values": [{"stringValue": "casa"}]}},
                  "createdAt": {"timestampValue": f"2026-11-{number + 10}T12:00:00Z"}}
        send("PATCH", f"/databases/(default)/documents/products/p{number}", {"fields": fields})
        send("PATCH", f"/databases/(default)/documents/orders/o{number}", {"fields": {"total": {"doubleValue": price * 1.1}}})
    send("POST", "/databases/(default)/collectionGroups/products/indexes", {"queryScope": "COLLECTION", "fields": [{"fieldPath": "inStock", "order": "ASCENDING"}, {"fieldPath": "price", "order": "DESCENDING"}]})
    send("POST", "/databases/(default)/collectionGroups/orders/indexes", {"queryScope": "COLLECTION_GROUP", "unique": True, "density": "SPARSE_ANY", "fields": [{"fieldPath": "number", "order": "ASCENDING"}, {"fieldPath": "store", "order": "ASCENDING"}]})
    for name in ("ana", "bia", "caio"):
        send("POST", "/accounts", {"localId": name, "email": f"{name}@example.org", "displayName": name.title(), "password": "correct horse battery"})
    picture = pathlib.Path(__file__).resolve().parents[2] / "docs" / "pictures" / "console-data.webp"
    upload = f"{server.url}/upload/storage/v1/b/{PROJECT}.appspot.com/o?uploadType=media&name=produtos/cadeira.png"
    assert requests.post(upload, data=picture.read_bytes(), headers=OWNER | {"content-type": "image/webp"}, timeout=60).ok
    parameters = {"welcome": {"defaultValue": {"value": "Olá"}, "conditionalValues": {"Brasil": {"value": "Oi"}}, "description": "A saudação da tela inicial"}, "free_shipping": {"valueType": "BOOLEAN", "defaultValue": {"value": "false"}}}
    variants = [{"variantId": "Base", "weight": 1, "noChange": True}, {"variantId": "Frete grátis", "weight": 1, "value": "true"}]
    split = {"experimentId": "checkout", "exposurePercent": 100, "variantValue": variants, "goal": {"event": "purchase", "measure": "users"}}
    parameters["free_shipping"]["conditionalValues"] = {"Experiment checkout": {"experimentValue": split}}
    conditions = [{"name": "Experiment checkout", "expression": "true", "tagColor": "PURPLE"}, {"name": "Brasil", "expression": "device.country in ['BR']", "tagColor": "GREEN"}]
    send("PUT", "/remoteConfig", {"conditions": conditions, "parameters": parameters}, **{"if-match": "*"})
    requests.post(f"{server.url}/console/api/projects/{PROJECT}/apps", json={"platform": "ios", "bundleId": "br.loja.app", "displayName": "Loja"}, headers=OWNER, timeout=30)
    decisions(server)
    events(server)
    experiment(server)
    people(server)
    return message(server, send)


def decisions(server):
    """Rules, and reads that they allow, deny and can't decide."""
    rules = "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{database}/documents {\n    match /products/{id} {\n      allow read: if true;\n    }\n    match /orders/{id} {\n      allow read: if request.auth.uid == resource.data.buyer;\n    }\n  }\n}\n"
    body = {"rules": {"files": [{"name": "firestore.rules", "content": rules}]}}
    answer = requests.put(f"{server.url}/emulator/v1/projects/{PROJECT}:securityRules", json=body, headers=OWNER, timeout=60)
    assert answer.ok, answer.text
    for path in ["products/p1"] * 9 + ["orders/o1"] * 2 + ["secrets/s1"] * 3:
        requests.get(f"{server.url}/v1/projects/{PROJECT}/databases/(default)/documents/{path}", timeout=30)


def events(server):
    analytics = Analytics(server, PROJECT)
    for number in range(40):
        instance = f"c{number:03}-efghijklmnopqrst_"
        day = (number % 3) * 86_400 - 60 * (number % 3 == 0)
        at = lambda minutes: time.time_ns() // 1_000 - (max(day, 0) + minutes * 60) * 1_000_000  # noqa: E731
        shown = [event("first_open", {"engagement_time_msec": 9_000}, at=at(20)), event("select_item", {"item_id": f"SKU_{number % 4}"}, at=at(15), sequence=1)]
        if number % 2:
            shown.append(event("add_to_cart", {"item_id": f"SKU_{number % 4}"}, at=at(10), sequence=2))
        if number % 6 == 1:
            shown.append(event("purchase", {"value": 349.0}, at=at(5), sequence=3))
        analytics.accepted(batch(instance, *shown, userId=f"user-{number}", userProperties={"level": {"value": str(number % 3)}}))
    analytics.report("audiences/buyers", "PUT", body={"days": 28, "rule": {"event": "purchase"}})
    analytics.accepted(batch("cAbc-efghijklmnopqrst_", event("select_item", {"item_id": "SKU_1", "price": 9.5}), event("1wrong"), debug=True, userProperties={"level": {"value": "12"}}))


def experiment(server):
    """Four hundred installations, of which those of one variant buy more often."""
    config, analytics = RemoteConfig(server, PROJECT), Analytics(server, PROJECT)
    for number in range(400):
        instance = f"x{number:03}-efghijklmnopqrst_"
        entries = config.fetch({"app_instance_id": instance}).json()["entries"]
        is_buyer = number % 20 < (9 if entries["free_shipping"] == "true" else 4)
        shown = [event("select_item", {"item_id": f"SKU_{number % 4}"})] + [event("purchase", {"value": 349.0}, sequence=1)] * is_buyer
        analytics.accepted(batch(instance, *shown))


def message(server, send):
    for topics in (["ofertas"], ["ofertas", "novidades"]):
        device = Device(server, PROJECT).register()
        for topic in topics:
            device.post(f"registrations/{device.token}/topicSubscriptions/{topic}:subscribe", {})
    content = {"notification": {"title": "A Cadeira voltou", "body": "De novo em estoque, com frete grátis até domingo."}, "data": {"product": "p0"}}
    send("POST", "/messages:send", {"message": content | {"topic": "ofertas"}})
    return send("POST", "/messages:sendToAudience", {"audience": "buyers", "message": content})["name"].rsplit("/", 1)[1]


def people(server):
    """Administrators: of everything, and of this shop alone."""
    administrator(server, "owner", "ana@example.org")
    administrator(server, "viewer", "bia@example.org")
    administrator(server, "editor", "caio@example.org", [PROJECT])


def take(console, file, path, **options):
    """A picture of what is in sight of a page; its format is that of the file's name."""
    console.browser.wait("return !document.querySelector('main p.muted:only-child')")
    if "/data/products/" in path and "view" not in path:
        console.find("complementary")
    console.browser.run("document.activeElement?.blur()")
    picture = console.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": file.suffix[1:]} | options)["data"]
    file.write_bytes(base64.b64decode(picture))


def readme(console, folder, message_id):
    for language, scheme in itertools.product(LANGUAGES, SCHEMES):
        console.browser.show_as(1280, 800, scheme, density=1)
        for name, path in README.items():
            console.open(path.format(message=message_id), language)
            name = f"console-{name}{'' if scheme == 'light' else '-dark'}{'' if language == 'en' else '.pt-BR'}"
            take(console, folder / f"{name}.webp", path, quality=70)


def every_page(console, folder, widths, message_id):
    for language, scheme, width in itertools.product(LANGUAGES, SCHEMES, widths):
        console.browser.show_as(width, 800, scheme)
        for name, path in PAGES.items():
            console.open(path.format(message=message_id), language)
            take(console, folder / f"{width}-{scheme}-{name}-{language}.png", path)


def main(folder, *widths):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        server = servers.Brasa(pathlib.Path(directory) / "data").start()
        browser = Browser()
        try:
            message_id = fill(server)
            console = Console(browser, server, PROJECT)
            if widths:
                every_page(console, folder, map(int, widths), message_id)
            else:
                readme(console, folder, message_id)
        finally:
            browser.close()
            server.kill()


if __name__ == "__main__":
    main(*sys.argv[1:])
