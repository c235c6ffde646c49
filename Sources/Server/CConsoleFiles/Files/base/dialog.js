import { focusAgain, focusIn, freshID, h } from "./dom.js";
import { isText, t } from "./i18n.js";
import { sentenceOf } from "./reasons.js";
import { onCleanup, scope } from "./signal.js";

/**
 * A dialog over the page. `build` gets what closes it and gives the form's content; the promise has what it was
 * closed with, null where the person left it.
 */
export function dialog(title, build, className = "") {
  return new Promise((resolve) => {
    const id = freshID("dialog");
    const opener = focusIn(document.body);
    let outcome = null;
    const element = h("dialog", { "aria-labelledby": id, class: className });
    const close = (value) => {
      outcome = value;
      element.close();
    };
    const { dispose } = scope(() => {
      element.append(h("form", { method: "dialog", onsubmit: () => {} }, h("h2", { id }, title), build(close)));
    });
    element.addEventListener("close", () => {
      dispose();
      element.remove();
      // What opened it may have been drawn anew meanwhile.
      if (opener && document.activeElement === document.body) focusAgain(document.querySelector("main") ?? document.body, opener);
      resolve(outcome);
    });
    document.body.append(element);
    element.showModal();
  });
}

/** Asks before something is destroyed; the button says what. */
export function confirm(title, text, action) {
  return dialog(title, (close) => [
    h("p", text),
    h("div.actions",
      h("button", { onclick: () => close(false), autofocus: true }, t("cancel")),
      h("button.danger", { type: "submit", onclick: () => close(true) }, action)),
  ]);
}

/** Asks before something is done, does it and says so; gives whether it was. */
export async function confirmed(title, text, act, said, action = title) {
  if (!(await confirm(title, text, action))) return false;
  try {
    await act();
    if (said) toast(said);
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

let region = null;
const TOAST_MILLISECONDS = 8_000;

/** Says something in passing, with an action if there is one. */
export function toast(text, action) {
  region ??= h("div.toasts", { role: "status", "aria-live": "polite" });
  if (!region.isConnected) document.body.append(region);
  const element = h("div.toast", h("span.grow", text));
  const end = () => element.remove();
  if (action) {
    element.append(h("button", { onclick: () => { end(); action.run(); } }, action.label));
  }
  // Three are enough to read.
  while (region.children.length >= 3) region.firstChild.remove();
  region.append(element);
  let timer = setTimeout(end, TOAST_MILLISECONDS);
  element.addEventListener("pointerenter", () => clearTimeout(timer));
  element.addEventListener("focusin", () => clearTimeout(timer));
  element.addEventListener("pointerleave", () => { timer = setTimeout(end, TOAST_MILLISECONDS); });
}

const isMissingIndex = ({ message = "" }) => /create_(composite|exemption)=/.test(message);

/**
 * What went wrong with a call: a sentence in the reader's language by its code, and what the server says beyond that. A missing
 * index is said without the address that it comes with.
 */
export function explain(error) {
  if (isMissingIndex(error)) return t(/currently building/.test(error.message) ? "index.beingBuilt" : "index.needed");
  return sentenceOf(error, (key, ...values) => (isText(key) ? t(key, ...values) : undefined));
}

/** Copies a text and says so. */
export const copyText = async (text) => {
  await navigator.clipboard.writeText(text);
  toast(t("copied"));
};

/** Says in passing what went wrong. */
export const complain = (error) => toast(explain(error));

/** Keeps a listener for as long as the current scope lasts. */
export function listenTo(target, name, act, options) {
  target.addEventListener(name, act, options);
  onCleanup(() => target.removeEventListener(name, act, options));
}
