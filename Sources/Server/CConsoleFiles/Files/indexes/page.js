import { command } from "../base/commands.js";
import { adder, bin, blank, button, call, checkbox, code, complain, confirmed, databaseName, dialog, failure, field, form, go, group, h, icon, iconButton, inline, input, instant, muted, named, note, number, onCleanup, path, place, primary, resource, select, show, spread, stack, stateBadge, t, table, toast } from "../base/ui.js";
import { readIndex } from "./link.js";

/** The composite indexes of a database and the fields with indexes of their own: made by form or by the link of an error, with what state they are in. */
export function page() {
  const { project, rest, query } = place.peek();
  const name = databaseName(project, rest[0] ?? "(default)");
  const list = stack();
  const state = { timer: null, ended: false, drawings: 0 };
  onCleanup(() => { state.ended = true; clearTimeout(state.timer); });
  const draw = () => drawList(list, name, draw, state);
  const add = (index, making) => createDialog(name, index, making).then((isMade) => isMade && draw());
  const { create_composite: composite, create_exemption: exemption } = query;
  if (composite ?? exemption) {
    const index = readIndex(composite ?? exemption);
    go({ ...place.peek(), query: {} }, { replace: true });
    if (index) add(index, composite ? make : makeSingle);
    else toast(t("index.badLink"));
  }
  command({ label: () => t("index.create"), keys: "n", writes: true, run: () => add(null) });
  draw();
  return h("div.body",
    spread(h("h1", t("page.indexes")), primary(t("index.create"), () => add(null))),
    muted(t("index.text")), list);
}

const BUILDING_MILLISECONDS = 1_000;

async function drawList(list, name, redraw, state) {
  state.drawings += 1;
  const drawing = state.drawings;
  try {
    const groups = resource(`${name}/collectionGroups/-`);
    const [{ indexes = [] }, { fields = [] }, { operations = [] }] = await Promise.all([
      call("GET", `${groups}/indexes?pageSize=300`), call("GET", `${groups}/fields?pageSize=300`), call("GET", resource(`${name}/operations`))]);
    // Behind the others, which make a database that is only a name so far in development.
    const uses = await call("GET", path("console", "api", ...name.split("/"), "index-uses"));
    // An answer that was overtaken is older than what is shown.
    if (state.ended || drawing !== state.drawings) return;
    show(list, uses.missing.length === 0 ? null : [h("h2", t("index.missing")), note(t("index.missingText")), missingTable(name, uses.missing, redraw)],
      indexes.length === 0 ? blank("indexes", t("index.none")) : [indexTable(indexes, uses.used, redraw), note(t("index.since", instant(uses.since)))],
      fields.length === 0 ? null : [h("h2", t("index.single")), fieldTable(fields, redraw)]);
    clearTimeout(state.timer);
    if (operations.some((one) => !one.done)) state.timer = setTimeout(() => whenSeen(redraw, state), BUILDING_MILLISECONDS);
  } catch (error) {
    if (!state.ended && drawing === state.drawings) show(list, failure(error));
  }
}

/** Does something now, or once somebody looks at the tab. */
function whenSeen(act, state) {
  if (state.ended) return;
  if (document.hidden) document.addEventListener("visibilitychange", () => whenSeen(act, state), { once: true });
  else act();
}

const indexTable = (indexes, used, redraw) => table(["index.collection", "fields", "index.scope", "documents", "state", "index.uses", null], indexes.map((index) => row(index, used, redraw)));

/** What queries asked for and did not find, each with a button that makes it. */
const missingTable = (name, missing, redraw) => table(["index.collection", "fields", "index.scope", "index.asked", null], missing.map((index) => [
  code(index.collection), fieldList(index.fields), t(`index.${index.scope}`), queries(index),
  button(t("index.make"), () => (index.kind === "field" ? makeSingle : make)(name, index).catch(complain).then(redraw), { label: t("index.makeOf", index.collection), writes: true })]));

/** Which documents an index has, as people say it and as the API does, and whether their values are unique. */
const densityView = ({ density = "SPARSE_ALL", unique }) => [h("div", t(`index.${density}`), " ", h("code.muted", density)), unique ? h("span.badge", { title: t("index.uniqueText") }, icon("lock"), t("index.unique")) : null];

/** How many queries there were, and when the last one. */
const queries = (count) => [number(count?.queries ?? 0), count ? [" ", h("span.muted", t("index.last", instant(count.last)))] : null];

const collectionOf = (index) => index.name.split("/")[5];

/** What an index or a field is called below its collection; a field's path may have slashes of its own. */
const ownName = (index) => index.name.split("/").slice(7).join("/");

const addressOf = (index) => `${resource(index.name.split("/", 7).join("/"))}/${encodeURIComponent(ownName(index))}`;

const row = (index, used, redraw) => [h("code", collectionOf(index)), fieldList(index.fields), t(`index.${index.queryScope}`), densityView(index), stateBadge(index.state === "READY" ? "ok" : "warn", t(`index.${index.state}`)),
  queries(used.find((one) => one.index === ownName(index))),
  bin(t("index.drop", collectionOf(index)), () => drop(index, redraw))];

const fieldTable = (fields, redraw) => table(["index.collection", "field.name", "index.modes", null], fields.map((one) => {
  const collection = collectionOf(one);
  const modes = (one.indexConfig?.indexes ?? []).map(({ queryScope, fields: [field] }) => h("li", modeOf(field), " ", h("span.muted", t(`index.${queryScope}`))));
  return [h("code", collection), code(ownName(one)), modes.length === 0 ? muted(t("index.exempt")) : h("ul", modes),
    bin(t("index.drop", collection), () => drop(one, redraw, "PATCH"))];
}));

const modeOf = ({ order, arrayConfig, vectorConfig }) => (vectorConfig ? t("index.vector", vectorConfig.dimension) : t(`index.${order ?? arrayConfig}`));

/** An index's fields in words; the name, which every index ends with, says nothing. */
export const fieldList = (fields) => h("ol", fields.filter((field) => field.fieldPath !== "__name__").map((field) =>
  h("li", h("span.mono", { dir: "auto" }, field.fieldPath), " ", h("span.muted", modeOf(field)))));

/** Deletes an index; patched with nothing, a field has again what it has without indexes of its own. */
async function drop(index, redraw, method = "DELETE") {
  await confirmed(t("index.drop", collectionOf(index)), t("index.dropText"), () => call(method, addressOf(index), method === "PATCH" ? {} : undefined), null, t("delete"));
  redraw();
}

/** Asks for an index; one that a link names is shown in words before it is made. */
const createDialog = (name, index, making) => dialog(t("index.create"), (close) => (index ? fromLink(name, index, close, making) : byForm(name, close)));

async function make(name, index) {
  // The name goes as the last field does, unless it is asked for otherwise.
  const { order = "ASCENDING" } = index.fields.findLast((field) => field.fieldPath !== "__name__") ?? {};
  const fields = index.fields.filter((field) => field.fieldPath !== "__name__" || field.order !== order);
  await call("POST", resource(`${name}/collectionGroups/${index.collection}/indexes`), { queryScope: index.scope, fields, density: index.density, unique: index.unique });
  return true;
}

/** Adds to a field's own indexes, which begin with those that every field has. */
async function makeSingle(name, { collection, scope, fields: [field] }) {
  const address = addressOf({ name: `${name}/collectionGroups/${collection}/fields/${field.fieldPath}` });
  const { indexes = [] } = (await call("GET", address)).indexConfig ?? {};
  await call("PATCH", address, { indexConfig: { indexes: [...indexes, { queryScope: scope, fields: [field] }] } });
  return true;
}

const fromLink = (name, index, close, making) =>
  form(close, t("index.create"), () => making(name, index), h("p", t("index.fromLink", index.collection, t(`index.${index.scope}`))), fieldList(index.fields));

const choice = (values, properties) => select(named("index", values), null, properties);

const DENSITIES = ["SPARSE_ALL", "SPARSE_ANY", "DENSE"];

function byForm(name, close) {
  const collection = input("", { required: true, autofocus: true });
  const scope = choice(["COLLECTION", "COLLECTION_GROUP"]);
  const density = select(DENSITIES.map((one) => [one, `${t(`index.${one}`)} (${one})`]), "SPARSE_ALL");
  const unique = checkbox(false);
  const arrays = h("p.note", { hidden: true, role: "status" }, t("index.arrays"));
  const rows = stack();
  /** Arrays have an entry for each element, which leaves no choice. */
  const draw = () => {
    const hasArray = [...rows.querySelectorAll("select")].some((one) => one.value === "CONTAINS");
    arrays.hidden = !hasArray;
    density.disabled = unique.disabled = hasArray;
  };
  const addRow = () => rows.append(inline(
    input("", { class: "grow", label: t("field.name"), required: true }), choice(["ASCENDING", "DESCENDING", "CONTAINS"], { label: t("index.mode"), onchange: draw }),
    iconButton("trash", t("field.remove", ""), (event) => { event.currentTarget.parentElement.remove(); draw(); })));
  addRow();
  addRow();
  const save = () => {
    const fields = [...rows.children].map((row) => {
      const mode = row.querySelector("select").value;
      return { fieldPath: row.querySelector("input").value.trim(), ...(mode === "CONTAINS" ? { arrayConfig: mode } : { order: mode }) };
    });
    if (!collection.value || fields.some((field) => !field.fieldPath)) throw new Error(t("index.incomplete"));
    return make(name, { collection: collection.value, scope: scope.value, fields, density: density.disabled ? undefined : density.value, unique: (unique.checked && !unique.disabled) || undefined });
  };
  return form(close, t("index.create"), save, field("index.collection", collection), field("index.scope", scope),
    group(t("fields"), rows, adder(t("field.add"), addRow, { class: "quiet" })),
    field("index.density", density), h("label.row", unique, t("index.unique")), note(t("index.uniqueText")), arrays);
}
