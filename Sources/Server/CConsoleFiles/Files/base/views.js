import { explain } from "./dialog.js";
import { freshID, h, icon, iconButton, show } from "./dom.js";
import { t } from "./i18n.js";
import { guardLeaving, link, place } from "./navigation.js";
import { effect, inScope, onCleanup, scope } from "./signal.js";

/** Parts that pages share: tables, fields, forms, tabs, and what is asked again while somebody looks. */

/** What went wrong, where screen readers say it. */
export const failure = (error) => show(problemLine(), explain(error));

/** The place for it, empty. */
export const problemLine = () => h("p.error", { role: "alert" });

/** Content one below the other; side by side; with room between; and the buttons at the end of a dialog. */
export const stack = (...content) => h("div.stack", content);
export const inline = (...content) => h("div.row", content);
export const spread = (...content) => h("div.spread", content);
export const actions = (...content) => h("div.actions", content);

/** What explains the rest, small, and what is less important. */
export const note = (...content) => h("p.note", content);
export const muted = (...content) => h("p.muted", content);

/** A part of a page below a heading; controls that belong together, with what they are about. */
export const section = (title, ...content) => h("section.stack", h("h2", title), content);
export const group = (legend, ...content) => h("fieldset.stack", h("legend", legend), content);

/** What there is to read before the rest of a page, with what can be done beside it. */
export const lead = (key, ...controls) => spread(h("p.note.grow", t(key)), controls);

/** Facts by the keys of their names; those without a value are left out. */
export const facts = (...rows) => h("dl.facts", rows.map(([key, value]) => (value ? [h("dt", t(key)), h("dd", { dir: "auto" }, value)] : null)));

/** Something that somebody has to know: `warn`, or `danger`, which screen readers say at once. */
export const notice = (tone, ...content) => h("div.notice", { class: tone, role: tone === "danger" ? "alert" : null }, icon("warning"), h("div.grow", content));

const SIGNS = { ok: "check", warn: "warning", danger: "warning" };

/** A state with its sign: `ok`, `warn` or `danger`. */
export const stateBadge = (tone, text, sign = SIGNS[tone] ?? "history") => h("span.badge", { style: { color: `var(--${tone})` } }, icon(sign), text);

/** A text of a program, which reads in its own direction. */
export const code = (text) => h("code", { dir: "auto" }, text);

/** A part of a page with a list: its heading with what adds to it, and what it is about. */
export const listing = (titleKey, control, ...content) => h("section.stack", spread(h("h2", t(titleKey)), control), content);

/** A part of a page in a box of its own. */
export const boxed = (...content) => h("section.panel.stack", content);

/** A button with a text. */
export const button = (label, onclick, properties) => h("button", { onclick, ...properties }, label);

/** The same without a frame, for what is beside the point. */
export const quiet = (label, onclick, properties) => button(label, onclick, { class: "quiet", ...properties });

/** The button that does what a form is for; and one below a list, which adds to it. */
export const submit = (label, properties) => h("button.primary", { type: "submit", ...properties }, label);
export const adder = (label, onclick, properties) => h("div", button([icon("plus"), label], onclick, properties));

/** The button of what a page is for. */
export const primary = (label, onclick) => h("button.primary", { onclick, writes: true }, icon("plus"), label);

/** The same of a part of the page that is not its first. */
export const secondary = (label, onclick) => h("button", { onclick, writes: true }, icon("plus"), label);

/** The button that takes something away. */
export const bin = (label, onclick, properties = { writes: true }) => iconButton("trash", label, onclick, properties);

/** Nothing yet: what there could be, with the way to it. */
export const blank = (name, text, ...more) => h("div.blank", h("span.drawn", icon(name)), h("p", text), more);

/**
 * A table with the texts of those keys as heads, null for a column of buttons. On narrow screens a row is a block
 * whose cells say what they are.
 */
export function table(keys, rows) {
  const names = keys.map((key) => key && t(key));
  return h("div.scroll.listed", h("table.table", { role: "table" },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, names.map((name) => (name ? h("th", { scope: "col", role: "columnheader" }, name) : h("td", { role: "cell" }))))),
    h("tbody", { role: "rowgroup" }, rows.map((cells) => tableRow(names, cells)))));
}

/** Such a table, or where it has no rows the text of a key, or what there is instead. */
export const tableOr = (none, keys, rows) => (rows.length > 0 ? table(keys, rows) : typeof none === "string" ? h("p", t(none)) : none);

/** One more row of such a table. */
export const tableRow = (names, cells) => h("tr", { role: "row" }, cells.map((cell, index) => h("td", { role: "cell", dir: "auto", data: { label: names[index] ?? "" } }, cell)));

/** A control with the text of a key as its label. */
export const field = (key, control) => h("label.field", t(key), control);

/** A line of text. */
export const input = (value = "", properties = {}) => h("input", { type: "text", value: value ?? "", autocomplete: "off", spellcheck: "false", ...properties });

/** Lines of text of a program. */
export const area = (value, rows, properties) => h("textarea.mono", { rows, spellcheck: "false", value: value ?? "", ...properties });

/** A line in which somebody looks for something. */
export const searchLine = (key, oninput, value) => input(value, { type: "search", label: t(key), placeholder: t(key), oninput });

/** A box to tick. */
export const checkbox = (checked, properties) => h("input", { type: "checkbox", checked, ...properties });

/** What a line of text offers, as the list of that id. */
export const suggestions = (values, id = freshID("list")) => h("datalist", { id }, values.map((value) => h("option", { value })));

/** What somebody typed into a control; where nobody did, the text before, also one that no line can hold as it is, such as one with line ends. */
export function textIn(control, before = "") {
  const untouched = control.cloneNode();
  untouched.value = before;
  return control.value === untouched.value ? before : control.value;
}

/** What is typed into controls, by their names; `before` has texts that no line can hold as they are. */
export const valuesOf = (controls) => Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, control.value.trim()]));
export const textsIn = (controls, before) => Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, textIn(control, before[name])]));

/** A choice of `[value, text]`, or of texts that are their own values. */
export const select = (options, chosen, properties = {}) => h("select", properties, options.map((one) => {
  const [value, text = value] = [one].flat();
  return h("option", { value, selected: value === chosen }, text);
}));

/** Choices whose texts have keys that begin with a prefix. */
export const named = (prefix, values) => values.map((value) => [value, t(`${prefix}.${value}`)]);

/**
 * The inside of a dialog: fields, and the buttons that leave it and do it.
 *
 * `save` gives what the dialog is closed with; undefined keeps it open, and what it throws is shown.
 */
export const form = (close, label, save, ...fields) => inside(close, label, save, fields, true);

/** The same for what is the person's own, and may be done where nothing is written. */
export const ownForm = (close, label, save, ...fields) => inside(close, label, save, fields, false);

function inside(close, label, save, fields, writes) {
  const problem = problemLine();
  const act = async () => {
    try {
      show(problem);
      const outcome = await save();
      if (outcome !== undefined) close(outcome);
    } catch (error) {
      show(problem, explain(error));
    }
  };
  return [fields, problem, decision(close, submit(label, { onclick: act, ...(writes ? { writes } : {}) }))];
}

/** The buttons at the end of a dialog, the first of which leaves it. */
export const decision = (close, ...buttons) => actions(button(t("cancel"), () => close(null)), buttons);

/** The button at the end of a dialog that only shows something. */
export const closing = (close) => actions(button(t("close"), () => close(null)));

/** What is shown while an answer is on its way, then what `draw` makes of it, or what went wrong. */
export function loading(answer, draw) {
  const holder = stack(muted(t("loading")));
  Promise.resolve(answer).then(inScope((value) => show(holder, draw(value)))).catch((error) => show(holder, failure(error)));
  return holder;
}

/**
 * Shows in an element what `make` makes of a key, in a scope of its own, and again whenever `keyOf` gives another one;
 * null leaves it as it is.
 */
export function changing(holder, keyOf, make) {
  let shown = null;
  effect(() => {
    const key = keyOf();
    const text = JSON.stringify(key);
    if (key === null || shown?.text === text) return;
    shown?.dispose();
    shown = { text, ...scope(() => make(key)) };
    show(holder, shown.result);
  });
  onCleanup(() => shown?.dispose());
  return holder;
}

/** The head of a thing's page: the way to all of them, its name, and what can be done with it. The tab is called after it meanwhile. */
export function headOf(way, name, ...controls) {
  // The page's own title has three parts.
  const title = document.title.split(" · ").slice(-3).join(" · ");
  document.title = `${name} · ${title}`;
  onCleanup(() => { document.title = title; });
  return stack(way, spread(h("h1.why", { dir: "auto" }, name), inline(controls)));
}

/** Asks before what was typed into a form is lost; gives what ends that. */
export function guardEdits(form) {
  let release = null;
  const end = () => {
    release?.();
    release = null;
  };
  form.addEventListener("input", () => { release ??= guardLeaving((isSilent) => !isSilent && window.confirm(t("edit.discard"))); });
  onCleanup(end);
  return end;
}

/** A page of views by the keys of their names, as `settings.apps`; the address names one. */
export function tabs(area, views) {
  const holder = stack();
  const bar = h("nav", { label: t(`page.${area}`), class: "view-tabs" });
  const keys = Object.keys(views);
  const nameOf = (key) => key.slice(area.length + 1);
  changing(holder, () => {
    if (place.value.area !== area) return null;
    const [first, ...rest] = place.value.rest;
    return [keys.find((key) => nameOf(key) === first) ?? keys[0], rest, place.value.query];
  }, ([view, rest]) => {
    show(bar, keys.map((key) => h("a.button", { href: link(area, [nameOf(key)]), "aria-current": key === view ? "page" : null }, t(key))));
    // Where the tabs are wider than the page, the chosen one is in sight.
    requestAnimationFrame(() => bar.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "nearest" }));
    return views[view](...rest);
  });
  return h("div.body", h("h1", t(`page.${area}`)), keys.length > 1 ? bar : null, holder);
}

/**
 * Asks now and again after each pause, for as long as the scope lasts and the tab is looked at, and draws the answer
 * where it is another one. Gives a button that pauses, and where it is shown what `load` throws.
 */
export function poll(milliseconds, load, draw) {
  const problem = h("div");
  const state = { isPaused: false, ended: false, isAsking: false, timer: null, text: undefined };
  const redraw = inScope((answer) => {
    const text = JSON.stringify(answer);
    if (text !== state.text) draw(answer);
    state.text = text;
  });
  const ask = inScope(async () => {
    state.isAsking = true;
    try {
      redraw(await load());
      show(problem);
    } catch (error) {
      show(problem, failure(error));
    }
    state.isAsking = false;
    plan();
  });
  const plan = () => {
    clearTimeout(state.timer);
    if (!document.hidden && !state.isPaused && !state.isAsking && !state.ended) state.timer = setTimeout(ask, milliseconds);
  };
  document.addEventListener("visibilitychange", plan);
  onCleanup(() => {
    state.ended = true;
    clearTimeout(state.timer);
    document.removeEventListener("visibilitychange", plan);
  });
  const pause = button([icon("pause"), t("live.pause")], () => {
    state.isPaused = !state.isPaused;
    pause.setAttribute("aria-pressed", String(state.isPaused));
    show(pause, icon(state.isPaused ? "play" : "pause"), t(state.isPaused ? "live.resume" : "live.pause"));
    plan();
  }, { "aria-pressed": false });
  ask();
  return { pause, problem };
}

/** A part that opens, and is open again when it is drawn anew: `opened` keeps the keys of those that are. */
export function foldable(opened, key, summary, ...content) {
  const element = h("details", { open: opened.has(key), ontoggle: () => (element.open ? opened.add(key) : opened.delete(key)) }, h("summary", summary), content);
  return element;
}

/** What is asked again and again, below what there is to read about it and beside the button that pauses. */
export function polled(key, milliseconds, load, draw, ...content) {
  const { pause, problem } = poll(milliseconds, load, draw);
  return stack(lead(key, pause), problem, content);
}

/** Names with texts: rows that are added and removed. */
export function pairs(initial, legend) {
  const rows = stack();
  const add = (name = "", value = "") => {
    const controls = [input(name, { label: t("name") }), input(value, { label: t("value") })];
    const row = h("div.row.pair", controls);
    row.read = () => [textIn(controls[0], name), textIn(controls[1], value)];
    row.append(iconButton("trash", t("pairs.remove"), () => { row.remove(); element.dispatchEvent(new Event("input", { bubbles: true })); }));
    rows.append(row);
  };
  for (const [name, value] of Object.entries(initial)) add(name, value);
  const read = () => Object.fromEntries([...rows.children].map((row) => row.read()).filter(([name]) => name !== ""));
  const element = group(legend, rows, adder(t("pairs.add"), () => add()));
  return { element, read };
}

/** Has the browser keep bytes or a text as a file; it is never opened as a page of this origin. */
export function keepFile(name, content) {
  const address = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
