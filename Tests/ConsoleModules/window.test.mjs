import assert from "node:assert/strict";
import { test } from "node:test";

import { compareDocuments } from "../../Sources/Server/CConsoleFiles/Files/data/order.js";
import { fullOrders } from "../../Sources/Server/CConsoleFiles/Files/data/query.js";
import { Window } from "../../Sources/Server/CConsoleFiles/Files/data/window.js";

/** A collection that answers queries by name, and tells every listener after each change. */
class Collection {
  documents = new Map();
  listeners = new Set();

  put(...numbers) {
    for (const number of numbers) {
      const name = `projects/p/databases/d/documents/c/${String(number).padStart(8, "0")}`;
      this.documents.set(name, { name, fields: {}, updateTime: "t" });
    }
    this.tell();
  }

  drop(...numbers) {
    for (const number of numbers) this.documents.delete(`projects/p/databases/d/documents/c/${String(number).padStart(8, "0")}`);
    this.tell();
  }

  tell() {
    for (const listener of [...this.listeners]) if (this.listeners.has(listener)) listener();
  }

  listen = (query, onSnapshot) => {
    const answer = () => onSnapshot({ documents: this.run(query) });
    this.listeners.add(answer);
    answer();
    return () => this.listeners.delete(answer);
  };

  run({ startAt, endAt, limit }) {
    const after = startAt?.values[0].referenceValue;
    const upTo = endAt?.values[0].referenceValue;
    const names = [...this.documents.keys()].sort().filter((name) => (!after || name > after) && (!upTo || name <= upTo));
    return new Map(names.slice(0, limit).map((name) => [name, this.documents.get(name)]));
  }
}

const QUERY = { collection: "c", group: null, where: null, orders: fullOrders({ where: null, orders: [] }), limit: null };
const numbersOf = (window) => window.rows.map((row) => Number(row.name.split("/").pop()));
const sequence = (from, count, step = 1) => Array.from({ length: count }, (_, index) => from + index * step);

test("a long collection is looked at through three pages", () => {
  const collection = new Collection();
  collection.put(...sequence(0, 1_000, 10));
  const window = new Window(QUERY, collection.listen, () => {});
  assert.deepEqual(numbersOf(window), sequence(0, 100, 10));
  for (let page = 0; page < 9; page += 1) window.more();
  assert.deepEqual([window.offset, window.rows.length, window.hasMore], [700, 300, true]);
  window.more();
  assert.deepEqual([window.offset, window.rows.length, window.hasMore], [800, 200, false]);
  assert.equal(collection.listeners.size, 3);
  while (window.hasEarlier) window.earlier();
  assert.deepEqual([window.offset, numbersOf(window)[0], window.rows.length], [0, 0, 300]);
  window.stop();
  assert.equal(collection.listeners.size, 0);
});

test("nothing falls between pages, whatever comes and goes", () => {
  let seed = 7;
  const random = (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const collection = new Collection();
  collection.put(...sequence(0, 400, 100));
  const window = new Window(QUERY, collection.listen, () => {});
  for (let step = 0; step < 600; step += 1) {
    const number = random(40_000);
    switch (random(6)) {
      case 0: window.more(); break;
      case 1: if (window.hasEarlier) window.earlier(); break;
      case 2: collection.drop(number, Math.round(number / 100) * 100); break;
      default: collection.put(number);
    }
    const shown = window.rows.map((row) => row.name);
    const all = [...collection.documents.keys()].sort();
    const from = all.indexOf(shown[0]);
    assert.deepEqual(shown, all.slice(from, from + shown.length), `step ${step}`);
  }
});

test("a limit is one of the whole, not of a page", () => {
  const collection = new Collection();
  collection.put(...sequence(0, 500));
  const window = new Window({ ...QUERY, limit: 30 }, collection.listen, () => {});
  assert.deepEqual([window.rows.length, window.hasMore], [30, false]);
});

test("documents without a field of the order come first, and descending is the other way round", () => {
  const one = { name: "projects/p/databases/d/documents/c/1", fields: { a: { integerValue: "1" } } };
  const two = { name: "projects/p/databases/d/documents/c/2", fields: { a: { integerValue: "2" } } };
  const orders = fullOrders({ where: null, orders: [{ names: ["a"], isDescending: true }] });
  assert.deepEqual([one, two].sort(compareDocuments(orders)), [two, one]);
});
