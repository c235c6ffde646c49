import { signal } from "./signal.js";
import { keep, kept } from "./memory.js";

/**
 * Texts, numbers and dates in the person's language.
 *
 * A language's texts are in the folder of its tag: `common` is there from the start, every page loads its own.
 */

/** The languages, each with its name in itself. */
export const languageNames = { en: "English", "pt-BR": "Português" };

/** The language in use. */
export const language = signal("en");

let texts = {};
const catalogues = new Set(["common"]);
const load = async (tag, name) => (await import(`../i18n/${tag}/${name}.js`)).default;

// One after the other: a page's texts are not lost to a language that is chosen meanwhile.
let last = Promise.resolve();
const inTurn = (act) => (last = last.then(act, act));

/** The first of the wanted languages that there is. */
export function choose(wanted) {
  for (const tag of wanted) {
    const lower = tag.toLowerCase();
    if (lower.startsWith("pt")) return "pt-BR";
    if (lower.startsWith("en")) return "en";
  }
  return "en";
}

/** Loads the texts of the language that was chosen, else of the browser's. */
export async function loadLanguage() {
  await use(kept("language") ?? choose(navigator.languages));
}

/** Changes the language and remembers it. */
export async function setLanguage(tag) {
  keep("language", tag);
  await use(tag);
}

const use = (tag) => inTurn(async () => {
  const known = tag in languageNames ? tag : "en";
  texts = Object.assign({}, ...(await Promise.all([...catalogues].map((name) => load(known, name)))));
  document.documentElement.lang = known;
  language.value = known;
});

/** Loads the texts of a page; those that are loaded come along when the language changes. */
export const loadTexts = (name) => inTurn(async () => {
  if (catalogues.has(name)) return;
  Object.assign(texts, await load(language.peek(), name));
  catalogues.add(name);
});

/** The text of a key; functions take the values. */
export function t(key, ...values) {
  const text = texts[key];
  if (text === undefined) return key;
  return typeof text === "function" ? text(...values) : text;
}

/** Whether there is a text of a key. */
export const isText = (key) => Object.hasOwn(texts, key);

/** The text of a code that a key is made of, in its own words where there is none. */
export const textOr = (key, code) => (isText(key) ? t(key) : code);

/** A number as people write it. */
export function number(value) {
  return new Intl.NumberFormat(language.peek()).format(value);
}

/** What writes an instant as a time of the day. */
export const clock = (options) => new Intl.DateTimeFormat(language.peek(), { hour: "2-digit", minute: "2-digit", ...options });

/** An instant in the browser's zone. */
export function instant(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return new Intl.DateTimeFormat(language.peek(), { dateStyle: "medium", timeStyle: "medium" }).format(date);
}

/** A number of bytes as people read it: `1.5 MB`. */
export function sizeText(bytes, format) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  let value = Number(bytes);
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return format(value, units[unit]);
}

/** A number of bytes in the person's language. */
export const bytesText = (bytes) => sizeText(bytes, (value, unit) => new Intl.NumberFormat(language.peek(), { style: "unit", unit, maximumFractionDigits: 1 }).format(value));
