import { area, button, code, decision, dialog, explain, field, h, input, muted, named, note, number, select, show, t, valuesOf } from "../base/ui.js";
import { diffLines } from "../rules/diff.js";
import { diffView } from "../rules/diffView.js";
import { ACTIONS, applied, TAKES } from "./bulk.js";
import { countDocuments, pathOf } from "./documents.js";
import { changeDocuments } from "./writes.js";
import { JSONTextError, read, write } from "./jsonText.js";
import { pagesOf } from "./pages.js";
import { tellOutcome, withProgress } from "./progress.js";
import { structuredQuery } from "./query.js";
import { typeOf } from "./value.js";

/** Every document of the open query changed or deleted: tried first, watched, ended half-way, undone. */

const PAGE = 300;
const SAMPLES = 5;

/** Asks what becomes of every document of a query, and does it. */
export async function changeAll(where, collection, query) {
  const done = await dialog(t("bulk"), (close) => bulkForm(where, collection, query, close), "wide");
  if (done) tellOutcome(t("bulk.done", done.changed), done.changed, done.failed);
}

function bulkForm(where, collection, query, close) {
  const parent = collection.slice(0, -1);
  const preview = h("div.stack", { role: "status" });
  const controls = {
    kind: select(named("bulk", ACTIONS), "set", { onchange: () => draw() }),
    field: input("", { class: "mono" }), to: input("", { class: "mono" }), value: area("", 2, { placeholder: '"text", 3, 3.0, true, {"$timestamp": "2026-03-01T12:00:00Z"}' }),
  };
  const labels = Object.fromEntries(Object.entries({ kind: "bulk.action", field: "field.name", to: "bulk.to", value: "value" }).map(([name, key]) => [name, field(key, controls[name])]));
  const draw = () => {
    for (const [name, kinds] of Object.entries(TAKES)) labels[name].hidden = !kinds.includes(controls.kind.value);
    show(preview);
  };
  const attempt = async () => {
    try {
      const action = actionOf(controls);
      show(preview, muted(t("loading")));
      const [count, page] = await Promise.all([countDocuments(where, parent, structuredQuery(query)), pagesOf(where, parent, { ...query, limit: Math.min(SAMPLES, query.limit ?? SAMPLES) }, SAMPLES).next()]);
      show(preview, plan(action, count, page.value?.documents ?? [], () => run(action, count)));
    } catch (error) {
      show(preview, h("p.error", { role: "alert" }, error instanceof JSONTextError ? t(error.key) : explain(error)));
    }
  };
  const run = (action, count) => withProgress(form, t("bulk"), count, t("bulk.running"), close,
    (options) => changeDocuments(pagesOf(where, parent, query, PAGE), (document) => applied(action, document.fields ?? {}), options));
  const form = h("div.stack", { oninput: () => show(preview) }, note(t("bulk.text")), Object.values(labels), preview,
    decision(close, h("button", { type: "submit", onclick: attempt }, t("bulk.try"))));
  draw();
  return form;
}

/** The action that was chosen; throws what is wrong with it. */
function actionOf(controls) {
  const { kind, field: name, to, value } = valuesOf(controls);
  if (kind === "delete") return { kind };
  if (name === "" || (kind === "rename" && to === "")) throw new Error(t("bulk.noField"));
  const action = { kind, field: name, to };
  if (TAKES.value.includes(kind)) action.value = read(`{"v":${value}}`).v;
  if (kind === "increment" && !["integer", "double"].includes(typeOf(action.value))) throw new Error(t("value.notNumber"));
  return action;
}

/** How many documents it is about, and what it makes of the first ones. */
function plan(action, count, documents, run) {
  const isDeletion = action.kind === "delete";
  const samples = documents.map(({ name, fields = {} }) => {
    const after = applied(action, fields);
    const lines = after === undefined ? null : diffLines(write(fields), after === null ? "" : write(after));
    return h("div.stack.tight", code(pathOf(name).join("/")),
      lines ? diffView(lines.filter((one) => one.kind !== "same")) : note(t("bulk.same")));
  });
  return [h("p", t("bulk.count", count), " ", h("span.muted", t("bulk.samples", documents.length))), samples,
    count > 0 ? h("div", button(t(isDeletion ? "bulk.runDelete" : "bulk.run", number(count), count), run, { class: isDeletion ? "danger" : "primary", writes: true })) : null];
}
