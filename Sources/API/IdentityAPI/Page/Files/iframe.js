// The hidden frame of the server in an app's page. It gives Google's SDK the events of sign-ins.
//
// The page's script (`/__/brasa/web.js`) connects by a message port. It must be the frame's parent and belong to an origin that
// the server named; the port is the only way by which an event leaves the frame. In development a page without that script
// has Google's, which the frame then loads too.

import { facts, storageKey, takeEvent } from "./handler-event.js";

const query = new URLSearchParams(location.search);
const key = storageKey(query.get("apiKey") ?? "", query.get("appName") ?? "");
/** The ids of the last events that were given on, each of which counts once. */
const seen = [];
let parent = null;

const isOurs = (origin) => {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && (origin === location.origin || facts.origins.includes(`${url.protocol}//${url.hostname}:*`));
};

function canStore() {
  try {
    sessionStorage.setItem("brasa:probe", "1");
    sessionStorage.removeItem("brasa:probe");
    return true;
  } catch {
    return false;
  }
}

const answers = {
  ping: () => true,
  webStorageSupport: () => ({ status: "ACK", webStorageSupport: canStore() }),
};

/** The parent behind a port: calls with a number each, and their results. */
class PortParent {
  constructor(origin, port) {
    this.origin = origin;
    this.port = port;
    this.calls = new Map();
    this.count = 0;
    port.addEventListener("message", ({ data }) => this.receive(data));
    port.start();
  }

  receive(data) {
    if (data.reply !== undefined) {
      this.calls.get(data.reply)?.(data.results);
      this.calls.delete(data.reply);
      return;
    }
    const results = Object.hasOwn(answers, data.type) ? [answers[data.type](data.data)] : [];
    this.port.postMessage({ reply: data.call, results });
  }

  send(type, data) {
    return new Promise((resolve) => {
      // A count: pages of plain HTTP have no `crypto.randomUUID`, nor have frames in them.
      const call = ++this.count;
      this.calls.set(call, resolve);
      this.port.postMessage({ call, type, data });
    });
  }
}

/** The parent behind Google's script, which checks origins itself. */
class GoogleParent {
  constructor(origin, frames) {
    this.origin = origin;
    this.filter = frames.CROSS_ORIGIN_IFRAMES_FILTER;
    this.frame = frames.getContext().getParentIframe();
    this.frame.register("webStorageSupport", answers.webStorageSupport, this.filter);
  }

  send(type, data) {
    return new Promise((resolve) => this.frame.send(type, data, resolve, this.filter));
  }
}

/** Gives the parent an event; true if its SDK took it. */
async function give(authEvent) {
  const results = await parent.send("authEvent", { type: "authEvent", authEvent });
  return results?.at(-1)?.status === "ACK";
}

const noEvent = {
  type: "unknown", eventId: null, urlResponse: null, sessionId: null, postBody: null, tenantId: null,
  error: { code: "auth/no-auth-event", message: "No sign-in was under way." },
};

function connect(made) {
  parent = made;
  const kept = canStore() ? takeEvent(key, parent.origin) : null;
  if (kept) note(kept);
  give(kept ?? noEvent);
}

/** False for an event, or another one of its sign-in, that was given on before. */
function note({ eventId, sessionId }) {
  const ids = [eventId && `event ${eventId}`, sessionId && `session ${sessionId}`].filter(Boolean);
  if (ids.some((id) => seen.includes(id))) return false;
  seen.push(...ids);
  seen.splice(0, seen.length - 200);
  return true;
}

/** An event of the popup's page, which is of this origin too. */
async function receive(event) {
  const { storageKey: theirs, origin, authEvent } = event.data.data ?? {};
  if (event.origin !== location.origin || !parent || theirs !== key || !authEvent) return;
  // An error tells nothing; what signs somebody in is for the page that began alone.
  if (!authEvent.error && origin !== parent.origin) return;
  if (!note(authEvent)) return;
  if (await give(authEvent)) event.source?.postMessage({ eventType: "authEventTaken" }, location.origin);
}

addEventListener("message", (event) => {
  if (event.data?.eventType === "sendAuthEvent") return void receive(event);
  if (event.data?.brasa !== "connect" || event.source !== window.parent || parent) return;
  if (isOurs(event.origin) && event.ports.length === 1) connect(new PortParent(event.origin, event.ports[0]));
});

/** Google's script for a page that has it and not the server's. */
function loadGoogle() {
  const origin = location.ancestorOrigins?.[0] ?? (document.referrer ? new URL(document.referrer).origin : "");
  if (!isOurs(origin)) return;
  window.brasaGoogleLoaded = () => gapi.load("gapi.iframes", () => connect(new GoogleParent(origin, gapi.iframes)));
  const script = document.createElement("script");
  script.src = "https://apis.google.com/js/api.js?onload=brasaGoogleLoaded";
  document.head.append(script);
}

if (location.hash !== "#brasa") {
  if (facts.isDevelopment) loadGoogle();
  else console.error(`Load ${location.origin}/__/brasa/web.js in the app's page before anything else.`);
}
