// Plays Google's SDK for the web, to sign in with a provider in a popup or by a redirect: its calls, its addresses, its frame
// by `gapi.iframes`, its queue of events. The results go to the test.

const query = new URL(location.href).searchParams;
const server = query.get("server");
const project = query.get("project");
const isEmulator = query.get("mode") === "emulator";
const appName = "[DEFAULT]";
const helpers = isEmulator ? `${server}/emulator/auth` : `${server}/__/auth`;
const api = isEmulator ? `${server}/identitytoolkit.googleapis.com` : "https://identitytoolkit.googleapis.com";
const pendingKey = `firebase:pendingRedirect:${project}:${appName}`;
const userKey = `firebase:redirectUser:${project}:${appName}`;
const redirectTypes = ["signInViaRedirect", "linkViaRedirect", "reauthViaRedirect"];

class SignInError extends Error {
  constructor(code, message = "") {
    super(`Firebase: ${message} (auth/${code}).`);
    this.code = `auth/${code}`;
  }
}

/** The frames of Google's script, which is loaded unless they are there. */
function loadFrames() {
  return new Promise((resolve, reject) => {
    const load = () => gapi.load("gapi.iframes", {
      callback: () => resolve(gapi.iframes.getContext()),
      ontimeout: () => reject(new SignInError("network-request-failed")), timeout: 100_000,
    });
    if (window.gapi?.iframes?.Iframe) return resolve(gapi.iframes.getContext());
    if (window.gapi?.load) return load();
    window.iframefcb42 = () => (gapi.load ? load() : reject(new SignInError("network-request-failed")));
    const script = document.createElement("script");
    script.src = "https://apis.google.com/js/api.js?onload=iframefcb42";
    script.onerror = () => reject(new SignInError("internal-error", "js/api.js"));
    document.head.append(script);
  });
}

async function call(path, body) {
  const answer = await fetch(`${api}/${path}${path.includes("?") ? "&" : "?"}key=${project}`, body && {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const json = await answer.json();
  const message = answer.ok ? json.errorMessage : json.error.message;
  if (!message && !json.needConfirmation) return json;
  const code = message ? message.split(" : ")[0] : "NEED_CONFIRMATION";
  const names = {
    FEDERATED_USER_ID_ALREADY_LINKED: "credential-already-in-use", INVALID_IDP_RESPONSE: "invalid-credential",
    NEED_CONFIRMATION: "account-exists-with-different-credential", EMAIL_EXISTS: "email-already-in-use",
    USER_NOT_FOUND: "user-not-found",
  };
  throw new SignInError(names[code] ?? code.toLowerCase().replaceAll("_", "-"), message);
}

/** Gives each event to the operation that waits for it, once. */
class AuthEvents {
  consumers = new Set();
  seen = new Set();
  log = [];
  queued = null;
  hasRedirect = false;

  onEvent(event) {
    this.log.push(event);
    const uid = [event.type, event.eventId, event.sessionId, event.tenantId].filter(Boolean).join("-");
    if (this.seen.has(uid)) return false;
    let isHandled = false;
    for (const consumer of this.consumers) {
      if (!this.fits(consumer, event)) continue;
      isHandled = true;
      this.seen.add(uid);
      this.give(consumer, event);
    }
    const isRedirect = redirectTypes.includes(event.type) || isNoEvent(event);
    if (this.hasRedirect || !isRedirect) return isHandled;
    this.hasRedirect = true;
    if (!isHandled) this.queued = event;
    return true;
  }

  fits(consumer, event) {
    const isRight = consumer.eventId === null || (event.eventId && event.eventId === consumer.eventId);
    return isRight && consumer.types.includes(event.type);
  }

  give(consumer, event) {
    if (event.error && !isNoEvent(event)) {
      return consumer.reject(new SignInError(event.error.code?.split("auth/")[1] ?? "internal-error"));
    }
    consumer.resolve(event);
  }

  register(consumer) {
    this.consumers.add(consumer);
    if (!this.queued || !this.fits(consumer, this.queued)) return;
    this.give(consumer, this.queued);
    this.queued = null;
  }
}

const isNoEvent = ({ type, error }) => type === "unknown" && error?.code === "auth/no-auth-event";

let initialized = null;

function initialize() {
  initialized ??= openFrame();
  return initialized;
}

async function openFrame() {
  const context = await loadFrames();
  const fields = new URLSearchParams({ apiKey: project, appName, v: "12.0.0", ...(isEmulator ? {} : { eid: "p" }) });
  const frame = await context.open({
    where: document.body, url: `${helpers}/iframe?${fields}`,
    messageHandlersFilter: gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER, dontclear: true,
    attributes: {
      style: { position: "absolute", top: "-100px", width: "1px", height: "1px" }, "aria-hidden": "true", tabindex: "-1",
    },
  }, (opened) => new Promise((resolve, reject) => {
    opened.restyle({ setHideOnLeave: false }).then(() => {
      // The SDK waits for five seconds, which a busy machine may need.
      const timer = setTimeout(() => reject(new SignInError("network-request-failed")), 100_000);
      const isThere = () => {
        clearTimeout(timer);
        resolve(opened);
      };
      opened.ping(isThere).then(isThere, () => reject(new SignInError("network-request-failed")));
    });
  }));
  const events = new AuthEvents();
  frame.register("authEvent", async (message) => {
    if (!message?.authEvent) throw new SignInError("invalid-auth-event");
    return { status: events.onEvent(message.authEvent) ? "ACK" : "ERROR" };
  }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
  window.events = events;
  return { frame, events };
}

/** Asks the frame if it may store, as the SDK does. */
window.canStore = async () => {
  const { frame } = await initialize();
  return new Promise((resolve) => {
    frame.send("webStorageSupport", { type: "webStorageSupport" }, (results) => resolve(results?.[0]?.webStorageSupport),
      gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
  });
};

/** In production the SDK asks first whether its page may sign in at all. */
async function checkOrigin() {
  if (isEmulator) return;
  const { authorizedDomains } = await call("v1/projects");
  const isAllowed = authorizedDomains.some((domain) => {
    const name = domain.replaceAll(".", "\\.");
    return new RegExp(`^(.+\\.${name}|${name})$`, "i").test(location.hostname);
  });
  if (!isAllowed) throw new SignInError("unauthorized-domain");
}

function handlerURL(authType, eventId, { providerId, scopes, customParameters, redirectUrl, tenantId }) {
  const fields = new URLSearchParams({
    apiKey: project, appName, authType, redirectUrl: redirectUrl ?? location.href, v: "12.0.0", eventId, providerId,
  });
  if (customParameters) fields.set("customParameters", JSON.stringify(customParameters));
  if (scopes) fields.set("scopes", scopes.join(","));
  if (tenantId) fields.set("tid", tenantId);
  return `${helpers}/handler?${fields}`;
}

const newEventId = () => String(crypto.getRandomValues(new Uint32Array(1))[0]).padStart(10, "0");

window.user = null;

/** Signs in by an event and returns the account, as `accounts:signInWithIdp` and `accounts:lookup` have it. */
async function finish(event) {
  const isLinking = event.type.startsWith("link");
  const isReauthentication = event.type.startsWith("reauth");
  const signed = await call("v1/accounts:signInWithIdp", {
    requestUri: event.urlResponse, sessionId: event.sessionId, postBody: event.postBody ?? undefined,
    returnSecureToken: true, returnIdpCredential: true, ...(isLinking ? { idToken: user.idToken } : {}),
    ...(isReauthentication ? { autoCreate: false } : {}),
  });
  const { users: [found] } = await call("v1/accounts:lookup", { idToken: signed.idToken });
  if (isReauthentication && found.localId !== user.uid) throw new SignInError("user-mismatch");
  window.user = { uid: found.localId, idToken: signed.idToken };
  return {
    uid: found.localId, email: found.email, providers: (found.providerUserInfo ?? []).map((info) => info.providerId),
    type: event.type, providerId: signed.providerId, isNewUser: signed.isNewUser ?? false, claims: signed.rawUserInfo,
  };
}

/** Somebody without a provider, to whom one can be linked. */
window.signUp = async (email) => {
  const made = await call("v1/accounts:signUp", { email, password: "correct horse battery", returnSecureToken: true });
  window.user = { uid: made.localId, idToken: made.idToken };
  return made.localId;
};

async function popup(authType, options) {
  await checkOrigin();
  const { events } = await initialize();
  const eventId = options.eventId ?? newEventId();
  const opened = window.open(handlerURL(authType, eventId, options), "popup", "width=500,height=600,scrollbars=yes");
  if (!opened) throw new SignInError("popup-blocked");
  const consumer = { eventId, types: [authType, "unknown"] };
  let polling;
  try {
    const event = await new Promise((resolve, reject) => {
      Object.assign(consumer, { resolve, reject });
      events.register(consumer);
      polling = setInterval(() => {
        if (!opened.closed) return;
        clearInterval(polling);
        setTimeout(() => reject(new SignInError("popup-closed-by-user")), 1_000);
      }, 50);
    });
    return await finish(event);
  } finally {
    clearInterval(polling);
    opened.close();
    events.consumers.delete(consumer);
  }
}

async function redirect(authType, options) {
  await checkOrigin();
  await initialize();
  sessionStorage.setItem(pendingKey, "true");
  sessionStorage.setItem(userKey, JSON.stringify(user));
  location.href = handlerURL(authType, options.eventId ?? newEventId(), options);
}

/** The outcome of a redirect; null where there was none. */
async function redirectResult() {
  if (sessionStorage.getItem(pendingKey) !== "true") return null;
  sessionStorage.removeItem(pendingKey);
  window.user = JSON.parse(sessionStorage.getItem(userKey));
  const { events } = await initialize();
  const event = await new Promise((resolve, reject) => {
    events.register({ eventId: null, types: [...redirectTypes, "unknown"], resolve, reject });
  });
  return event.type === "unknown" ? null : finish(event);
}

/** Notes how a promise ends, for tests that act in other windows meanwhile. */
function note(promise) {
  window.outcome = null;
  promise.then((value) => (window.outcome = { value }), (error) => (window.outcome = { error: error.code ?? String(error) }));
}

window.startPopup = (authType, options) => note(popup(authType, options));
window.startRedirect = (authType, options) => {
  // This page goes, and the one that comes back is ready.
  window.isReady = false;
  note(redirect(authType, options));
};
window.startResult = () => note(redirectResult());
window.startFrame = () => note(initialize().then(() => true));
window.isReady = true;
