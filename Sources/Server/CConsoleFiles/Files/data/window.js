import { compareDocuments, valueAt } from "./order.js";
import { structuredQuery } from "./query.js";

/**
 * A query's results as far as they are looked at: at most three live pages. Pure but for what it is given.
 *
 * A page listens to what follows a cursor, a hundred documents at most. Once another page follows, a page that
 * changed listens to what lies between its cursors instead, so that nothing falls between the two. Pages that are
 * left behind end, and are listened to again when they come back.
 */
export class Window {
  #pages = [];
  #listen;
  #onChange;
  #compare;

  /** The documents of a page. */
  static size = 100;
  /** A page between two cursors may grow by this much before its end is cut. */
  static room = 1_000;
  static #mostPages = 3;

  /**
   * @param {object} query `{collection, group, where, orders, limit}`, its orders in full
   * @param {function} listen `(structuredQuery, onSnapshot, onError) => stop`
   * @param {function} onChange told after each change of what is shown
   */
  constructor(query, listen, onChange) {
    this.query = query;
    this.#listen = listen;
    this.#onChange = onChange;
    this.#compare = compareDocuments(query.orders);
    this.error = null;
    /** How many rows come before the first that is live. */
    this.offset = 0;
    this.#pages.push(this.#page(null));
  }

  /** The documents of the live pages, in order. */
  get rows() {
    return this.#pages.flatMap((page) => this.#rowsOf(page));
  }

  get isLoading() {
    return this.#pages.some((page) => !page.isCurrent) && !this.error;
  }

  /** Whether the results go on behind the last row. */
  get hasMore() {
    const last = this.#pages.at(-1);
    if (!last.isCurrent || this.#rest(last) === 0) return false;
    return last.upTo !== null || last.documents.size >= Window.size;
  }

  get hasEarlier() {
    return this.#pages[0].after !== null;
  }

  stop() {
    for (const page of this.#pages) page.stop();
  }

  /** Listens to the page behind the last. */
  more() {
    if (!this.hasMore) return;
    const last = this.#pages.at(-1);
    const cursor = this.#cursor(this.#rowsOf(last).at(-1)) ?? last.upTo;
    last.upTo ??= cursor;
    this.#pages.push(this.#page(last.upTo, { after: last.after, previous: last.previous }));
    if (this.#pages.length > Window.#mostPages) {
      const first = this.#pages.shift();
      first.stop();
      this.offset += first.documents.size;
    }
    this.#onChange();
  }

  /** Listens to the page before the first. */
  earlier() {
    const first = this.#pages[0];
    if (first.after === null || this.isLoading) return;
    const page = this.#page(first.previous.after, first.previous.previous, first.after, true);
    this.#pages.unshift(page);
    if (this.#pages.length > Window.#mostPages) this.#pages.pop().stop();
    this.#onChange();
  }

  #page(after, previous = null, upTo = null, isPrepended = false) {
    const page = { after, upTo, previous, documents: new Map(), rows: [], isCurrent: false, isPrepended, stop: () => {} };
    this.#start(page);
    return page;
  }

  #start(page) {
    page.stop();
    const limit = page.upTo ? Window.room : Math.min(Window.size, this.query.limit ?? Window.size);
    const query = structuredQuery({ ...this.query, after: page.after, upTo: page.upTo, limit });
    page.isBounded = page.upTo !== null;
    page.stop = this.#listen(
      query,
      (snapshot) => this.#take(page, snapshot),
      (error) => {
        this.error = error;
        this.#onChange();
      },
    );
  }

  #take(page, { documents }) {
    page.documents = documents;
    page.rows = null;
    if (page.isPrepended) {
      this.offset = Math.max(0, this.offset - documents.size);
      if (page.previous === null && page.after === null) this.offset = 0;
      page.isPrepended = false;
    }
    page.isCurrent = true;
    this.error = null;
    // What an insertion pushed out of the page lies between the two cursors now.
    if (page.upTo && !page.isBounded) this.#start(page);
    this.#onChange();
  }

  /** A page's documents in order, which are sorted when somebody looks: they may change more often than that. */
  #rowsOf(page) {
    page.rows ??= [...page.documents.values()].sort(this.#compare);
    return page.rows;
  }

  #cursor(document) {
    return document ? this.query.orders.map(({ names }) => valueAt(document, names)) : null;
  }

  /** How many of a limited query's results may still come. */
  #rest(page) {
    if (!this.query.limit) return Infinity;
    return Math.max(0, this.query.limit - this.offset - this.#pages.reduce((sum, one) => sum + one.documents.size, 0));
  }
}
