/**
 * A WebChannel client for tests, after the rules of Closure's, over XMLHttpRequest as browsers do it.
 *
 * Messages to the server are numbered from 0 and sent one request at a time; arrays from it are
 * numbered from 1 and must come without gaps. A broken back channel is opened again with the number
 * of the last array that came.
 */

const READ_TIMEOUT = 1.5;
const MAXIMUM_FAILURES = 3;
const RETRY_MILLISECONDS = 100;

let tags = 0;

export class WebChannel extends EventTarget {
  /**
   * @param {{base: string, method: string, database: string, authorization?: string,
   *     longPolling?: boolean, autoDetect?: boolean, timeout?: number}} options
   */
  constructor(options) {
    super();
    this.options = options;
    this.url = `${options.base}/google.firestore.v1.Firestore/${options.method}/channel`;
    this.longPolling = options.longPolling ?? false;
    this.requestNumber = Math.floor(Math.random() * 100000);
    this.lastArray = 0;
    this.nextMap = 0;
    this.outgoing = [];
    this.isSending = false;
    this.state = "new";
    /** What happened below the messages, for tests. */
    this.log = { backChannels: 0, longPolls: 0, noops: 0, receipts: [], protocol: null };
  }

  /** Opens the session with the messages that were sent so far. */
  open() {
    this.state = "opening";
    const maps = this.outgoing.splice(0);
    const lines = [["Content-Type", "text/plain"], ["X-Goog-Api-Client", "test"]];
    if (this.options.authorization) lines.push(["Authorization", this.options.authorization]);
    const headers = lines.map(([name, value]) => `${name}:${value}\r\n`).join("");
    const started = performance.now();
    const parameters = { RID: this.requestNumber, CVER: 22, "X-HTTP-Session-Id": "gsessionid" };
    this.post(parameters, this.form(maps, headers), (request) => {
      const [[[zero, [kind, session, , version, , keepAlive]]]] = new Frames().feed(request.responseText);
      if (zero !== 0 || kind !== "c" || version !== 8) return this.fail("bad opening");
      this.session = session;
      this.affinity = request.getResponseHeader("X-HTTP-Session-Id");
      this.log.protocol = request.getResponseHeader("X-Client-Wire-Protocol");
      this.keepAlive = keepAlive;
      this.roundTrip = performance.now() - started;
      this.state = "open";
      this.listen();
      this.flush();
    });
  }

  /** Queues a message. */
  send(message) {
    this.outgoing.push(message);
    if (this.state === "open") this.flush();
  }

  /** Ends the session. */
  terminate() {
    if (this.state === "closed") return;
    const url = this.address({ RID: ++this.requestNumber, TYPE: "terminate" });
    this.close();
    navigator.sendBeacon(url, "");
  }

  // Forward channel

  flush() {
    if (this.isSending || this.outgoing.length === 0 || this.state !== "open") return;
    this.isSending = true;
    const maps = this.outgoing.splice(0, 1000);
    const body = this.form(maps);
    const parameters = { RID: ++this.requestNumber, AID: this.lastArray };
    this.post(parameters, body, (request) => {
      const [receipt] = new Frames().feed(request.responseText);
      if (!Array.isArray(receipt) || receipt.length !== 3) return this.fail("bad receipt");
      this.log.receipts.push(receipt);
      this.isSending = false;
      this.flush();
    });
  }

  form(maps, headers) {
    const fields = new URLSearchParams();
    if (headers) fields.set("headers", headers);
    fields.set("count", maps.length);
    fields.set("ofs", this.nextMap);
    maps.forEach((map, index) => fields.set(`req${index}___data__`, JSON.stringify(map)));
    this.nextMap += maps.length;
    return fields.toString();
  }

  post(parameters, body, done, attempt = 1) {
    const request = new XMLHttpRequest();
    request.open("POST", this.address({ ...parameters, t: attempt }));
    request.setRequestHeader("Content-Type", "application/x-www-form-urlencoded");
    request.onload = () => {
      if (this.state === "closed") return;
      if (request.status === 200) done(request);
      else this.fail(`status ${request.status}: ${request.responseText}`);
    };
    request.onerror = () => {
      if (attempt > 2) return this.fail("the network failed");
      // The same number and the same maps: what arrived already is not taken twice.
      setTimeout(() => this.post(parameters, body, done, attempt + 1), RETRY_MILLISECONDS);
    };
    request.send(body);
  }

  // Back channel

  listen(failures = 0) {
    if (this.state !== "open") return;
    const request = new XMLHttpRequest();
    const frames = new Frames();
    const parameters = { RID: "rpc", AID: this.lastArray, CI: this.longPolling ? 1 : 0, TYPE: "xmlhttp" };
    if (this.longPolling && this.options.timeout) parameters.TO = this.options.timeout;
    let seen = 0;
    let isDetecting = false;
    let timer = null;
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), READ_TIMEOUT * this.keepAlive);
    };
    const read = () => {
      const text = request.responseText.slice(seen);
      if (!text || this.back !== request) return;
      isDetecting = false;
      watch();
      seen += text.length;
      for (const arrays of frames.feed(text)) this.take(arrays);
    };
    request.open("GET", this.address(parameters));
    request.onprogress = () => { if (!this.longPolling) read(); };
    request.onload = () => {
      clearTimeout(timer);
      if (this.back !== request) return;
      if (request.status !== 200) return this.fail(`status ${request.status}: ${request.responseText}`);
      read();
      this.listen(seen === 0 ? this.count(failures) : 0);
    };
    request.onerror = request.onabort = () => {
      clearTimeout(timer);
      if (this.back !== request) return;
      setTimeout(() => this.listen(seen === 0 ? this.count(failures) : 0), RETRY_MILLISECONDS);
    };
    this.back = request;
    this.log.backChannels += 1;
    if (this.longPolling) this.log.longPolls += 1;
    watch();
    request.send();
    if (this.options.autoDetect && !this.longPolling) {
      isDetecting = true;
      // A byte must come at once, or something on the way holds answers back.
      setTimeout(() => {
        if (!isDetecting || this.back !== request || this.state !== "open") return;
        this.longPolling = true;
        this.back = null;
        request.abort();
        this.listen();
      }, Math.max(2 * this.roundTrip, 200));
    }
  }

  count(failures) {
    if (failures + 1 >= MAXIMUM_FAILURES) this.fail("no data");
    return failures + 1;
  }

  take(arrays) {
    for (const [number, payload] of arrays) {
      if (this.state !== "open") return;
      if (number <= this.lastArray) continue;
      if (number !== this.lastArray + 1) return this.fail(`array ${number} after ${this.lastArray}`);
      this.lastArray = number;
      if (payload[0] === "noop") this.log.noops += 1;
      else if (payload[0] === "close") { this.terminate(); this.emit("end", null); }
      else this.message(Array.isArray(payload[0]) ? payload[0][0] : payload[0]);
    }
  }

  message(message) {
    if (message.error) {
      this.terminate();
      return this.emit("end", message.error);
    }
    this.emit("message", message);
  }

  // Both

  address(parameters) {
    const all = { VER: 8, database: this.options.database, zx: `z${++tags}`, t: 1 };
    if (this.session) Object.assign(all, { SID: this.session, gsessionid: this.affinity });
    return `${this.url}?${new URLSearchParams({ ...all, ...parameters })}`;
  }

  fail(text) {
    if (this.state === "closed") return;
    this.close();
    this.emit("end", { status: "UNAVAILABLE", message: text });
  }

  close() {
    this.state = "closed";
    const back = this.back;
    this.back = null;
    back?.abort();
  }

  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/** Cuts text into frames: a length in UTF-16 code units, a line feed, JSON. */
class Frames {
  rest = "";

  feed(text) {
    this.rest += text;
    const frames = [];
    for (;;) {
      const end = this.rest.indexOf("\n");
      if (end < 0) return frames;
      const length = Number(this.rest.slice(0, end));
      if (!Number.isInteger(length)) throw new Error(`no length: ${this.rest.slice(0, 40)}`);
      const stop = end + 1 + length;
      if (this.rest.length < stop) return frames;
      frames.push(JSON.parse(this.rest.slice(end + 1, stop)));
      this.rest = this.rest.slice(stop);
    }
  }
}
