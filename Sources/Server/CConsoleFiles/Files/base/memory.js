/** What this browser keeps for the person: choices of how things look, never data or credentials. */

const PREFIX = "brasa.";

/** What was kept under a name; null where nothing was. */
export function kept(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Keeps a text; a browser that keeps nothing forgets it with the tab. */
export function keep(name, text) {
  try {
    localStorage.setItem(PREFIX + name, text);
  } catch {
    // Private windows may refuse; the choice then lasts as long as the page.
  }
}
