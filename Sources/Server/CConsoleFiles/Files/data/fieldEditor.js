import { call, freshID, h, icon, input, instant, link, named, quiet, resource, select, show, t } from "../base/ui.js";
import { pathOf } from "./documents.js";
import { withModule } from "./tools.js";
import { editText, elementsOf, fieldsOf, GLYPHS, initial, parseText, summary, typeOf, TYPES, ValueError } from "./value.js";

/**
 * The tree in which a document's fields are read and edited, each by its type.
 *
 * A row is a name, a value, and nothing else to tab through; F2 or a click on the name opens its options: name, type and
 * removal. What is not touched stays byte for byte as it came. `where` has project and database, whose documents references
 * name by their paths alone. `read()` gives the fields, null while something is no value.
 */
export function fieldEditor(fields, { onChange, where }) {
  const root = new FieldNode(null, { mapValue: { fields } }, 0, where ? `projects/${where.project}/databases/${where.database}/documents/` : "");
  root.isOpen = true;
  root.where = where;
  const element = h("div.fields");
  const changed = () => onChange?.();
  const draw = () => show(element, drawChildren(root, changed, draw));
  draw();
  return {
    element,
    read: () => (root.isValid ? fieldsOf(root.value) : null),
    /** Adds a field and goes to it. */
    add: () => { addTo(root, draw, changed, element); },
    /** Goes to the first value that is none. */
    showProblem: () => { (element.querySelector("[aria-invalid=true]") ?? element.querySelector(".problem:not(:empty)")?.parentElement.querySelector("input, textarea"))?.focus(); },
  };
}

const OPEN_DEPTH = 2;
const OPEN_CHILDREN = 30;
/** A field that grows with its text takes too long beyond this. */
const LONG_TEXT = 5_000;

class FieldNode {
  constructor(name, value, depth, root) {
    this.name = name;
    this.depth = depth;
    this.root = root;
    this.set(value);
  }

  set(value) {
    this.original = value;
    this.type = typeOf(value);
    this.isTouched = false;
    this.problem = null;
    this.children = null;
    if (this.type === "map") this.children = Object.entries(fieldsOf(value)).map(([name, inner]) => this.child(name, inner));
    else if (this.type === "array") this.children = elementsOf(value).map((inner) => this.child(null, inner));
    else this.text = this.#short(editText(value));
    this.isOpen = this.depth <= OPEN_DEPTH && (this.children?.length ?? 0) <= OPEN_CHILDREN;
  }

  child(name, value) {
    return new FieldNode(name, value, this.depth + 1, this.root);
  }

  /** A reference into the same database is its path alone. */
  #short(text) {
    return this.type === "reference" && this.root && text.startsWith(this.root) ? text.slice(this.root.length) : text;
  }

  /** The value that a text means as that type. */
  parse(type, text = this.text) {
    return parseText(type, type === "reference" && this.root && !text.trim().startsWith("projects/") ? this.root + text.trim().replace(/^\//, "") : text);
  }

  /** The fields of a map but for those that were asked for and left as they were. */
  get #filled() {
    return this.children.filter((child) => !child.isNew);
  }

  get value() {
    if (this.type === "map") return { mapValue: { fields: Object.fromEntries(this.#filled.map((child) => [child.name, child.value])) } };
    if (this.type === "array") return { arrayValue: { values: this.children.map((child) => child.value) } };
    return this.isTouched ? this.parse(this.type) : this.original;
  }

  get isValid() {
    if (!this.children) return this.problem === null;
    return this.nameProblem() === null && this.children.every((child) => child.isValid);
  }

  /** What is wrong with the names of a map's fields; null where nothing is. */
  nameProblem() {
    if (this.type !== "map") return null;
    const names = this.#filled.map((child) => child.name);
    if (names.includes("")) return "value.noName";
    return new Set(names).size < names.length ? "value.nameTwice" : null;
  }

  edit(text) {
    this.text = text;
    this.isTouched = true;
    try {
      this.parse(this.type);
      this.problem = null;
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      this.problem = error.key;
    }
  }
}

function drawChildren(node, changed, redraw) {
  const rows = node.children.map((child, index) => drawNode(node, child, index, changed, redraw));
  const problem = h("div.problem.error", { role: "alert" });
  node.showNameProblem = () => show(problem, node.nameProblem() && t(node.nameProblem()));
  node.showNameProblem();
  return [rows, problem];
}

/** One field: its name, its value, below it what the value means, and its options while they are open. */
function drawNode(parent, node, index, changed, redraw) {
  const row = h("div.field-row", { role: "group" });
  const problem = h("div.problem", { role: "status", id: freshID("problem") });
  const hint = h("div.hint.note");
  const options = h("div.options");
  const field = {
    parent, node, row, hint, options,
    label: () => (parent.type === "array" ? `${index}` : node.name) || t("field.new"),
    changed: () => {
      node.isNew = false;
      parent.showNameProblem();
      name();
      changed();
    },
    redraw: (focus = VALUE) => {
      const next = drawNode(parent, node, index, changed, redraw);
      row.replaceWith(next);
      next.querySelector(focus)?.focus();
    },
    remove: () => {
      const next = row.nextElementSibling?.matches(".field-row") ? row.nextElementSibling : row.previousElementSibling;
      parent.children.splice(parent.children.indexOf(node), 1);
      const at = next ? [...next.parentElement.children].indexOf(next) - (next === row.nextElementSibling ? 1 : 0) : -1;
      const holder = row.parentElement;
      changed();
      redraw();
      if (at >= 0) focusValue(holder.children[at]);
    },
    showProblem: (control) => {
      show(problem, node.problem ? t(node.problem) : null);
      if (node.problem) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    },
  };
  const key = h("button.quiet.field-key", { tabindex: "-1", "aria-expanded": false, onclick: () => toggleOptions(field), writes: true });
  const value = h("div.field-value");
  /** Everything that says the field's name. */
  const name = () => {
    row.setAttribute("aria-label", field.label());
    key.setAttribute("aria-label", t("field.options", field.label(), t(`type.${node.type}`)));
    key.title = key.getAttribute("aria-label");
    show(key, h("span.glyph", { "aria-hidden": true }, GLYPHS[node.type]), h("span.name", { dir: "auto" }, field.label()));
    for (const [control, text] of node.labelled ?? []) control.setAttribute("aria-label", t(text, field.label()));
  };
  node.labelled = [];
  value.append(...[node.children ? openControl(field) : valueControl(field)].flat());
  name();
  row.append(key, value, hint, problem, options);
  row.addEventListener("keydown", (event) => {
    if (event.key !== "F2" || event.target.closest(".field-row") !== row || key.disabled) return;
    event.preventDefault();
    toggleOptions(field);
  });
  showHint(field);
  if (node.children && node.isOpen) row.append(inside(node, changed));
  // What is new begins with its name.
  if (node.isNew && !key.disabled) {
    row.classList.add("new");
    row.prepend(options);
    toggleOptions(field);
  }
  return row;
}

const VALUE = ".field-value :is(input, textarea, select, button)";
const focusValue = (row) => row?.querySelector(VALUE)?.focus();

function inside(node, changed) {
  const holder = h("div.wide.fields");
  const redraw = () => show(holder, drawChildren(node, changed, redraw),
    quiet([icon("plus"), t(node.type === "map" ? "field.add" : "element.add")], () => addTo(node, redraw, changed, holder), { writes: true }));
  redraw();
  return holder;
}

function addTo(node, redraw, changed, holder) {
  const added = node.child(node.type === "map" ? "" : null, initial("string"));
  added.isNew = node.type === "map";
  node.children.push(added);
  changed();
  redraw();
  const row = [...holder.children].filter((child) => child.classList.contains("field-row")).at(-1);
  if (added.isNew) row?.querySelector(".options input")?.focus();
  else focusValue(row);
}

// Options

/** Shows or ends a field's name, type, what helps with its value, and the way to remove it. */
function toggleOptions(field) {
  const { options, row } = field;
  const key = row.querySelector(".field-key");
  const isOpen = key.getAttribute("aria-expanded") === "true";
  key.setAttribute("aria-expanded", String(!isOpen));
  const close = () => {
    key.setAttribute("aria-expanded", "false");
    show(options);
    if (row.classList.contains("new")) {
      row.classList.remove("new");
      row.append(options);
    }
    focusValue(row);
  };
  if (isOpen) return close();
  show(options, nameControl(field), typeControl(field), helpers(field),
    quiet([icon("trash"), t("field.remove", field.label())], field.remove, { writes: true }));
  options.onkeydown = (event) => {
    const isDone = event.key === "Escape" || (event.key === "Enter" && event.target.matches("input") && !event.ctrlKey && !event.metaKey);
    if (!isDone) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  if (row.isConnected) options.querySelector("input, select")?.focus();
}

function nameControl({ parent, node, changed }) {
  if (parent.type === "array") return null;
  const name = t("field.name");
  return input(node.name, {
    class: "name", label: name, placeholder: name, writes: true,
    oninput: (event) => {
      node.name = event.target.value;
      changed();
    },
  });
}

function typeControl(field) {
  const { node } = field;
  const choose = (event) => {
    node.set(converted(node, event.target.value));
    node.isOpen = true;
    if (!node.isNew) field.changed();
    field.redraw(node.isNew ? ".options select" : VALUE);
  };
  return select(named("type", TYPES), node.type, { label: t("field.typeOf", field.label()), writes: true, onchange: choose });
}

/** What was typed as a value of another type, where it is one. */
function converted(node, type) {
  if (!node.children && !["map", "array"].includes(type)) {
    try {
      return node.parse(type);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
    }
  }
  return initial(type);
}

/** What helps with a value: the calendar of an instant, the document of a reference. */
function helpers(field, properties = {}) {
  const { node } = field;
  if (node.type === "timestamp") return quiet([icon("calendar"), t("instant.pick")], () => pick(field), { writes: true, ...properties });
  const target = node.type === "reference" && node.problem === null && node.root && node.value.referenceValue.startsWith(node.root) ? node.value.referenceValue : null;
  return target ? h("a", { href: hrefOf(target), ...properties }, t("reference.open")) : null;
}

const hrefOf = (name) => link("firestore", [name.split("/")[3], "data", ...pathOf(name)]);

const pick = withModule(() => import("./datePicker.js"), async ({ pickInstant }, field) => {
  const picked = await pickInstant(field.label(), field.node.text);
  if (picked === null) return;
  field.node.edit(picked);
  field.changed();
  field.redraw();
});

/** Says below a value what it means: an instant in the browser's zone, and a reference's document as soon as somebody is there. */
function showHint(field) {
  const { node, hint } = field;
  if (node.type === "timestamp" && node.problem === null) return show(hint, instant(node.text), " ", helpers(field, { tabindex: "-1", class: "quiet small" }));
  if (node.type !== "reference") return show(hint);
  return show(hint, helpers(field, { tabindex: "-1" }), " ", h("span.preview-line", { role: "status" }));
}

async function previewReference(field) {
  const { node, hint } = field;
  if (node.type !== "reference" || node.problem !== null || !node.root) return;
  const name = node.value.referenceValue;
  if (!name) return;
  const line = hint.querySelector(".preview-line");
  const isCurrent = () => node.problem === null && node.value.referenceValue === name;
  try {
    const { fields = {} } = await call("GET", resource(name));
    if (isCurrent()) show(line, Object.entries(fields).slice(0, 3).map(([one, value]) => `${one}: ${summary(value, 1)}`).join(" · "));
  } catch (error) {
    if (isCurrent()) show(line, error.status === 404 ? t("reference.missing") : null);
  }
}

// Values

const openControl = ({ node, redraw }) => h("button", {
  type: "button", class: "quiet", "aria-expanded": node.isOpen, onclick: () => { node.isOpen = !node.isOpen; redraw(); },
}, icon(node.isOpen ? "down" : "chevron"), t(node.type === "map" ? "map.count" : "array.count", node.children.length));

function valueControl(field) {
  const { node } = field;
  const edit = (text, control) => {
    node.edit(text);
    field.showProblem(control);
    showHint(field);
    field.changed();
  };
  const typed = ({ target }) => edit(target.value, target);
  const labelled = (control, text) => {
    node.labelled.push([control, text]);
    return control;
  };
  const properties = { placeholder: t("value"), spellcheck: "false", autocomplete: "off", value: node.text, oninput: typed, writes: true };
  if (node.type === "null") return h("button.quiet.null", { onclick: () => toggleOptions(field), writes: true }, "null");
  if (node.type === "boolean") return labelled(select([["true", "true"], ["false", "false"]], node.text, { onchange: typed, writes: true }), "field.valueOf");
  if (node.type === "geopoint") return pointControls(field, edit, labelled);
  if (["string", "bytes", "vector"].includes(node.type)) return labelled(h("textarea", { ...properties, rows: rowsOf(node.text), class: node.text.length > LONG_TEXT ? "long" : null }), "field.valueOf");
  const numeric = ["integer", "double"].includes(node.type);
  const watch = node.type === "reference" ? { onfocus: () => previewReference(field), onchange: () => previewReference(field) } : {};
  const keys = node.type === "timestamp" ? { "aria-keyshortcuts": "Alt+ArrowDown", onkeydown: (event) => { if (event.altKey && event.key === "ArrowDown") { event.preventDefault(); pick(field); } } } : {};
  return labelled(h("input.mono", { type: "text", inputmode: numeric ? "decimal" : null, ...properties, ...watch, ...keys }), "field.valueOf");
}

/** A text's lines where the browser does not make a field as high as its text. */
const rowsOf = (text) => (CSS.supports("field-sizing", "content") ? 1 : Math.min(14, text.slice(0, LONG_TEXT).split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 40)), 0)));

/** Latitude and longitude, each a field of its own. */
function pointControls({ node }, edit, labelled) {
  const parts = node.text.split(",").map((part) => part.trim());
  return ["field.latitudeOf", "field.longitudeOf"].map((text, at) => labelled(h("input", {
    type: "text", inputmode: "decimal", class: "mono", autocomplete: "off", value: parts[at] ?? "", writes: true,
    oninput: ({ target }) => {
      parts[at] = target.value;
      edit(parts.join(", "), target);
    },
  }), text));
}
