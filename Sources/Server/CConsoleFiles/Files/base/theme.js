import { keep, kept } from "./memory.js";

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
