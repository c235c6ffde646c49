// Messages in a page: registers the browser with the server that this file came from, and hands the page what arrives
// while it is visible. What arrives otherwise is the worker's (messaging-worker.js).
//
//     import { getMessaging, getToken, onMessage, deleteToken } from "https://…/__/messaging/messaging.js";
//     const messaging = getMessaging({ projectId, apiKey, appId });
//     const token = await getToken(messaging, { serviceWorkerRegistration });
//     const stop = onMessage(messaging, (payload) => …);

import { Store } from "./messaging-store.js";

const SDK_VERSION = "w:brasa";
// A token of the installation is renewed this long before it ends.
const MARGIN = 60 * 60 * 1000;

/** An error with a code like Firebase's. */
export class MessagingError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "MessagingError";
    this.code = `messaging/${code}`;
  }
}

/** The messaging of an app; `server` is where this file came from unless said otherwise. */
export function getMessaging({ projectId, apiKey, appId, server = new URL(import.meta.url).origin }) {
  for (const [name, value] of Object.entries({ projectId, apiKey, appId })) {
    if (!value) throw new MessagingError("missing-app-config-values", `${name} is missing.`);
  }
  return new Messaging({ projectId, apiKey, appId, server });
}

/** Whether this browser can receive messages at all. */
export function isSupported() {
  return "serviceWorker" in navigator && "PushManager" in globalThis
    && "Notification" in globalThis && "indexedDB" in globalThis;
}

/**
 * The registration's token, made or renewed. Asks for the permission to show notifications where nobody has answered yet.
 *
 * `vapidKey` is the project's public key, asked of the server where it is left out; without `serviceWorkerRegistration`
 * the app's `/firebase-messaging-sw.js` is registered. `idToken` is a function that gives the ID token of who is signed in, or
 * null, at once or later: the registration is that user's then. Ask again when somebody has signed in or out.
 */
export function getToken(messaging, options = {}) {
  return messaging.token(options);
}

/** Ends the registration and the subscription; false where there was none. */
export function deleteToken(messaging) {
  return messaging.end();
}

/** Calls `observer` with each message that arrives while a page of the origin is visible; gives what ends that. */
export function onMessage(messaging, observer) {
  return messaging.observe(observer);
}

class Messaging {
  #app;
  #store = new Store();
  #observers = new Set();
  #isListening = false;

  constructor(app) {
    this.#app = app;
  }

  async token({ vapidKey, serviceWorkerRegistration, idToken } = {}) {
    if (!isSupported()) throw new MessagingError("unsupported-browser", "This browser has no push.");
    if (await Notification.requestPermission() !== "granted") {
      throw new MessagingError("permission-blocked", "The permission to show notifications was not granted.");
    }
    const worker = serviceWorkerRegistration ?? await navigator.serviceWorker.register(
      "/firebase-messaging-sw.js", { scope: "/firebase-cloud-messaging-push-scope" },
    );
    const installation = await this.#installation();
    const key = vapidKey ?? (await this.#call("GET", "registrations:vapidKey", installation)).publicKey;
    const subscription = await subscribe(await ready(worker), key);
    return this.#register(installation, key, subscription, await idToken?.());
  }

  async end() {
    const known = await this.#store.get("registration");
    if (!known) return false;
    const installation = await this.#installation();
    await this.#call("DELETE", `registrations/${encodeURIComponent(known.token)}`, installation);
    await this.#store.delete("registration");
    for (const worker of await navigator.serviceWorker.getRegistrations()) {
      const subscription = await worker.pushManager.getSubscription();
      if (subscription?.endpoint === known.endpoint) await subscription.unsubscribe();
    }
    return true;
  }

  observe(observer) {
    this.#observers.add(observer);
    if (!this.#isListening) {
      this.#isListening = true;
      navigator.serviceWorker.addEventListener("message", (event) => this.#receive(event.data));
      navigator.serviceWorker.startMessages();
    }
    return () => this.#observers.delete(observer);
  }

  #receive(data) {
    if (data?.kind !== "brasa-push") return;
    for (const observer of this.#observers) observer(data.payload);
  }

  async #register(installation, key, subscription, idToken) {
    const headers = idToken ? { authorization: `Bearer ${idToken}` } : {};
    const { keys } = subscription.toJSON();
    const web = {
      origin: location.origin, endpoint: subscription.endpoint, p256dh: keys.p256dh, auth: keys.auth,
      applicationPubKey: key, language: navigator.language,
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    };
    const known = await this.#store.get("registration");
    const isSame = known && known.endpoint === web.endpoint && known.p256dh === web.p256dh
      && known.key === key && known.fid === installation.fid && known.server === this.#app.server;
    const answer = isSame
      ? await this.#renew(installation, known.token, web, headers)
      : await this.#call("POST", "registrations", installation, { web }, headers);
    await this.#store.put("registration", {
      token: answer.token, endpoint: web.endpoint, p256dh: web.p256dh, key, fid: installation.fid,
      server: this.#app.server, projectId: this.#app.projectId, apiKey: this.#app.apiKey,
      installation: this.#installationName,
    });
    return answer.token;
  }

  // A token that the server forgot is made anew.
  async #renew(installation, token, web, headers) {
    try {
      const path = `registrations/${encodeURIComponent(token)}`;
      const answer = await this.#call("PATCH", path, installation, { web }, headers);
      return { token, ...answer };
    } catch (error) {
      if (error.code !== "messaging/http-404") throw error;
      return this.#call("POST", "registrations", installation, { web }, headers);
    }
  }

  /** The app's installation with a token that lasts. */
  async #installation() {
    const known = await this.#store.get(this.#installationName);
    if (known && known.expires - MARGIN > Date.now()) return known;
    const answer = known ? await this.#refresh(known) : await this.#install();
    await this.#store.put(this.#installationName, answer);
    return answer;
  }

  get #installationName() {
    return `installation ${this.#app.server} ${this.#app.appId}`;
  }

  async #install() {
    const body = { appId: this.#app.appId, authVersion: "FIS_v2", sdkVersion: SDK_VERSION };
    const answer = await this.#call("POST", "installations", null, body);
    return { fid: answer.fid, refreshToken: answer.refreshToken, ...lasting(answer.authToken) };
  }

  async #refresh(known) {
    const headers = { authorization: `FIS_v2 ${known.refreshToken}` };
    const path = `installations/${known.fid}/authTokens:generate`;
    try {
      return { ...known, ...lasting(await this.#call("POST", path, null, {}, headers)) };
    } catch (error) {
      if (!["messaging/http-401", "messaging/http-404"].includes(error.code)) throw error;
      return this.#install();
    }
  }

  async #call(method, path, installation, body, headers = {}) {
    const url = `${this.#app.server}/v1/projects/${encodeURIComponent(this.#app.projectId)}/${path}`;
    const all = { "x-goog-api-key": this.#app.apiKey, accept: "application/json", ...headers };
    if (installation) all["x-goog-firebase-installations-auth"] = `FIS ${installation.token}`;
    if (body) all["content-type"] = "application/json";
    const response = await fetch(url, { method, headers: all, body: body && JSON.stringify(body) });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    throw new MessagingError(`http-${response.status}`, answer.error?.message ?? `${method} ${path}: ${response.status}`);
  }
}

function lasting({ token, expiresIn }) {
  return { token, expires: Date.now() + Number.parseInt(expiresIn, 10) * 1000 };
}

/** The registration once its worker is active, without which nobody can subscribe. */
async function ready(registration) {
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  if (worker && worker.state !== "activated") {
    await new Promise((resolve, reject) => {
      worker.addEventListener("statechange", () => {
        if (worker.state === "activated") resolve();
        if (worker.state === "redundant") reject(new MessagingError("failed-service-worker-registration", "The worker was not installed."));
      });
    });
  }
  return registration;
}

/** The subscription for that key; one for another key is ended, since it can't be changed. */
async function subscribe(registration, key) {
  const known = await registration.pushManager.getSubscription();
  const applicationServerKey = bytes(key);
  if (known) {
    const used = new Uint8Array(known.options.applicationServerKey ?? []);
    if (used.length === applicationServerKey.length && used.every((byte, i) => byte === applicationServerKey[i])) return known;
    await known.unsubscribe();
  }
  return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}
