// Leads the requests of Google's SDKs for the web to Brasa. Some of their hosts are built in and no setting changes them, so a page
// loads this script before anything else, a classic one and without `async` or `defer`:
//
//     <script src="https://brasa.example.org/__/brasa/web.js"></script>
//
// and a service worker, which cannot see where a script came from, says it:
//
//     self.BRASA_ORIGIN = "https://brasa.example.org";
//     importScripts(`${self.BRASA_ORIGIN}/__/brasa/web.js`);
//
// It replaces `fetch`, `XMLHttpRequest`, `WebSocket` and `sendBeacon`, each for the hosts below alone.

(() => {
  const origin = ownOrigin();
  if (globalThis.brasaWeb) return;

  // Hosts of products: below their name, as clients of emulators ask, or at the root.
  const named = new Set([
    "identitytoolkit.googleapis.com", "securetoken.googleapis.com", "firebasestorage.googleapis.com",
    "firebaseinstallations.googleapis.com", "firebaseremoteconfig.googleapis.com",
    "firebaseremoteconfigrealtime.googleapis.com", "fcmregistrations.googleapis.com",
  ]);
  const atRoot = new Set(["firestore.googleapis.com"]);
  // Google's own figures about its SDKs, which nobody needs here.
  const figures = new Set(["firebaselogging.googleapis.com", "firebaselogging-pa.googleapis.com"]);

  globalThis.brasaWeb = Object.freeze({ origin, leads: (address) => lead(address) });

  function ownOrigin() {
    const named = globalThis.BRASA_ORIGIN ?? globalThis.document?.currentScript?.src;
    if (!named) throw new Error("Set self.BRASA_ORIGIN to the server's origin before you load Brasa's web.js.");
    return new URL(named).origin;
  }

  /** Where a request goes in place of an address; null for the addresses of others. */
  function lead(address) {
    let url;
    try {
      url = new URL(address, globalThis.location?.href);
    } catch {
      return null;
    }
    if (!["https:", "wss:"].includes(url.protocol) || url.port) return null;
    const base = url.protocol === "wss:" ? origin.replace(/^http/, "ws") : origin;
    if (figures.has(url.hostname)) return `${base}/__/brasa/figures`;
    if (atRoot.has(url.hostname)) return `${base}${url.pathname}${url.search}`;
    if (named.has(url.hostname)) return `${base}/${url.hostname}${url.pathname}${url.search}`;
    return null;
  }

  const { fetch } = globalThis;
  globalThis.fetch = function (input, options) {
    if (!(input instanceof Request)) return fetch.call(globalThis, lead(String(input)) ?? input, options);
    const address = lead(input.url);
    return address ? send(new Request(input, options), address) : fetch.call(globalThis, input, options);
  };

  /** Sends a request to another address. Its body is read first: browsers send streams over HTTP/2 alone. */
  async function send(request, address) {
    const { method, headers, credentials, cache, redirect, referrerPolicy, keepalive, signal } = request;
    const hasBody = method !== "GET" && method !== "HEAD";
    const body = hasBody ? await request.arrayBuffer() : undefined;
    return fetch.call(globalThis, address, {
      method, headers, body, mode: "cors", credentials, cache, redirect, referrerPolicy, keepalive, signal,
    });
  }

  // Workers for messages have none.
  if (globalThis.XMLHttpRequest) {
    const { open } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.open = function (method, address, ...others) {
      return open.call(this, method, lead(String(address)) ?? address, ...others);
    };
  }

  if (globalThis.WebSocket) {
    globalThis.WebSocket = new Proxy(WebSocket, {
      construct: (socket, [address, ...others], target) =>
        Reflect.construct(socket, [lead(String(address)) ?? address, ...others], target),
    });
  }

  if (globalThis.navigator?.sendBeacon) {
    const { sendBeacon } = Navigator.prototype;
    Navigator.prototype.sendBeacon = function (address, ...others) {
      return sendBeacon.call(this, lead(String(address)) ?? address, ...others);
    };
  }
})();
