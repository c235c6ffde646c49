
// The part of Google's `gapi.iframes` by which the SDK opens the hidden frame of a sign-in in a popup or by a redirect.
//
// The SDK loads `https://apis.google.com/js/api.js` for it, with an emulator too, unless `gapi.iframes` is there. This one opens
// Brasa's frame and talks to it over a message port, which the frame gets for its own origin alone; the frame checks the page's.

(() => {
  const { document, gapi: theirs } = globalThis;
  if (!document || theirs?.iframes?.Iframe) return;

  /** Milliseconds within which the frame connects; the SDK waits for five seconds. */
  const patience = 4_000;

  class Iframe {
    #element;
    #port;
    #calls = new Map();
    #handlers = new Map();
    /** Calls of the frame that no handler takes yet, by type; the last of each. */
    #waiting = new Map();
    #next = 0;

    constructor(element, port) {
      this.#element = element;
      this.#port = port;
      port.onmessage = ({ data }) => (data.reply === undefined ? this.#take(data) : this.#finish(data));
    }

    getIframeEl() {
      return this.#element;
    }

    /** Calls a handler of the frame; the results are those of its handlers. */
    send(type, data, done) {
      return new Promise((resolve) => {
        const call = (this.#next += 1);
        this.#calls.set(call, (results) => {
          done?.(results);
          resolve(results);
        });
        this.#port.postMessage({ call, type, data });
      });
    }

    ping(done, data) {
      return this.send("ping", data, done);
    }

    register(type, handler) {
      this.#handlers.set(type, [...(this.#handlers.get(type) ?? []), handler]);
      const waiting = this.#waiting.get(type);
      this.#waiting.delete(type);
      if (waiting) this.#take(waiting);
    }

    unregister(type, handler) {
      const left = (this.#handlers.get(type) ?? []).filter((other) => handler && other !== handler);
      if (left.length) this.#handlers.set(type, left);
      else this.#handlers.delete(type);
    }

    /** Frames of Google's can be shown as parts of the page; this one stays hidden. */
    async restyle() {
      return [];
    }

    async #take(data) {
      const handlers = this.#handlers.get(data.type);
      if (!handlers) return void this.#waiting.set(data.type, data);
      const results = await Promise.all(handlers.map(async (handler) => {
        try {
          return await handler(data.data, this);
        } catch (error) {
          console.error(error);
          return { status: "ERROR" };
        }
      }));
      this.#port.postMessage({ reply: data.call, results });
    }

    #finish({ reply, results }) {
      this.#calls.get(reply)?.(results);
      this.#calls.delete(reply);
    }
  }

  /** An error as the SDK makes them: its code is what apps look at. */
  function failure(code, message) {
    return Object.assign(new Error(`Brasa: ${message} (auth/${code}).`), { code: `auth/${code}` });
  }

  function makeElement(url, attributes = {}) {
    const element = document.createElement("iframe");
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "style" && typeof value === "object") Object.assign(element.style, value);
      else if (!/^(on|src)/i.test(name)) element.setAttribute(name, value);
    }
    element.src = url.href;
    return element;
  }

  /** Why a frame does not connect: mostly its server shows it to no page of this domain. */
  async function reason(url) {
    const key = url.searchParams.get("apiKey") ?? "";
    const answer = await fetch(`${url.origin}/v1/projects?key=${encodeURIComponent(key)}`);
    if (!answer.ok) return failure("invalid-api-key", `${url.origin} knows no project of the API key`);
    const { authorizedDomains = [] } = await answer.json();
    return authorizedDomains.includes(location.hostname)
      ? failure("network-request-failed", `the frame of ${url.origin} did not load`)
      : failure("unauthorized-domain", `add ${location.hostname} to the project's authorized domains`);
  }

  async function connect(url, where, attributes) {
    const element = makeElement(url, attributes);
    const { port1, port2 } = new MessageChannel();
    const frame = new Iframe(element, port1);
    element.addEventListener("load", () => {
      element.contentWindow.postMessage({ brasa: "connect" }, url.origin, [port2]);
    }, { once: true });
    where.append(element);
    const isConnected = await Promise.race([
      frame.ping().then(() => true),
      new Promise((resolve) => setTimeout(resolve, patience, false)),
    ]);
    if (isConnected) return frame;
    element.remove();
    throw await reason(url).catch(() => failure("network-request-failed", `${url.origin} does not answer`));
  }

  const context = {
    /** Opens a frame; what the callback makes of it is the result. */
    async open({ url, where, attributes }, opened) {
      const address = new URL(url, location.href);
      if (!["http:", "https:"].includes(address.protocol)) throw new TypeError(`${url} is no address of a frame.`);
      if (/\.(firebaseapp\.com|web\.app)$/.test(address.hostname)) {
        const { host } = new URL(globalThis.brasaWeb.origin);
        throw failure("argument-error", `set authDomain to "${host}" in the app's configuration`);
      }
      address.hash = "brasa";
      const frame = await connect(address, where ?? document.body, attributes);
      return (await opened?.(frame)) ?? frame;
    },
  };

  const iframes = {
    Iframe, getContext: () => context, CROSS_ORIGIN_IFRAMES_FILTER: () => true, SAME_ORIGIN_IFRAMES_FILTER: () => true,
  };

  /** Loads nothing: the frames are there, and nothing else is. */
  function load(features, options) {
    const { callback, onerror } = typeof options === "function" ? { callback: options } : options ?? {};
    const isKnown = String(features).split(":").every((name) => ["iframes", "gapi.iframes"].includes(name));
    queueMicrotask(() => (isKnown ? callback?.() : onerror?.()));
  }

  globalThis.gapi = { load, ...theirs, iframes };
})();
