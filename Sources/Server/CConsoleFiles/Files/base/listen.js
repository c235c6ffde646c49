import { databaseName } from "./api.js";
import { connection, onRenewal } from "./session.js";
import { TargetState } from "./target.js";
import { authorizationOf, forgetAuthorization, viewed } from "./viewing.js";
import { WebChannel } from "./webchannel.js";

/**
 * Live queries and documents: one Listen channel a database and tab, with a target for each.
 *
 * A channel that breaks is opened again, ever more slowly, and its targets go on from where they were. While the
 * tab is hidden for a minute the channel is closed, so that tabs nobody looks at cost the server nothing.
 */

const PATH = "/google.firestore.v1.Firestore/Listen/channel";
const HIDDEN_MILLISECONDS = 60_000;
const SLOWEST_MILLISECONDS = 15_000;

class Listener {
  #targets = new Map();
  #channel = null;
  #nextID = 2;
  #failures = 0;
  #timer = null;
  #isPaused = false;
  #refusals = 0;
  #credentials = null;

  constructor(database, who) {
    this.database = database;
    this.who = who;
  }

  /** Adds a target; gives what removes it. */
  add(target, onSnapshot, onError) {
    const state = new TargetState(this.#nextID, target, onSnapshot, onError);
    this.#nextID += 2;
    this.#targets.set(state.id, state);
    if (this.#isPaused) return () => this.#targets.delete(state.id);
    this.#connect().then(() => this.#request(state));
    return () => this.#remove(state);
  }

  #remove(state) {
    if (!this.#targets.delete(state.id)) return;
    if (state.isRequested) this.#channel?.send({ database: this.database, removeTarget: state.id });
    if (this.#targets.size > 0) return;
    // A view that follows at once takes the channel over.
    setTimeout(() => this.#targets.size === 0 && this.#close("idle"), 1_000);
  }

  async #connect() {
    if (this.#channel) return;
    connection.value = "connecting";
    const credentials = await authorizationOf(this.who);
    if (this.#channel || this.#isPaused) return;
    this.#credentials = credentials;
    const channel = new WebChannel({
      path: PATH,
      database: this.database,
      authorization: credentials,
      onMessage: (message) => this.#channel === channel && this.#receive(message),
      onEnd: (error) => this.#channel === channel && this.#end(error),
    });
    this.#channel = channel;
    for (const state of this.#targets.values()) this.#request(state);
  }

  #request(state) {
    if (state.isRequested || !this.#channel || !this.#targets.has(state.id)) return;
    state.isRequested = true;
    this.#channel.send({ database: this.database, addTarget: state.request() });
  }

  #receive(message) {
    this.#failures = 0;
    this.#refusals = 0;
    connection.value = "live";
    const change = message.targetChange;
    const named = change?.targetIds ?? [];
    for (const state of this.#targets.values()) {
      if (change && named.length > 0 && !named.includes(state.id)) continue;
      const outcome = state.receive(message);
      if (outcome === "again") this.#again(state);
      if (outcome === "refused") this.#targets.delete(state.id);
    }
  }

  /** Asks for a target anew, of which something was missed. */
  #again(state) {
    this.#channel.send({ database: this.database, removeTarget: state.id });
    this.#targets.delete(state.id);
    state.rename(this.#nextID);
    this.#nextID += 2;
    this.#targets.set(state.id, state);
    this.#request(state);
  }

  #end(error) {
    this.#close("broken");
    if (this.#targets.size === 0 || this.#isPaused) return;
    // A token that has expired is replaced by the next attempt.
    const isExpired = error?.status === "UNAUTHENTICATED" && (this.#refusals += 1) < 3;
    if (isExpired) forgetAuthorization(this.#credentials);
    const isHopeless = !isExpired && error && ["PERMISSION_DENIED", "UNAUTHENTICATED", "INVALID_ARGUMENT", "NOT_FOUND"].includes(error.status);
    if (isHopeless) {
      for (const state of this.#targets.values()) state.onError(error);
      this.#targets.clear();
      return;
    }
    const wait = Math.min(SLOWEST_MILLISECONDS, 250 * 2 ** this.#failures);
    this.#failures += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), wait * (0.75 + Math.random() / 2));
  }

  #close(state) {
    this.#channel?.close();
    this.#channel = null;
    for (const target of this.#targets.values()) target.isRequested = false;
    connection.value = state;
  }

  /** Goes on with the credentials that there are now, from where it is. */
  renew() {
    if (!this.#channel) return;
    this.#close("connecting");
    if (this.#targets.size > 0) this.#connect();
  }

  pause() {
    if (this.#isPaused) return;
    this.#isPaused = true;
    clearTimeout(this.#timer);
    this.#close("idle");
  }

  resume() {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#targets.size > 0) this.#connect();
  }
}

const listeners = new Map();

onRenewal(() => listeners.forEach((one) => one.renew()));

/**
 * Listens to a query or to documents of a database.
 *
 * `onSnapshot` gets `{documents: Map of name to document, isCurrent}` at each consistent state. Gives what ends it.
 */
export function listen({ project, database }, target, onSnapshot, onError) {
  const name = databaseName(project, database);
  const who = viewed.peek();
  const key = JSON.stringify([name, who]);
  if (!listeners.has(key)) listeners.set(key, new Listener(name, who));
  return listeners.get(key).add(target, onSnapshot, onError);
}

// A page that is left tells the server at once; one that comes back from the browser's memory goes on.
addEventListener("pagehide", () => listeners.forEach((one) => one.pause()));
addEventListener("pageshow", () => listeners.forEach((one) => one.resume()));

let hiddenTimer = null;

document.addEventListener("visibilitychange", () => {
  clearTimeout(hiddenTimer);
  const each = (act) => listeners.forEach(act);
  if (document.hidden) hiddenTimer = setTimeout(() => each((one) => one.pause()), HIDDEN_MILLISECONDS);
  else each((one) => one.resume());
});
