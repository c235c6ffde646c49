import { slices } from "./pace.js";

/**
 * The client's half of Google's WebChannel, version 8, over `fetch`.
 *
 * Messages to the server are numbered from 0 and go one request at a time; arrays from it are numbered from 1
 * and come without gaps. A back channel that breaks is opened again with the number of the last array that came,
 * so nothing is lost or doubled. What needs no network is in `Frames`.
 */

const RETRY_MILLISECONDS = 200;
const MOST_FAILURES = 4;

/** Cuts text into frames: a length in UTF-16 code units, a line feed, JSON. */
export class Frames {
  #rest = "";

  /** The frames that are complete with this text. */
  feed(text) {
    this.#rest += text;
    const frames = [];
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end < 0) return frames;
      const length = Number(this.#rest.slice(0, end));
      if (!Number.isInteger(length) || length < 0) throw new Error(`no frame length: ${this.#rest.slice(0, 20)}`);
      const stop = end + 1 + length;
      if (this.#rest.length < stop) return frames;
      frames.push(JSON.parse(this.#rest.slice(end + 1, stop)));
      this.#rest = this.#rest.slice(stop);
    }
  }
}

/** The form in which messages go to the server. */
export function form(messages, first, headers) {
  const fields = new URLSearchParams();
  if (headers) fields.set("headers", headers);
  fields.set("count", messages.length);
  fields.set("ofs", first);
  messages.forEach((message, index) => fields.set(`req${index}___data__`, JSON.stringify(message)));
  return fields.toString();
}

/** One session. `onMessage` gets each message, `onEnd` the error once, null where the server just ended it. */
export class WebChannel {
  #state = "new";
  #requestNumber = Math.floor(Math.random() * 100_000);
  #lastArray = 0;
  #nextMessage = 0;
  #outgoing = [];
  #isSending = false;
  #abort = new AbortController();
  #session;
  #affinity;
  #tags = 0;

  /** @param {{path: string, database: string, authorization: ?string, onMessage: function, onEnd: function}} options */
  constructor(options) {
    this.options = options;
  }

  /** Queues a message, and opens the session with the first. */
  send(message) {
    this.#outgoing.push(message);
    if (this.#state === "new") this.#open();
    else this.#flush();
  }

  /** Ends the session. */
  close() {
    if (this.#state === "closed") return;
    const wasOpen = this.#state === "open";
    this.#state = "closed";
    this.#abort.abort();
    if (wasOpen) navigator.sendBeacon(this.#address({ RID: ++this.#requestNumber, TYPE: "terminate" }), "");
  }

  async #open() {
    this.#state = "opening";
    const lines = ["Content-Type:text/plain"];
    if (this.options.authorization) lines.push(`Authorization:${this.options.authorization}`);
    const headers = lines.map((line) => `${line}\r\n`).join("");
    const parameters = { RID: this.#requestNumber, CVER: 22, "X-HTTP-Session-Id": "gsessionid" };
    const answer = await this.#post(parameters, headers);
    if (!answer) return;
    const [[[, [kind, session]]]] = answer.frames;
    if (kind !== "c") return this.#fail("no session was opened");
    this.#session = session;
    this.#affinity = answer.response.headers.get("x-http-session-id");
    this.#state = "open";
    this.#listen();
    this.#flush();
  }

  async #flush() {
    while (!this.#isSending && this.#outgoing.length > 0 && this.#state === "open") {
      this.#isSending = true;
      await this.#post({ RID: ++this.#requestNumber, AID: this.#lastArray });
      this.#isSending = false;
    }
  }

  async #post(parameters, headers) {
    const messages = this.#outgoing.splice(0, 1_000);
    const body = form(messages, this.#nextMessage, headers);
    this.#nextMessage += messages.length;
    for (let attempt = 1; this.#state !== "closed"; attempt += 1) {
      try {
        // The same number and the same messages: what arrived already is not taken twice.
        const response = await fetch(this.#address({ ...parameters, t: attempt }), {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body,
          credentials: "omit",
          signal: this.#abort.signal,
        });
        const text = await response.text();
        if (this.#state === "closed") return null;
        if (!response.ok) return this.#fail(text.slice(0, 200), response.status);
        return { response, frames: new Frames().feed(text) };
      } catch (error) {
        if (this.#state === "closed") return null;
        if (attempt >= 3) return this.#fail(error.message);
        await pause(RETRY_MILLISECONDS * attempt);
      }
    }
    return null;
  }

  async #listen() {
    for (let failures = 0; this.#state === "open"; ) {
      const before = this.#lastArray;
      try {
        const parameters = { RID: "rpc", AID: before, CI: 0, TYPE: "xmlhttp" };
        const response = await fetch(this.#address(parameters), {
          credentials: "omit",
          signal: this.#abort.signal,
        });
        if (!response.ok) return this.#fail((await response.text()).slice(0, 200), response.status);
        await this.#read(response.body.pipeThrough(new TextDecoderStream()));
      } catch (error) {
        if (this.#state !== "open") return;
        await pause(RETRY_MILLISECONDS);
      }
      failures = this.#lastArray > before ? 0 : failures + 1;
      if (failures >= MOST_FAILURES) return this.#fail("the connection gives nothing");
    }
  }

  async #read(texts) {
    const frames = new Frames();
    const pause = slices();
    for await (const text of texts) {
      for (const arrays of frames.feed(text)) {
        this.#take(arrays);
        await pause();
        if (this.#state !== "open") return;
      }
    }
  }

  #take(arrays) {
    for (const [number, payload] of arrays) {
      if (this.#state !== "open" || number <= this.#lastArray) continue;
      if (number !== this.#lastArray + 1) return this.#fail(`array ${number} after ${this.#lastArray}`);
      this.#lastArray = number;
      if (payload[0] === "noop") continue;
      if (payload[0] === "close") {
        this.close();
        this.options.onEnd(null);
        continue;
      }
      const message = Array.isArray(payload[0]) ? payload[0][0] : payload[0];
      if (message.error) {
        this.close();
        this.options.onEnd(message.error);
      } else this.options.onMessage(message);
    }
  }

  #fail(message, status = 0) {
    if (this.#state === "closed") return null;
    this.close();
    this.options.onEnd({ status: status === 401 ? "UNAUTHENTICATED" : "UNAVAILABLE", message });
    return null;
  }

  #address(parameters) {
    this.#tags += 1;
    const all = { VER: 8, database: this.options.database, zx: `z${this.#tags}`, t: 1 };
    if (this.#session) Object.assign(all, { SID: this.#session, gsessionid: this.#affinity });
    return `${this.options.path}?${new URLSearchParams({ ...all, ...parameters })}`;
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
