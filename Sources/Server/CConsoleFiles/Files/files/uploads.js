import { actions, button, dialog, explain, guardLeaving, h, iconButton, onCleanup, show, t } from "../base/ui.js";
import { get, nameBeside, upload } from "./store.js";

/** Uploads one after the other, with how far they are; a name that is taken is asked about. */
export function uploads(bucket, onDone) {
  const queue = [];
  const element = h("ul", { class: "stack uploads", "aria-label": t("files.uploads") });
  let isRunning = false;
  let release = null;
  let current = null;
  const add = (found) => {
    for (const { file, name } of found) {
      const one = { file, name, stop: new AbortController(), row: h("li", { class: "panel spread" }) };
      element.append(one.row);
      enqueue(one);
    }
  };
  const enqueue = (one) => {
    show(one.row, rowOf(one));
    queue.push(one);
    if (!isRunning) run();
  };
  const run = async () => {
    isRunning = true;
    release = guardLeaving((isSilent) => !isSilent && window.confirm(t("files.leave")));
    while (queue.length > 0) {
      const one = queue.shift();
      current = one;
      await uploadOne(bucket, one).then(() => one.row.remove(), (error) => fail(one, error, () => enqueue(one)));
      current = null;
      onDone();
    }
    release();
    isRunning = false;
  };
  onCleanup(() => {
    for (const one of [...queue.splice(0), current]) one?.stop.abort();
    release?.();
  });
  return { element, add };
}

function rowOf(one) {
  one.bar = h("progress", { max: one.file.size || 1, value: 0, "aria-label": one.name });
  return [h("span", { class: "grow", dir: "auto" }, one.name), one.bar, iconButton("close", t("files.cancelUpload", one.name), () => { one.stop.abort(); one.row.remove(); })];
}

function fail(one, error, again) {
  if (error.name === "AbortError") return one.row.remove();
  return show(one.row, h("span", { class: "grow error", role: "alert" }, `${one.name}: ${explain(error)}`), button(t("tryAgain"), again), iconButton("close", t("close"), () => one.row.remove()));
}

async function uploadOne(bucket, one, generation = "0") {
  one.stop.signal.throwIfAborted();
  try {
    await upload(bucket, one.name, one.file, { generation, signal: one.stop.signal, progress: (bytes) => { one.bar.value = bytes; } });
  } catch (error) {
    if (error.status !== 412) throw error;
    const answer = await ask(one.name);
    if (answer === "replace") await uploadOne(bucket, one, (await get(bucket, one.name)).generation);
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

function ask(name) {
  return dialog(t("files.taken"), (close) => [
    h("p", { dir: "auto" }, t("files.takenText", name)),
    actions(button(t("cancel"), () => close(null)), button(t("files.keepBoth"), () => close("both")),
      button(t("files.replace"), () => close("replace"), { class: "danger" })),
  ]);
}
