import { keep, kept } from "./memory.js";
import { session } from "./session.js";
import { signal } from "./signal.js";
import { viewed } from "./viewing.js";

/** Whether this browser writes: viewers never do, nor who looks as a user; others may lock themselves. */

const locked = signal(kept("readOnly") === "on");

/** Whether nothing may be written from here. */
export const isReadOnly = () => session.value?.role === "viewer" || viewed.value !== null || locked.value;

/** Locks writing in this browser or unlocks it, and remembers it. */
export function setReadOnly(isOn) {
  keep("readOnly", isOn ? "on" : "off");
  locked.value = isOn;
}

// One's own ways to sign in are no data of the server.
const OWN = /^\/console\/api\/me(\/|$)/;

// Requests that change nothing though they are posted.
const READING = /:(run\w+|batchGet|list\w+|test|lookup|evaluate)$|\/analytics\/funnel(\?|$)|[?&]validateOnly=true/;

/** Whether a request may change something. Pure. */
export const isWriting = (method, path) => method !== "GET" && !OWN.test(path) && !(["POST", "PUT"].includes(method) && READING.test(path));
