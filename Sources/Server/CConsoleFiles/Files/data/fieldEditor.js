import { button, h, icon, iconButton, input, show, t } from "../base/ui.js";
import { editText, elementsOf, fieldsOf, initial, parseText, typeOf, TYPES, ValueError } from "./value.js";

/**
 * The tree in which a document's fields are edited, each by its type.
 *
 * What is not touched stays byte for byte as it came. `read()` gives the fields, null while something is no value.
 */
export function fieldEditor(fields, { onChange }) {
  const root = new FieldNode(null, { mapValue: { fields } });
  root.isOpen = true;
  const element = h("div", { class: "fields" });
  const changed = () => onChange?.();
  const draw = () => show(element, drawChildren(root, changed, draw));
  draw();
  return {
    element,
    read: () => (root.isValid ? fieldsOf(root.value) : null),
    /** Adds a field and goes to it. */
    add: () => { addTo(root, draw, changed, element); },
  };
}

const OPEN_DEPTH = 2;
const OPEN_CHILDREN = 30;
/** A field that grows with its text takes too long beyond this. */
const LONG_TEXT = 5_000;

class FieldNode {
  constructor(name, value, depth = 0) {
    this.name = name;
    this.depth = depth;
    this.set(value);
  }

  set(value) {
    this.original = value;
    this.type = typeOf(value);
    this.isTouched = false;
    this.problem = null;
    this.children = null;
    if (this.type === "map") this.children = Object.entries(fieldsOf(value)).map(([name, inner]) => new FieldNode(name, inner, this.depth + 1));
    else if (this.type === "array") this.children = elementsOf(value).map((inner) => new FieldNode(null, inner, this.depth + 1));
    else this.text = editText(value);
    this.isOpen = this.depth <= OPEN_DEPTH && (this.children?.length ?? 0) <= OPEN_CHILDREN;
  }

  /** The fields of a map but for those that were asked for and left as they were. */
  get #filled() {
    return this.children.filter((child) => !child.isNew);
  }

  get value() {
    if (this.type === "map") return { mapValue: { fields: Object.fromEntries(this.#filled.map((child) => [child.name, child.value])) } };
    if (this.type === "array") return { arrayValue: { values: this.children.map((child) => child.value) } };
    return this.isTouched ? parseText(this.type, this.text) : this.original;
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
      parseText(this.type, text);
      this.problem = null;
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      this.problem = error.key;
    }
  }
}

function drawChildren(node, changed, redraw) {
  const rows = node.children.map((child, index) => drawNode(node, child, index, changed, redraw));
  const problem = h("div", { class: "problem error", role: "alert" });
  node.showNameProblem = () => show(problem, node.nameProblem() && t(node.nameProblem()));
  node.showNameProblem();
  return [rows, problem];
}

function drawNode(parent, node, index, changed, redraw) {
  const problem = h("div", { class: "problem" });
  const label = parent.type === "array" ? `${index}` : node.name;
  const row = h("div", { class: "field-row", role: "group", "aria-label": label || t("field.new") });
  const edited = () => {
    node.isNew = false;
    parent.showNameProblem();
    changed();
  };
  const showProblem = (control) => {
    show(problem, node.problem ? t(node.problem) : null);
    if (node.problem) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  };
  row.append(
    nameControl(parent, node, index, edited),
    typeControl(node, label, edited, () => row.replaceWith(drawNode(parent, node, index, changed, redraw))),
    node.children ? openControl(node, () => row.replaceWith(drawNode(parent, node, index, changed, redraw))) : valueControl(node, label, edited, showProblem),
    iconButton("trash", t("field.remove", label), () => {
      parent.children.splice(parent.children.indexOf(node), 1);
      changed();
      redraw();
    }, { writes: true }),
    problem);
  if (node.children && node.isOpen) row.append(inside(node, changed));
  return row;
}

function inside(node, changed) {
  const holder = h("div", { class: "wide fields" });
  const redraw = () => show(holder, drawChildren(node, changed, redraw),
    button([icon("plus"), t(node.type === "map" ? "field.add" : "element.add")], () => addTo(node, redraw, changed, holder), { class: "quiet", writes: true }));
  redraw();
  return holder;
}

function addTo(node, redraw, changed, holder) {
  const added = new FieldNode(node.type === "map" ? "" : null, initial("string"), node.depth + 1);
  added.isNew = node.type === "map";
  node.children.push(added);
  changed();
  redraw();
  const rows = [...holder.children].filter((child) => child.classList.contains("field-row"));
  rows.at(-1)?.querySelector("input, textarea, select")?.focus();
}

function nameControl(parent, node, index, changed) {
  if (parent.type === "array") return h("span", { class: "index", "aria-hidden": "true" }, index);
  const name = t("field.name");
  return input(node.name, {
    class: "name", "aria-label": name, placeholder: name, autofocus: node.isNew, writes: true,
    oninput: (event) => {
      node.name = event.target.value;
      changed();
    },
  });
}

function typeControl(node, label, changed, redraw) {
  return h("select", {
    "aria-label": t("field.typeOf", label), writes: true,
    onchange: (event) => {
      node.set(converted(node, event.target.value));
      node.isOpen = true;
      changed();
      redraw();
    },
  }, TYPES.map((type) => h("option", { value: type, selected: type === node.type }, t(`type.${type}`))));
}

/** What was typed as a value of another type, where it is one. */
function converted(node, type) {
  if (!node.children && !["map", "array"].includes(type)) {
    try {
      return parseText(type, node.text);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
    }
  }
  return initial(type);
}

function openControl(node, redraw) {
  return h("button", {
    type: "button", class: "quiet", "aria-expanded": String(node.isOpen), onclick: () => { node.isOpen = !node.isOpen; redraw(); },
  }, icon(node.isOpen ? "down" : "chevron"), t(node.type === "map" ? "map.count" : "array.count", node.children.length));
}

function valueControl(node, label, changed, showProblem) {
  const edit = (event) => {
    node.edit(event.target.value);
    showProblem(event.target);
    changed();
  };
  const properties = { "aria-label": t("field.valueOf", label), placeholder: t("value"), spellcheck: "false", autocomplete: "off", value: node.text, oninput: edit, writes: true };
  if (node.type === "null") return h("span", { class: "muted" }, "null");
  if (node.type === "boolean") return booleanControl(node, properties, edit);
  if (["string", "bytes", "vector"].includes(node.type)) return h("textarea", { ...properties, rows: 1, class: node.text.length > LONG_TEXT ? "long" : null });
  const numeric = ["integer", "double"].includes(node.type);
  return h("input", { type: "text", inputmode: numeric ? "decimal" : null, class: "mono", ...properties });
}

function booleanControl(node, properties, edit) {
  return h("select", { "aria-label": properties["aria-label"], onchange: edit, writes: true },
    ["true", "false"].map((text) => h("option", { value: text, selected: text === node.text }, text)));
}
