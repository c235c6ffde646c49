// A stand-in for Google's `api.js`, as it serves a page and to a frame in it: `gapi.load` and `gapi.iframes`, with messages that carry a token
// of the frame's address, and results in a list.

(() => {
  const script = document.currentScript;
  const fields = new URLSearchParams(location.hash.slice(1));

  class Iframe {
    constructor(token, target, origin) {
      Object.assign(this, { token, target, origin, handlers: new Map(), calls: new Map(), waiting: [], count: 0 });
      addEventListener("message", (event) => {
        if (event.origin === origin && event.source === target() && event.data?.token === token) this.receive(event.data);
      });
    }

    post(data) {
      this.target().postMessage({ token: this.token, ...data }, this.origin);
    }

    async receive({ call, type, data, reply, results }) {
      if (reply !== undefined) return this.calls.get(reply)?.(results);
      const handler = this.handlers.get(type);
      if (!handler) return this.waiting.push({ call, type, data });
      this.post({ reply: call, results: [await handler(data, this)] });
    }

    send(type, data, done) {
      const call = (this.count += 1);
      this.calls.set(call, (results) => done?.(results));
      this.post({ call, type, data });
    }

    register(type, handler) {
      this.handlers.set(type, handler);
      for (const message of this.waiting.splice(0)) this.receive(message);
    }

    ping(done) {
      return new Promise((resolve) => this.send("_ping", null, (results) => (done?.(results), resolve(results))));
    }

    async restyle() {
      return [];
    }
  }

  const context = {
    open({ url, where, attributes }, opened) {
      const token = String(crypto.getRandomValues(new Uint32Array(1))[0]);
      const frame = document.createElement("iframe");
      Object.assign(frame.style, attributes?.style);
      const made = new Iframe(token, () => frame.contentWindow, new URL(url).origin);
      frame.src = `${url}#id=I0_1&_gfid=I0_1&parent=${encodeURIComponent(location.origin)}&pfname=&rpctoken=${token}`;
      // Google's frame is open when the one inside says that it is ready.
      return new Promise((resolve) => {
        made.register("_ready", () => resolve(opened?.(made) ?? made));
        where.append(frame);
      });
    },
    getParentIframe() {
      const parent = new Iframe(fields.get("rpctoken"), () => window.parent, fields.get("parent"));
      parent.register("_ping", () => true);
      parent.send("_ready", null);
      return parent;
    },
  };

  window.googleLoaded = true;
  window.gapi = {
    load(name, options) {
      setTimeout(() => {
        window.gapi.iframes = { Iframe, getContext: () => context, CROSS_ORIGIN_IFRAMES_FILTER: () => true };
        (options.callback ?? options)();
      });
    },
  };
  const name = new URL(script.src).searchParams.get("onload");
  if (name) window[name]();
})();
