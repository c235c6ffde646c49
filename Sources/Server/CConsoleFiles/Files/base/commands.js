import { isReadOnly } from "./access.js";
import { h, freshID, show } from "./dom.js";
import { dialog } from "./dialog.js";
import { t } from "./i18n.js";
import { onCleanup, signal } from "./signal.js";
import { checkbox } from "./views.js";
import { keep, kept } from "./memory.js";

/** What can be done here and now: by palette, by keys, and said in the list of keys. */

const commands = new Set();

/** Whether single keys and chords work; letters alone disturb who dictates. */
export const hasKeys = signal(kept("keys") !== "off");

/** Turns single keys on or off, and remembers it. */
export function setKeys(isOn) {
  keep("keys", isOn ? "on" : "off");
  hasKeys.value = isOn;
}

/**
 * Adds a command for as long as the current scope lasts: `{label, keys, run}`; keys such as `g d`. One that `writes` is
 * none where nothing may be written.
 */
export function command(one) {
  commands.add(one);
  onCleanup(() => commands.delete(one));
}

const usable = () => [...commands].filter((one) => !one.writes || !isReadOnly());

let pending = "";
let pendingTimer = null;

/** Follows the keyboard. */
export function startKeyboard() {
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette();
    } else if (!isTyping(event.target) && !document.querySelector("dialog[open]")) press(event);
  });
}

function press(event) {
  const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
  if (isUndo) return run("ctrl+z", event);
  if (event.ctrlKey || event.metaKey || event.altKey || !hasKeys.peek()) return;
  if (event.key === "?") {
    event.preventDefault();
    showKeys();
    return;
  }
  const chord = pending ? `${pending} ${event.key}` : event.key;
  clearTimeout(pendingTimer);
  pending = "";
  if (run(chord, event)) return;
  if (usable().some((one) => one.keys?.startsWith(`${event.key} `))) {
    pending = event.key;
    pendingTimer = setTimeout(() => { pending = ""; }, 1_500);
  }
}

function run(keys, event) {
  const found = usable().reverse().find((one) => one.keys === keys);
  if (!found) return false;
  event.preventDefault();
  found.run();
  return true;
}

const isTyping = (element) => Boolean(element.closest?.("input, textarea, select, [contenteditable]"));

/** Which of the labels have all words of what was typed, the nearest first. Pure. */
export function matching(labels, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (label) => {
    const lower = label.toLowerCase();
    if (!words.every((word) => lower.includes(word))) return Infinity;
    return words.length > 0 ? lower.indexOf(words[0]) : 0;
  };
  return labels
    .map((label, index) => ({ index, rank: rank(label) }))
    .filter((one) => one.rank < Infinity)
    .sort((one, other) => one.rank - other.rank || one.index - other.index)
    .map((one) => one.index);
}

/** Commands that what was typed makes, such as going to a path; set by the shell. */
export const typedCommands = { make: () => [] };

/** Opens the palette. */
export function openPalette() {
  if (document.querySelector("dialog[open]")) return;
  dialog(t("palette.title"), (close) => palette(close), "palette").then((chosen) => chosen?.run());
}

function palette(close) {
  const list = h("ul", { role: "listbox", id: freshID("options"), label: t("palette.title") });
  let shown = [];
  let active = 0;
  const input = h("input", {
    type: "text", role: "combobox", "aria-expanded": true, "aria-controls": list.id, label: t("palette.search"),
    placeholder: t("palette.search"), autocomplete: "off", autofocus: true, oninput: () => { active = 0; draw(); },
    onkeydown: (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        active = Math.max(0, Math.min(shown.length - 1, active + (event.key === "ArrowDown" ? 1 : -1)));
        draw();
      } else if (event.key === "Enter" && shown[active]) {
        event.preventDefault();
        close(shown[active]);
      }
    },
  });
  const draw = () => {
    const all = usable();
    const found = matching(all.map((one) => one.label()), input.value).map((index) => all[index]);
    shown = [...typedCommands.make(input.value.trim()), ...found].slice(0, 50);
    show(list, shown.map((one, index) => h("li", {
      role: "option", id: `${list.id}-${index}`, "aria-selected": index === active, onclick: () => close(one),
    }, h("span.grow", one.label()), one.keys ? keyText(one.keys) : null)));
    input.setAttribute("aria-activedescendant", shown.length > 0 ? `${list.id}-${active}` : "");
    list.children[active]?.scrollIntoView({ block: "nearest" });
  };
  draw();
  return [input, list];
}

const keyText = (keys) => keys.split(" ").map((key) => [h("kbd", key === "ctrl+z" ? "Ctrl Z" : key), " "]);

/** Shows the list of keys. */
export function showKeys() {
  const rows = usable().filter((one) => one.keys);
  dialog(t("keys.title"), (close) => [
    h("table.table", h("tbody",
      h("tr", h("td", h("kbd", "Ctrl K")), h("td", t("palette.title"))),
      rows.map((one) => h("tr", h("td", keyText(one.keys)), h("td", one.label()))))),
    h("label.row",
      checkbox(hasKeys.peek(), { onchange: (event) => setKeys(event.target.checked) }),
      t("keys.single")),
    h("div.actions", h("button", { onclick: () => close(null) }, t("close"))),
  ]);
}
