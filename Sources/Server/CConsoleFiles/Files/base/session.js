import { post } from "./request.js";
import { signal } from "./signal.js";

/**
 * Who is signed in, and the short token that calls carry.
 *
 * The session is a cookie that no script sees and that one route takes: it buys tokens. A token is kept in memory
 * alone. When there is none to be had any more, the person is asked to sign in over the page as it is, and what waited
 * goes on: nothing that was typed is lost.
 */

/** What `/console/api/session` says; null before it was asked. */
export const session = signal(null);

/** `idle`, `connecting`, `live` or `broken`: what the light in the bar shows of the listeners. */
export const connection = signal("idle");

/** Asks the person to sign in, over the page: where the session has ended; or, and then it may be left, "early", or because an act takes a "recent" sign-in; gives whether they did. Set once there is a page. */
export const asking = { act: null };

/** When the session ends, in milliseconds; null where nobody signed in. */
export const sessionEnd = signal(null);

const invitationInAddress = () => new URLSearchParams(location.hash.slice(1)).get("invitation");

/** Whether the address is a set-up link. */
export const hasInvitation = () => Boolean(invitationInAddress());

/** The code of the set-up link in the address; taken out of it, where it would be kept. Null where it is none. */
export function takeInvitation() {
  const code = invitationInAddress();
  if (code) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

let token = null;
let renewal = null;
let extension = null;
let timer = null;
/** Whether the token is to be followed by another as soon as somebody looks. */
let isDue = false;
const observers = new Set();

/** Milliseconds before its end at which a token is no longer used. */
const MARGIN = 30_000;

/** The `Authorization` header of calls; null for nobody. */
export async function authorization() {
  const fixed = session.peek()?.token;
  if (fixed) return `Bearer ${fixed}`;
  if (!token || Date.now() > token.end - MARGIN) await renew();
  return token ? `Bearer ${token.text}` : null;
}

/** Has the next call ask for a token; for who was told that this one is not valid. */
export function forgetToken(header) {
  if (token && header === `Bearer ${token.text}`) token = null;
}

/** Has a function run when a new token takes over from another; gives what ends it. */
export function onRenewal(act) {
  observers.add(act);
  return () => observers.delete(act);
}

/** Gets a token for the session, once for all who wait; has the person sign in where there is no session. */
function renew() {
  renewal ??= obtain().finally(() => { renewal = null; });
  return renewal;
}

async function obtain() {
  for (;;) {
    try {
      take(await post("/console/session/token", {}));
      return;
    } catch (error) {
      token = null;
      if (error.status !== 401 || !asking.act) throw error;
      await asking.act();
    }
  }
}

function take({ token: text, expiresIn, sessionEndsIn }) {
  const isNext = token !== null;
  sessionEnd.value = Date.now() + sessionEndsIn * 1_000;
  token = { text, end: Date.now() + expiresIn * 1_000 };
  clearTimeout(timer);
  isDue = false;
  document.addEventListener("visibilitychange", renewIfDue);
  timer = setTimeout(() => { isDue = true; renewIfDue(); }, Math.max(1_000, expiresIn * 1_000 - 2 * MARGIN));
  if (isNext) for (const act of observers) act();
}

// Streams take their credentials along when they begin: they begin anew with the next token. A tab that nobody looks at asks for none.
function renewIfDue() {
  if (isDue && !document.hidden) renew().catch(() => {});
}

/** Whether there is a session to go on with. */
export async function resume() {
  try {
    await renew();
    return true;
  } catch (error) {
    if (error.status === 401) return false;
    throw error;
  }
}

/** Has the person sign in again though there is a session, once for all who wait; gives whether they did. What is open stays. */
export function extend(why = "early") {
  extension ??= signInAgain(why).finally(() => { extension = null; });
  return extension;
}

async function signInAgain(why) {
  if (!(await asking.act(why))) return false;
  // One that is under way may be of the session before.
  await renewal?.catch(() => {});
  await renew();
  return true;
}

/** Ends the session here and on the server. */
export async function signOut() {
  const header = token ? { authorization: `Bearer ${token.text}` } : {};
  await post("/console/session/end", {}, header);
  location.assign("/console");
}
