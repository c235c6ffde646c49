import { actions, button, checkbox, dialog, explain, guardLeaving, h, iconButton, note, number, onCleanup, show, spread, t } from "../base/ui.js";
import { get, nameBeside, upload } from "./store.js";

/** The uploads that are shown one by one; of the others there is their number. */
const SHOWN = 5;

/** Uploads one after the other, in one panel with how far they all are; a name that is taken is asked about. */
export function uploads(bucket, onDone) {
  const queue = [];
  const failed = new Set();
  const list = h("ul.stack.tight", { label: t("files.uploads") });
  const said = h("span.grow");
  const all = h("progress", { max: 1, value: 0, label: t("files.uploads") });
  const waiting = note();
  const element = h("section.panel.stack.tight.uploads", { hidden: true, label: t("files.uploads") },
    spread(h("span.grow", { role: "status" }, said), all, button(t("files.cancelAll"), () => end())), list, waiting);
  const state = { isRunning: false, release: null, current: null, count: 0, done: 0, answer: null };
  const draw = () => {
    element.hidden = !state.isRunning && failed.size === 0;
    show(said, state.isRunning ? t("files.progress", state.done, state.count) : t("files.notUploaded", failed.size));
    all.hidden = !state.isRunning;
    all.value = state.count === 0 ? 0 : state.done / state.count;
    const next = [state.current, ...queue].filter(Boolean);
    list.replaceChildren(...[...failed, ...next.slice(0, SHOWN)].map((one) => one.row));
    show(waiting, next.length > SHOWN ? t("files.more", next.length - SHOWN) : null);
  };
  const add = (found) => {
    if (found.length === 0) return;
    for (const { file, name } of found) enqueue({ file, name, stop: new AbortController(), row: h("li.spread") });
    draw();
    if (!state.isRunning) run();
  };
  const enqueue = (one) => {
    show(one.row, rowOf(one, () => drop(one)));
    queue.push(one);
    state.count += 1;
  };
  /** Takes an upload out, whether it waits or goes on. */
  const drop = (one) => {
    one.stop.abort();
    const at = queue.indexOf(one);
    if (at >= 0) {
      queue.splice(at, 1);
      state.count -= 1;
    }
    draw();
  };
  const end = () => {
    for (const one of queue.splice(0)) one.stop.abort();
    state.current?.stop.abort();
    failed.clear();
    draw();
  };
  const run = async () => {
    state.isRunning = true;
    state.release = guardLeaving((isSilent) => !isSilent && window.confirm(t("files.leave")));
    while (queue.length > 0) {
      const one = queue.shift();
      state.current = one;
      draw();
      await uploadOne(bucket, one, state, queue).catch((error) => fail(one, error));
      state.current = null;
      state.done += 1;
      // The folder is read again now and then, and at the end.
      if (queue.length % SHOWN === 0) onDone();
    }
    state.release();
    Object.assign(state, { isRunning: false, count: 0, done: 0, answer: null });
    draw();
  };
  const fail = (one, error) => {
    if (error.name === "AbortError") return;
    failed.add(one);
    const leave = () => { failed.delete(one); draw(); };
    const again = () => { leave(); add([one]); };
    show(one.row, h("span.grow.error", { role: "alert", dir: "auto" }, `${one.name}: ${explain(error)}`), button(t("tryAgain"), again), iconButton("close", t("close"), leave));
  };
  onCleanup(() => {
    end();
    state.release?.();
  });
  return { element, add };
}

function rowOf(one, cancel) {
  one.bar = h("progress", { max: one.file.size || 1, value: 0, label: one.name });
  return [h("span.grow", { dir: "auto" }, one.name), one.bar, iconButton("close", t("files.cancelUpload", one.name), cancel)];
}

async function uploadOne(bucket, one, state, queue, generation = "0") {
  one.stop.signal.throwIfAborted();
  try {
    await upload(bucket, one.name, one.file, { generation, signal: one.stop.signal, progress: (bytes) => { one.bar.value = bytes; } });
  } catch (error) {
    if (error.status !== 412) throw error;
    const answer = state.answer ?? await ask(one.name, queue.length, state);
    if (answer === "replace") await uploadOne(bucket, one, state, queue, (await get(bucket, one.name)).generation);
    else if (answer === "both") await uploadBeside(bucket, one);
  }
}

async function uploadBeside(bucket, one) {
  for (let number = 2; number < 1_000; number += 1) {
    try {
      await upload(bucket, nameBeside(one.name, number), one.file, { signal: one.stop.signal, progress: (bytes) => { one.bar.value = bytes; } });
      return;
    } catch (error) {
      if (error.status !== 412) throw error;
    }
  }
}

/** Asks what becomes of a name that is taken; the answer may be for all the uploads that wait. */
async function ask(name, others, state) {
  const same = checkbox(false);
  const answer = await dialog(t("files.taken"), (close) => [
    h("p", { dir: "auto" }, t("files.takenText", name)),
    others > 0 ? h("label.row", same, t("files.same", number(others))) : null,
    actions(button(t("files.skip"), () => close("skip")), button(t("files.keepBoth"), () => close("both")),
      button(t("files.replace"), () => close("replace"), { class: "danger" })),
  ]);
  if (same.checked) state.answer = answer ?? "skip";
  return answer;
}
