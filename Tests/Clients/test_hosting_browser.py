"""A web app, the products page, deployed, previewed and rolled back, and opened in Chromium by its name over TLS."""

import json
import shutil
import socket
import ssl

import pytest
import requests

from support import certificates as authorities, server as servers

pytestmark = pytest.mark.brasa_only

RULES = """rules_version = '2';
service cloud.firestore { match /databases/{database}/documents { match /products/{id} { allow read; } } }
"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Products</title>
<h1>{title}</h1><ul></ul><script type="module" src="/app.js"></script></html>
"""
APP = """const config = await (await fetch("/__/firebase/init.json")).json();
const api = `https://brasa.test/v1/projects/${config.projectId}/databases/(default)/documents/products`;
const found = await (await fetch(api + "?orderBy=name")).json();
for (const product of found.documents) {
  const item = document.createElement("li");
  item.textContent = `${product.fields.name.stringValue} ${product.fields.price.doubleValue}`;
  document.querySelector("ul").append(item);
}
window.isReady = true;
"""
SHOWN = "return [document.querySelector('h1').textContent, ...[...document.querySelectorAll('li')].map((item) => item.textContent)]"


@pytest.fixture(scope="module")
def shop(tmp_path_factory, certificates):
    """A production server with products, whose sites are below `sites.test` and have a certificate of their own."""
    folder = tmp_path_factory.mktemp("shop")
    authorities.certificate_for(["shop.sites.test", "*.sites.test"], folder / "made")
    names = folder / "certificates"
    names.mkdir()
    shutil.copy(folder / "made" / "server.pem", names / "_.sites.test.pem")
    shutil.copy(folder / "made" / "server-key.pem", names / "_.sites.test-key.pem")
    server = servers.Brasa.production(
        folder / "data", certificates, "--origin", "https://brasa.test", "--sites-domain", "sites.test", "--project", "shop",
        "--tls-directory", names,
    ).start()
    server.sites_authority = folder / "made" / "authority.pem"
    (folder / "firestore.rules").write_text(RULES)
    servers.run("rules", "deploy", folder / "firestore.rules", "--project", "shop", "--data", server.data)
    headers = {"Authorization": f"Bearer {server.administrator_key}", "Host": "brasa.test"}
    for name, price in [("Mesa", 12.25), ("Cadeira", 10.5)]:
        fields = {"name": {"stringValue": name}, "price": {"doubleValue": price}}
        made = requests.post(
            f"{server.url}/v1/projects/shop/databases/(default)/documents/products", json={"fields": fields},
            headers=headers, verify=server.authority, timeout=30,
        )
        assert made.status_code == 200, made.text
    yield server
    server.kill()


@pytest.fixture(scope="module")
def named_browser(shop):
    from support import browser as browsers

    if not shutil.which("chromedriver"):
        pytest.skip("needs Chromium and its driver")
    made = browsers.Browser([("brasa.test", shop.port), ("*.sites.test", shop.port)])
    yield made
    made.close()


def deploy(server, folder, title, *words):
    public = folder / "public"
    public.mkdir(exist_ok=True)
    (public / "index.html").write_text(PAGE.format(title=title))
    (public / "app.js").write_text(APP)
    rewrites = [{"source": "**", "destination": "/index.html"}]
    (folder / "firebase.json").write_text(json.dumps({"hosting": {"public": "public", "rewrites": rewrites}}))
    return servers.run(
        "hosting", "deploy", "--config", folder / "firebase.json", *words, "--project", "shop", "--data", server.data
    )


def test_the_products_page_is_deployed_previewed_and_rolled_back(shop, named_browser, tmp_path):
    def shown(host, path="/"):
        named_browser.open(f"https://{host}{path}")
        return named_browser.driver.execute_script(SHOWN)

    items = ["Cadeira 10.5", "Mesa 12.25"]
    deploy(shop, tmp_path, "Products")
    assert shown("shop.sites.test") == ["Products", *items]
    protocol = "return performance.getEntriesByType('navigation')[0].nextHopProtocol"
    assert named_browser.driver.execute_script(protocol) == "h2"
    assert shown("shop.sites.test", "/products/1") == ["Products", *items]
    arguments = ["--project", "shop", "--data", shop.data]
    preview = servers.run("hosting", "channels", "open", "next", *arguments).stdout.split()[0]
    deploy(shop, tmp_path, "New products", "--channel", "next")
    assert shown(preview.removeprefix("https://").split(":")[0].rstrip("/")) == ["New products", *items]
    assert shown("shop.sites.test") == ["Products", *items]
    deploy(shop, tmp_path, "New products")
    assert requests.get(f"{shop.url}/", headers={"Host": "shop.sites.test"}, verify=shop.authority, timeout=30).text == PAGE.format(title="New products")
    servers.run("hosting", "rollback", *arguments)
    page = requests.get(f"{shop.url}/", headers={"Host": "shop.sites.test"}, verify=shop.authority, timeout=30)
    assert page.text == PAGE.format(title="Products")


def test_a_site_has_the_certificate_of_its_name(shop):
    context = ssl.create_default_context(cafile=shop.sites_authority)
    with socket.create_connection(("127.0.0.1", shop.port)) as plain:
        with context.wrap_socket(plain, server_hostname="shop.sites.test") as secure:
            assert ("DNS", "*.sites.test") in secure.getpeercert()["subjectAltName"]


def test_a_sites_host_has_no_methods_of_grpc(shop, tmp_path):
    """Neither with a valid key nor without: the site answers as for any other request that it does not serve."""
    import grpc

    deploy(shop, tmp_path, "Products")
    parent = b"projects/shop/databases/(default)/documents"
    request = bytes([10, len(parent)]) + parent
    credentials = grpc.ssl_channel_credentials(shop.sites_authority.read_bytes())
    options = [("grpc.ssl_target_name_override", "shop.sites.test"), ("grpc.default_authority", "shop.sites.test")]
    key = [("authorization", f"Bearer {shop.administrator_key}")]
    with grpc.secure_channel(f"127.0.0.1:{shop.port}", credentials, options) as channel:
        call = channel.unary_unary("/google.firestore.v1.Firestore/ListCollectionIds")
        with pytest.raises(grpc.RpcError) as refused:
            call(request, metadata=key, timeout=30)
        # HTTP 405 of a page has no status of gRPC.
        assert refused.value.code() == grpc.StatusCode.UNKNOWN
        assert "405" in refused.value.details()
    authority = grpc.ssl_channel_credentials(open(shop.authority, "rb").read())
    options = [("grpc.ssl_target_name_override", "localhost"), ("grpc.default_authority", "brasa.test")]
    with grpc.secure_channel(f"127.0.0.1:{shop.port}", authority, options) as channel:
        call = channel.unary_unary("/google.firestore.v1.Firestore/ListCollectionIds")
        assert b"products" in call(request, metadata=key, timeout=30)


HOSTILE = """const done = arguments[arguments.length - 1];
for (const domain of ["", "; Domain=brasa.test", "; Domain=test", "; Domain=sites.test"])
  for (const name of ["__Host-brasa_console", "brasa_console"])
    document.cookie = `${name}=of-the-site; Path=/; Secure; SameSite=None${domain}`;
const call = async (path, options) => {
  try {
    const response = await fetch("https://brasa.test" + path, { credentials: "include", ...options });
    return response.type === "opaque" ? "opaque" : `${response.status} ${await response.text()}`;
  } catch (error) { return error.name; }
};
Promise.all([
  call("/console/session/token", { method: "POST" }),
  call("/console/session/token", { method: "POST", mode: "no-cors" }),
  call("/console/session/token", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }),
  call("/console/", {}),
]).then(done);
"""


def test_a_site_reaches_neither_the_consoles_cookies_nor_its_session(shop, named_browser, tmp_path):
    """A page of a site sets the console's cookies for every domain that it may name, and asks for a token with what there is."""
    deploy(shop, tmp_path, "Products")
    driver = named_browser.driver
    driver.get("https://brasa.test/healthz")
    driver.add_cookie({"name": "__Host-brasa_console", "value": "of-the-console", "path": "/", "secure": True, "sameSite": "Strict", "httpOnly": True})
    driver.get("https://shop.sites.test/")
    answers = driver.execute_async_script(HOSTILE)
    # Nothing comes back of a session: the browser shows no response to the page, or one without content. The console's
    # files are everybody's.
    *sessions, file = answers
    assert set(sessions) <= {"TypeError", "opaque"} and file.startswith("200 <!doctype html>"), answers
    assert "of-the-console" not in driver.execute_script("return document.cookie")
    driver.get("https://brasa.test/healthz")
    assert [cookie["value"] for cookie in driver.get_cookies() if "brasa_console" in cookie["name"]] == ["of-the-console"]
    # What such a page makes a browser send is refused, whatever cookie comes along.
    for headers in ({"Origin": "https://shop.sites.test", "Sec-Fetch-Site": "cross-site"}, {"Origin": "https://shop.sites.test"}, {}):
        refused = requests.post(
            f"{shop.url}/console/session/token", headers={"Host": "brasa.test", "Cookie": "__Host-brasa_console=x"} | headers,
            verify=shop.authority, timeout=30,
        )
        assert refused.status_code == 403, (headers, refused.text)
    driver.delete_all_cookies()
