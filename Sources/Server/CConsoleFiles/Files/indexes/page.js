import { command } from "../base/commands.js";
import { adder, call, complain, confirm, databaseName, dialog, failure, field, form, go, group, h, icon, iconButton, inline, input, muted, onCleanup, place, primary, resource, select, show, spread, stack, t, table, toast } from "../base/ui.js";
import { readIndex } from "./link.js";

/** The composite indexes of a database: made by form or by the link of an error, with what state they are in. */
export function page() {
  const { project, rest, query } = place.peek();
  const name = databaseName(project, rest[0] ?? "(default)");
  const list = h("div", {});
  const state = { timer: null, ended: false };
  onCleanup(() => { state.ended = true; clearTimeout(state.timer); });
  const draw = () => drawList(list, name, draw, state);
  const add = (index) => createDialog(name, index).then((isMade) => isMade && draw());
  const parameter = query.create_composite;
  if (parameter) {
    const index = readIndex(parameter);
    go({ ...place.peek(), query: {} }, { replace: true });
    if (index) add(index);
    else toast(t("index.badLink"));
  }
  command({ label: () => t("index.create"), keys: "n", writes: true, run: () => add(null) });
  draw();
  return h("div", { class: "body" },
    spread(h("h1", {}, t("page.indexes")), primary(t("index.create"), () => add(null))),
    muted(t("index.text")), list);
}

const BUILDING_MILLISECONDS = 1_000;

async function drawList(list, name, redraw, state) {
  try {
    const { indexes = [] } = await call("GET", `${resource(`${name}/collectionGroups/-/indexes`)}?pageSize=300`);
    if (state.ended) return;
    show(list, indexes.length === 0 ? h("p", {}, t("index.none")) : indexTable(indexes, redraw));
    clearTimeout(state.timer);
    if (indexes.some((index) => index.state === "CREATING")) state.timer = setTimeout(redraw, BUILDING_MILLISECONDS);
  } catch (error) {
    show(list, failure(error));
  }
}

const indexTable = (indexes, redraw) => table(["index.collection", "fields", "index.scope", "state", null], indexes.map((index) => row(index, redraw)));

const collectionOf = (index) => index.name.split("/")[5];

function row(index, redraw) {
  const badge = index.state === "READY" ? ["ok", "check"] : ["warn", "warning"];
  return [h("code", {}, collectionOf(index)), fieldList(index.fields), t(`index.${index.queryScope}`), h("span", { class: "badge", style: { color: `var(--${badge[0]})` } }, icon(badge[1]), t(`index.${index.state}`)),
    iconButton("trash", t("index.drop", collectionOf(index)), () => drop(index, redraw), { writes: true })];
}

/** An index's fields in words; the name, which every index ends with, says nothing. */
export function fieldList(fields) {
  return h("ol", {}, fields.filter((field) => field.fieldPath !== "__name__").map((field) =>
    h("li", {}, h("span", { class: "mono", dir: "auto" }, field.fieldPath), " ", h("span", { class: "muted" }, t(`index.${field.order ?? field.arrayConfig}`)))));
}

async function drop(index, redraw) {
  if (!(await confirm(t("index.drop", collectionOf(index)), t("index.dropText"), t("delete")))) return;
  try {
    await call("DELETE", resource(index.name));
  } catch (error) {
    complain(error);
  }
  redraw();
}

/** Asks for an index; one that a link names is shown in words before it is made. */
function createDialog(name, index) {
  return dialog(t("index.create"), (close) => (index ? fromLink(name, index, close) : byForm(name, close)));
}

async function make(name, index) {
  const fields = index.fields.filter((field) => field.fieldPath !== "__name__");
  await call("POST", resource(`${name}/collectionGroups/${index.collection}/indexes`), { queryScope: index.scope, fields });
  return true;
}

const fromLink = (name, index, close) =>
  form(close, t("index.create"), () => make(name, index), h("p", {}, t("index.fromLink", index.collection, t(`index.${index.scope}`))), fieldList(index.fields));

const choice = (values, properties) => select(values.map((one) => [one, t(`index.${one}`)]), null, properties);

function byForm(name, close) {
  const collection = input("", { required: true, autofocus: true });
  const scope = choice(["COLLECTION", "COLLECTION_GROUP"]);
  const rows = stack();
  const addRow = () => rows.append(inline(
    input("", { class: "grow", "aria-label": t("field.name"), required: true }), choice(["ASCENDING", "DESCENDING", "CONTAINS"], { "aria-label": t("index.mode") }),
    iconButton("trash", t("field.remove", ""), (event) => event.currentTarget.parentElement.remove())));
  addRow();
  addRow();
  const save = () => {
    const fields = [...rows.children].map((row) => {
      const mode = row.querySelector("select").value;
      return { fieldPath: row.querySelector("input").value.trim(), ...(mode === "CONTAINS" ? { arrayConfig: mode } : { order: mode }) };
    });
    if (!collection.value || fields.some((field) => !field.fieldPath)) throw new Error(t("index.incomplete"));
    return make(name, { collection: collection.value, scope: scope.value, fields });
  };
  return form(close, t("index.create"), save, field("index.collection", collection), field("index.scope", scope),
    group(t("fields"), rows, adder(t("field.add"), addRow, { class: "quiet" })));
}
