import { h, listenTo, show } from "../base/ui.js";
import { lineBreak, outdent } from "./indent.js";

/**
 * A text with line numbers, colours and markers.
 *
 * The text is a textarea's, so that undo, input methods, screen readers and touch keyboards work as everywhere; the
 * colours lie under it, of the lines in sight alone. Tab indents and Enter keeps the indentation; Escape, then Tab, leaves.
 */
export function editor({ value, label, highlight, onInput, readonly = false }) {
  const LINE = 20;
  const gutter = h("div.editor-gutter", { "aria-hidden": true });
  const layer = h("pre.editor-layer", { "aria-hidden": true });
  const area = h("textarea.editor-text", { label: label, spellcheck: "false", autocapitalize: "off", wrap: "off", readonly, value });
  const element = h("div.editor", gutter, h("div.editor-pane", layer, area));
  let markers = new Map();
  let mayLeave = false;

  const draw = () => {
    const lines = area.value.split("\n");
    const first = Math.max(0, Math.floor(area.scrollTop / LINE) - 2);
    const last = Math.min(lines.length, first + Math.ceil(area.clientHeight / LINE) + 6);
    let isInComment = false;
    for (let index = 0; index < first; index += 1) isInComment = highlight(lines[index], isInComment).isInComment;
    const shown = [];
    for (let index = first; index < last; index += 1) {
      const line = highlight(lines[index], isInComment);
      isInComment = line.isInComment;
      shown.push(h("div", { class: markers.has(index + 1) ? "marked" : "" }, line.parts.map(({ kind, text }) => h("span", { class: `word-${kind}` }, text)), "\u200b"));
    }
    show(layer, shown);
    layer.style.transform = `translate(${-area.scrollLeft}px, ${first * LINE - area.scrollTop}px)`;
    show(gutter, h("div", { style: { transform: `translateY(${first * LINE - area.scrollTop}px)` } },
      shown.map((_, index) => h("div", { class: markers.has(first + index + 1) ? "marked" : "", title: markers.get(first + index + 1) }, first + index + 1))));
  };

  /** Writes a text where the caret is, as typing does, so that undo takes it back. */
  const type = (event, text, back = 0) => {
    event.preventDefault();
    if (!document.execCommand("insertText", false, text)) {
      area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (back > 0) area.setSelectionRange(area.selectionStart - back, area.selectionStart - back);
  };
  listenTo(area, "input", () => { draw(); onInput?.(area.value); });
  listenTo(area, "scroll", draw, { passive: true });
  listenTo(area, "keydown", (event) => {
    const [before, after] = [area.value.slice(0, area.selectionStart), area.value.slice(area.selectionEnd)];
    const isPlain = !readonly && !event.isComposing && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === "Escape") {
      mayLeave = true;
      return;
    }
    if (event.key === "Tab" && isPlain && !event.shiftKey && !mayLeave) type(event, "  ");
    else if (event.key === "Enter" && isPlain && !event.shiftKey) {
      const { text, back } = lineBreak(before, after);
      type(event, text, back);
    } else if ("})]".includes(event.key) && isPlain && outdent(before) > 0 && area.selectionStart === area.selectionEnd) {
      area.setSelectionRange(area.selectionStart - outdent(before), area.selectionEnd);
      type(event, event.key);
    }
    mayLeave = false;
  });
  new ResizeObserver(draw).observe(area);
  draw();
  return {
    element,
    get value() { return area.value; },
    set value(text) { area.value = text; draw(); },
    /** Marks lines: a map of line number to what is wrong there. */
    mark: (next) => { markers = next; draw(); },
    /** Goes to a line. */
    goTo: (line) => {
      const offset = area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
      area.focus();
      area.setSelectionRange(offset, offset);
      area.scrollTop = Math.max(0, (line - 5) * LINE);
    },
  };
}
