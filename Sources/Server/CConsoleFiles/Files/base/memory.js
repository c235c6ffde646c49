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

/** Light, dark, or as the system has it. */
export const THEMES = ["system", "light", "dark"];

/** The theme that was chosen. */
export const theme = () => kept("theme") ?? "system";

/** Shows the page in the chosen theme. */
export function applyTheme() {
  document.documentElement.dataset.theme = theme();
}

/** Chooses a theme and remembers it. */
export function setTheme(name) {
  keep("theme", name);
  applyTheme();
}
