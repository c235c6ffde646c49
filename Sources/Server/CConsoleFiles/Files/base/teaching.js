import { copyText } from "./dialog.js";
import { h, icon, iconButton } from "./dom.js";
import { instant, language, t } from "./i18n.js";

/** Commands to copy, places that are empty and say how to fill them, and instants relative to now. */

/** Commands or an address, with the button that copies them. */
export function copyable(text, name = text.split("\n", 1)[0]) {
  return h("div.copyable", h("code", { dir: "ltr" }, text), iconButton("copy", t("copy.of", name), () => copyText(text)));
}

/** A place that is empty: a drawing, a sentence, why it is empty, and what fills it. */
export const teaching = (picture, title, text, ...content) => h("section.teaching.panel",
  h("div.teaching-picture", icon(picture)), h("h2", title), h("p.muted", text), content);

const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];

/** The largest unit that an interval in milliseconds has one of, with its number. Pure. */
export function intervalOf(milliseconds) {
  const seconds = Math.abs(milliseconds) / 1_000;
  const [unit, size] = UNITS.find(([, one]) => seconds + 0.5 >= one) ?? UNITS.at(-1);
  return [Math.sign(milliseconds) * Math.round(seconds / size), unit];
}

/** An instant relative to now, such as "3 minutes ago", with the exact one on hover. */
export function ago(time) {
  const date = new Date(time);
  const text = new Intl.RelativeTimeFormat(language.peek(), { numeric: "auto" }).format(...intervalOf(date - Date.now()));
  return h("time", { datetime: date.toISOString(), title: instant(date) }, text);
}

/** A duration in milliseconds as people read it; a dash for none. */
export function durationText(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return "–";
  const [value, unit, digits] = milliseconds < 1_000 ? [milliseconds, "ms", milliseconds < 10 ? 1 : 0] : [milliseconds / 1_000, "s", 1];
  return `${new Intl.NumberFormat(language.peek(), { maximumFractionDigits: digits }).format(value)} ${unit}`;
}

/** Figures side by side: `[name, value, class]`. */
export const figures = (...all) => h("dl.cards", all.map(([name, value, className = ""]) => h("div.panel.card", h("dt", name), h("dd", { class: className }, value))));
