import { signal } from "./signal.js";
import { keep, kept } from "./memory.js";

/** Texts, numbers and dates in the person's language. */

const LANGUAGES = { en: () => import("../i18n/en.js"), "pt-BR": () => import("../i18n/pt-BR.js") };

/** The languages, each with its name in itself. */
export const languageNames = { en: "English", "pt-BR": "Português" };

/** The language in use. */
export const language = signal("en");

let texts = {};

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

async function use(tag) {
  const known = tag in LANGUAGES ? tag : "en";
  texts = (await LANGUAGES[known]()).default;
  document.documentElement.lang = known;
  language.value = known;
}

/** The text of a key; functions take the values. */
export function t(key, ...values) {
  const text = texts[key];
  if (text === undefined) return key;
  return typeof text === "function" ? text(...values) : text;
}

/** Whether there is a text of that key. */
export function hasText(key) {
  return key in texts;
}

/** A number as people write it. */
export function number(value) {
  return new Intl.NumberFormat(language.peek()).format(value);
}

/** An instant in the browser's zone. */
export function instant(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return new Intl.DateTimeFormat(language.peek(), { dateStyle: "medium", timeStyle: "medium" }).format(date);
}
