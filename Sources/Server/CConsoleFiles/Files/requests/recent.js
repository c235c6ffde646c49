/** What the rules were asked lately, kept up with what the server says. */

/** The requests of an outcome that a tab keeps; the server keeps no more. */
const MOST = 500;

/** The requests of one outcome, so many at most; `ask` gives those behind a number, the oldest first. */
export class RecentOutcome {
  #ask;
  #most;
  #found = [];

  constructor(ask, most = MOST) {
    this.#ask = ask;
    this.#most = most;
  }

  /** The requests, the oldest first. */
  get requests() { return this.#found; }

  /** Puts older requests before those that are here. */
  putBefore(older) { this.#found = [...older, ...this.#found].slice(-this.#most); }

  /** Asks for what is new; gives what tells the newest from others. */
  async load() {
    const last = this.#found.at(-1);
    const [known, ...news] = last ? await this.#ask(last.number - 1) : [];
    // A server that began again counts anew: it does not know what is the newest here.
    const isKnown = last && known?.number === last.number && known.time === last.time;
    this.#found = isKnown ? [...this.#found, ...news].slice(-this.#most) : await this.#ask(0);
    const newest = this.#found.at(-1);
    return [newest?.number, newest?.time];
  }
}

/** What was denied, and what was allowed since somebody has looked. */
export class Recent {
  #outcomes;

  constructor(denials, allowed) { this.#outcomes = [denials, allowed].map((ask) => new RecentOutcome(ask)); }

  /** Asks for what is new; gives what tells the newest from others. */
  load() { return Promise.all(this.#outcomes.map((one) => one.load())); }

  /** The requests, the newest first. */
  get requests() {
    const [denials, allowed] = this.#outcomes.map((one) => one.requests);
    return [...denials.map((one) => ({ ...one, isAllowed: false })), ...allowed.map((one) => ({ ...one, isAllowed: true }))].sort((one, other) => other.time - one.time || other.number - one.number);
  }
}
