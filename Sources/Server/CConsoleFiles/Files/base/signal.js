/**
 * Values that tell who depends on them when they change.
 *
 * An effect runs at once and again whenever a signal that it read has changed. Effects and cleanups belong to
 * the scope in which they were made, and end with it.
 */

let running = null;
let owner = null;

/** A value; reading it inside an effect subscribes the effect. */
export function signal(initial) {
  let value = initial;
  const readers = new Set();
  return {
    get value() {
      if (running) {
        readers.add(running);
        running.sources.add(readers);
      }
      return value;
    },
    set value(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const reader of [...readers]) reader.run();
    },
    /** The value, without subscribing. */
    peek: () => value,
  };
}

/** Runs a function now and after each change of what it read; gives what ends it. */
export function effect(act) {
  const self = {
    sources: new Set(),
    ended: false,
    run() {
      if (self.ended) return;
      clear(self);
      const before = running;
      running = self;
      try {
        act();
      } finally {
        running = before;
      }
    },
  };
  const stop = () => {
    self.ended = true;
    clear(self);
  };
  onCleanup(stop);
  self.run();
  return stop;
}

function clear(reader) {
  for (const readers of reader.sources) readers.delete(reader);
  reader.sources.clear();
}

/** Runs a function whose effects and cleanups belong together; gives its result and what ends them all. */
export function scope(act) {
  const before = owner;
  const mine = { cleanups: [], ended: false };
  const dispose = () => {
    if (mine.ended) return;
    mine.ended = true;
    for (const cleanup of mine.cleanups.splice(0).reverse()) cleanup();
  };
  owner = mine;
  try {
    return { result: untracked(act), dispose };
  } finally {
    owner = before;
  }
}

/** Has a function run when the current scope ends. */
export function onCleanup(act) {
  owner?.cleanups.push(act);
}

/** Runs a function later as part of the scope that is current now. */
export function inScope(act) {
  const mine = owner;
  return (...values) => {
    if (mine?.ended) return undefined;
    const before = owner;
    owner = mine;
    try {
      return act(...values);
    } finally {
      owner = before;
    }
  };
}

/** Runs a function without subscribing the effect around it. */
export function untracked(act) {
  const before = running;
  running = null;
  try {
    return act();
  } finally {
    running = before;
  }
}
