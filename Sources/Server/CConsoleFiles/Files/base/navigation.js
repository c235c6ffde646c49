import { format, parse } from "./router.js";
import { signal } from "./signal.js";

/** The place that the browser's address names. */
export const place = signal({ project: "", area: "", rest: [], query: {} });

/** Follows the browser's address. */
export function startNavigation() {
  addEventListener("popstate", read);
  document.addEventListener("click", follow);
  read();
}

function read() {
  const found = parse(location.pathname, location.search);
  if (found.isAlias) history.replaceState(null, "", format(found));
  place.value = found;
}

/** Goes to a place; `replace` leaves no step behind. */
export function go(to, { replace = false } = {}) {
  if (!mayLeave()) return false;
  const address = format(to);
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  read();
  return true;
}

/** The address of a place of the same project. */
export function link(area, rest = [], query = {}) {
  return format({ project: place.value.project, area, rest, query });
}

/** Links inside the console change the view and load nothing. */
function follow(event) {
  const anchor = event.target.closest?.("a[href]");
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!anchor || !isPlain || anchor.target || anchor.hasAttribute("download")) return;
  if (anchor.origin !== location.origin || !anchor.pathname.startsWith("/console")) return;
  event.preventDefault();
  if (!mayLeave()) return;
  history.pushState(null, "", anchor.pathname + anchor.search);
  read();
}

const leaveGuards = new Set();

/** Whether the view may change; asks where something typed would be lost. */
export const mayLeave = () => [...leaveGuards].every((guard) => guard());

/** Has a function asked before the view changes, while something typed is not saved; gives what ends it. */
export function guardLeaving(mayLeave) {
  leaveGuards.add(mayLeave);
  const beforeUnload = (event) => {
    if (!mayLeave(true)) event.preventDefault();
  };
  addEventListener("beforeunload", beforeUnload);
  return () => {
    leaveGuards.delete(mayLeave);
    removeEventListener("beforeunload", beforeUnload);
  };
}
