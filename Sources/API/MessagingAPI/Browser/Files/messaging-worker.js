// The worker's half of messages, a classic script: an app's own worker file has one line,
//
//     importScripts("https://…/__/messaging/messaging-worker.js");
//
// and may set `self.onBrasaBackgroundMessage`, which gets the payload of each message that arrives while no page is
// visible, and shows what it wants itself where the message has no notification.

(() => {
  const DATABASE = "brasa-messaging";
  // Ids of messages are kept that long, and so many of them.
  const SEEN_FOR = 7 * 24 * 3600 * 1000;
  const SEEN_MOST = 500;

  self.addEventListener("push", (event) => event.waitUntil(receive(event)));
  self.addEventListener("notificationclick", (event) => event.waitUntil(open(event)));
  self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(tellPages({ kind: "brasa-subscription" })));

  async function receive(event) {
    const payload = read(event);
    if (!payload || await isRepeated(payload.fcmMessageId)) return;
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (pages.some((page) => page.visibilityState === "visible")) {
      for (const page of pages) page.postMessage({ kind: "brasa-push", payload });
    } else {
      if (payload.notification) await show(payload);
      if (self.onBrasaBackgroundMessage) await self.onBrasaBackgroundMessage(payload);
    }
    await acknowledge({ received: [payload.fcmMessageId] });
  }

  function read(event) {
    try {
      const payload = event.data?.json();
      return payload && typeof payload === "object" ? payload : null;
    } catch {
      return null;
    }
  }

  function show(payload) {
    const { title = "", click_action, navigate, ...options } = payload.notification;
    return self.registration.showNotification(title, { ...options, data: { ...options.data, FCM_MSG: payload } });
  }

  async function open(event) {
    const payload = event.notification.data?.FCM_MSG;
    if (!payload) return;
    event.stopImmediatePropagation();
    event.notification.close();
    await Promise.all([visit(payload), acknowledge({ opened: [payload.fcmMessageId] })]);
  }

  // An action's own URL is the app's; the link is the message's.
  async function visit(payload) {
    const link = payload.fcmOptions?.link ?? payload.notification?.click_action;
    if (!link) return;
    const url = new URL(link, self.location.href);
    if (url.protocol !== "https:" && url.origin !== self.location.origin) return;
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const page = pages.find((page) => page.url === url.href);
    if (page) await page.focus();
    else await self.clients.openWindow(url.href);
  }

  async function tellPages(message) {
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    for (const page of pages) page.postMessage(message);
  }

  // What was received and opened. A report that can't be made is the server's loss alone: the message was shown.
  async function acknowledge(report) {
    try {
      const known = await table("values", "readonly", (values) => values.get("registration"));
      if (!known || !Object.values(report).flat().every(Boolean)) return;
      const token = await installationToken(known);
      await call(known, "registrations:acknowledge", { token: known.token, ...report }, {
        "x-goog-firebase-installations-auth": `FIS ${token}`,
      });
    } catch (error) {
      console.info("The receipt of a message was not reported.", error.message);
    }
  }

  // A worker may be woken long after the last page was open, when the page's token is over.
  async function installationToken(known) {
    const installation = await table("values", "readonly", (values) => values.get(known.installation));
    if (!installation) throw new Error("The installation is not known.");
    if (installation.expires > Date.now() + 60_000) return installation.token;
    const path = `installations/${installation.fid}/authTokens:generate`;
    const { token, expiresIn } = await call(known, path, {}, { authorization: `FIS_v2 ${installation.refreshToken}` });
    const renewed = { ...installation, token, expires: Date.now() + Number.parseInt(expiresIn, 10) * 1000 };
    await table("values", "readwrite", (values) => values.put(renewed, known.installation));
    return token;
  }

  async function call(known, path, body, headers) {
    const response = await fetch(`${known.server}/v1/projects/${encodeURIComponent(known.projectId)}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-goog-api-key": known.apiKey, ...headers },
      body: JSON.stringify(body),
      keepalive: true,
    });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json();
  }

  async function isRepeated(id) {
    if (!id) return false;
    const now = Date.now();
    const before = await table("seen", "readwrite", (seen) => {
      const request = seen.get(id);
      request.onsuccess = () => {
        if (request.result === undefined) seen.put(now, id);
        prune(seen, now);
      };
      return request;
    });
    return before !== undefined;
  }

  function prune(seen, now) {
    const count = seen.count();
    count.onsuccess = () => {
      if (count.result <= SEEN_MOST) return;
      const cursor = seen.openCursor();
      cursor.onsuccess = () => {
        if (!cursor.result) return;
        if (cursor.result.value < now - SEEN_FOR || count.result > 2 * SEEN_MOST) cursor.result.delete();
        cursor.result.continue();
      };
    };
  }

  function table(name, mode, act) {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(DATABASE, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("values");
        request.result.createObjectStore("seen");
      };
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const transaction = request.result.transaction(name, mode);
        const found = act(transaction.objectStore(name));
        transaction.oncomplete = () => {
          request.result.close();
          resolve(found.result);
        };
        transaction.onabort = () => reject(transaction.error);
      };
    });
  }
})();
