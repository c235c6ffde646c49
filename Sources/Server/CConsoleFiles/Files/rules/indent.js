/** How the rules' editor indents. Pure. */

const STEP = "  ";
const OPENING = /[{([]\s*$/;
const CLOSING = /^[ \t]*[})\]]/;

/**
 * What Enter writes between two texts: `{text, back}`, where `back` is how many characters the caret goes back then. A
 * block that is opened is indented by a step; its end that follows at once comes onto a line of its own.
 */
export function lineBreak(before, after) {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const indent = /^[ \t]*/.exec(line)[0];
  const isOpening = OPENING.test(line);
  const inner = `\n${indent}${isOpening ? STEP : ""}`;
  if (!isOpening || !CLOSING.test(after)) return { text: inner, back: 0 };
  const outer = `\n${indent}`;
  return { text: inner + outer, back: outer.length };
}

/** How many characters before the caret go when a block's end is typed there: one step of a line that is only indented. */
export function outdent(before) {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return /^[ \t]+$/.test(line) ? Math.min(STEP.length, line.length) : 0;
}
