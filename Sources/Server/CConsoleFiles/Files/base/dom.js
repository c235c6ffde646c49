import { isReadOnly } from "./access.js";
import { untracked } from "./signal.js";

/** Making elements. Text is always text: nothing here reads markup. */

const VECTOR = "http://www.w3.org/2000/svg";

/**
 * An element by its tag and classes, as `h("p.note", text)`.
 *
 * Properties may be left out: `on…` are listeners, `class` more classes, `label` the name for screen readers, `data` and `style` objects; a control that
 * `writes` is locked where nothing may be written, so it comes last. What is null, undefined or false is left out,
 * everything else an attribute; those of ARIA say true and false. A form that is sent leaves no page. Children are nodes, texts, numbers, and arrays of them.
 */
export function h(name, ...content) {
  return fill(name, (tag) => document.createElement(tag), content);
}

/** The same for drawings. */
export function svg(name, ...content) {
  return fill(name, (tag) => document.createElementNS(VECTOR, tag), content);
}

function fill(name, make, content) {
  const [tag, ...classes] = name.split(".");
  const element = make(tag);
  element.classList.add(...classes);
  // Only the buttons that say so send a form.
  if (tag === "button") element.type = "button";
  const [properties, ...children] = content[0]?.constructor === Object ? content : [{}, ...content];
  for (const [key, value] of Object.entries(properties)) set(element, key, value);
  append(element, children);
  return element;
}

function set(element, name, value) {
  const isAria = name.startsWith("aria-");
  if (value === null || value === undefined || (value === false && !isAria)) return;
  if (name === "onsubmit") element.addEventListener("submit", (event) => { event.preventDefault(); value(event); });
  else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "class") element.classList.add(...value.split(" ").filter(Boolean));
  else if (name === "label") element.setAttribute(element.matches("option, optgroup") ? name : "aria-label", value);
  else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
  else if (name === "data") Object.assign(element.dataset, value);
  else if (name === "writes") lock(element);
  else if (name === "value") element.value = value;
  else if (name === "checked") element.checked = value;
  else element.setAttribute(name, value === true && !isAria ? "" : String(value));
}

/** Locks a control where nothing may be written; texts can still be read and copied. */
function lock(element) {
  if (!untracked(isReadOnly)) return;
  if (element.matches("textarea, input:not([type=checkbox], [type=radio], [type=file])")) element.readOnly = true;
  else element.disabled = true;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces everything inside an element; who was on a control in there is on the one that took its place, or else nearby. */
export function show(element, ...children) {
  const focused = focusIn(element);
  element.replaceChildren();
  append(element, children);
  if (focused) focusAgain(element, focused);
  return element;
}

const nameOf = (control) => control.getAttribute("aria-label") ?? control.labels?.[0]?.textContent ?? control.textContent;
const sameAs = (element, { control, name }) => [...element.querySelectorAll(control.tagName)].filter((one) => nameOf(one) === name);

/** The control inside an element that has the focus, with which of those of its name it is. */
export function focusIn(element) {
  const control = document.activeElement;
  if (control === null || control === element || !element.contains(control)) return null;
  const focused = { control, name: nameOf(control) };
  return { ...focused, index: sameAs(element, focused).indexOf(control) };
}

/** Brings the focus back that was inside an element, to the next best place if need be. */
export function focusAgain(element, focused) {
  const { control, index } = focused;
  const same = sameAs(element, focused);
  const next = element.contains(control) ? control : same[Math.min(index, same.length - 1)];
  (next && !next.disabled ? next : element.closest("[tabindex], dialog"))?.focus({ preventScroll: true });
}

/** Icons by name, drawn on 16 × 16 with lines. */
const PATHS = {
  data: "M2 4c0-1 3-2 6-2s6 1 6 2-3 2-6 2-6-1-6-2zm0 0v8c0 1 3 2 6 2s6-1 6-2V4M2 8c0 1 3 2 6 2s6-1 6-2",
  indexes: "M2 3h12M2 7h8M2 11h5M12 9v5m-2-2 2 2 2-2",
  rules: "M8 1.5 13.5 4v4c0 3.5-2.5 5.5-5.5 6.5C5 13.5 2.5 11.5 2.5 8V4zM5.5 8l2 2 3-4",
  users: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm-6 6c0-3 3-4 6-4s6 1 6 4",
  overview: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z",
  messages: "M2 3h12v8H7l-3 3v-3H2z",
  analytics: "M2 14h12M4 14V8m4 6V3m4 11V6",
  requests: "M2 5h10M9 2l3 3-3 3M14 11H4m3-3-3 3 3 3",
  operations: "M2 13l3-5 3 3 3-7 3 4",
  settings: "M2 4h7m4 0h1M2 8h2m4 0h6M2 12h6m4 0h2M11 2.5v3M6 6.5v3M10 10.5v3",
  files: "M2 4h4l1.5 2H14v7H2z",
  functions: "M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z",
  hosting: "M1.5 3h13v10h-13zM1.5 6h13M3.5 4.5h.5m1.5 0h.5",
  backups: "M2 3h12v3H2zM3 6v7h10V6M6.5 9h3",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  config: "M3 3h6M3 8h10M3 13h7M11 3h2M12 1.5v3",
  history: "M3 8a5 5 0 1 0 1.5-3.5L3 6M3 3v3h3M8 5v3l2 1.5",
  calendar: "M2.5 3.5h11v10h-11zM2.5 6.5h11M5 2v3M11 2v3",
  expand: "M9.5 2.5h4v4M13.5 2.5l-5 5M6.5 13.5h-4v-4M2.5 13.5l5-5",
  columns: "M2 3h12v10H2zM6 3v10M10 3v10",
  link: "M7 9l2-2M6 7 4 9a2.5 2.5 0 0 0 3.5 3.5l2-2M10 9l2-2A2.5 2.5 0 0 0 8.5 3.5l-2 2",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zm3.5-1.5L14 14",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  trash: "M3 4h10M6 4V2.5h4V4M4.5 4l.5 9.5h6l.5-9.5",
  edit: "M3 13l.5-3L10.5 3 13 5.5 6 12.5z",
  menu: "M2 4h12M2 8h12M2 12h12",
  undo: "M4 6h6a3.5 3.5 0 0 1 0 7H6M4 6l3-3M4 6l3 3",
  reload: "M13 3v4H9M12.5 7A5 5 0 1 0 13 10",
  copy: "M5 5h8v9H5zM3 11V2h8",
  collapse: "M2.5 3h11v10h-11zM6 3v10M11 6l-2 2 2 2",
  chevron: "M6 3l5 5-5 5",
  lock: "M4 7h8v7H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
  down: "M3 6l5 5 5-5",
  up: "M3 10l5-5 5 5",
  warning: "M8 2l6.5 12h-13zM8 6.5v3.5m0 1.5v.5",
  check: "M3 8.5l3 3 7-7",
  pause: "M5 3v10M11 3v10",
  play: "M4 3l9 5-9 5z",
  language: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c-4 4-4 8 0 12 4-4 4-8 0-12",
};

/** An icon for eyes only; the element around it has the name. */
export function icon(name) {
  return svg(
    "svg.icon",
    { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": true },
    svg("path", { d: PATHS[name], fill: "none", stroke: "currentColor", "stroke-width": 1.4, "stroke-linejoin": "round" }),
  );
}

/** A button that only shows an icon, with its name for everybody else. */
export function iconButton(name, label, onclick, properties = {}) {
  return h("button.quiet", { label: label, title: label, onclick, ...properties }, icon(name));
}

let numbers = 0;

/** An id that no other element has. */
export function freshID(prefix) {
  numbers += 1;
  return `${prefix}-${numbers}`;
}
