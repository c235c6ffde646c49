import { t } from "./i18n.js";
import { keep, kept } from "./memory.js";
import { place } from "./navigation.js";
import { session } from "./session.js";
import { signal } from "./signal.js";
import { viewed } from "./viewing.js";

/** Whether this browser writes: viewers never do, nor who looks as a user; others may lock themselves. */

const locked = signal(kept("readOnly") === "on");

const ROLES = ["viewer", "editor", "owner"];

/** The role of who is signed in, in the project of the address: the higher of the one for all projects and its own. */
export function roleHere() {
  const { role = null, projects = {} } = session.value ?? {};
  const own = projects[place.value.project] ?? null;
  return ROLES.indexOf(own) > ROLES.indexOf(role) ? own : role;
}

/** Whether the role of who is signed in lets them change something here. */
export const mayChange = () => ["editor", "owner"].includes(roleHere());

/** Roles as people say them, each with its project where it is for one. */
export const roleTexts = ({ role, projects }) => [...(role ? [t(`role.${role}`)] : []), ...Object.entries(projects).map(([project, one]) => `${t(`role.${one}`)} (${project})`)];

/** Whether nothing may be written from here. */
export const isReadOnly = () => !mayChange() || viewed.value !== null || locked.value;

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
