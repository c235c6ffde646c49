import { inScope, onCleanup } from "./signal.js";

/** Work cut so that the page answers its person meanwhile, however fast things change. */

/** People read no faster than this. */
const PACE_MILLISECONDS = 200;
/** Half a long task, as browsers count them. */
const SLICE_MILLISECONDS = 25;

/** The same work, at most five times a second and in the frame that shows it, with the values of the last call; ends with the scope. */
export function paced(act) {
  let timer = null;
  let last = -Infinity;
  let values = [];
  const run = inScope(() => {
    timer = null;
    last = performance.now();
    act(...values);
  });
  onCleanup(() => clearTimeout(timer));
  return (...next) => {
    values = next;
    timer ??= setTimeout(() => requestAnimationFrame(run), Math.max(0, last + PACE_MILLISECONDS - performance.now()));
  };
}

/** What ends a slice of long work: awaited between its steps, it lets the page go on once the slice is over. */
export function slices() {
  let begin = performance.now();
  return async () => {
    if (performance.now() - begin < SLICE_MILLISECONDS) return;
    await nextTask();
    begin = performance.now();
  };
}

// Timers wait for a second where the tab is hidden; messages do not.
const nextTask = () => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    resolve();
  };
  port2.postMessage(null);
});
