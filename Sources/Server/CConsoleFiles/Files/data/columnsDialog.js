import { actions, button, checkbox, dialog, h, iconButton, note, show, t } from "../base/ui.js";
import { arranged, moved } from "./columns.js";
import { GLYPHS } from "./value.js";

/** Asks which columns a table has and in which order; gives the arrangement, null where the person left. */
export const columnsDialog = (columns, arrangement) => dialog(t("columns"), (close) => {
  const all = arranged(columns, { ...arrangement, hidden: [] }).slice(1);
  let ids = all.map(({ id }) => id);
  const hidden = new Set(arrangement.hidden);
  const list = h("ul.columns");
  const draw = (focus) => {
    show(list, ids.map((id, at) => {
      const column = all.find((one) => one.id === id);
      const move = (by, name, label) => iconButton(name, t(label, column.label), () => { ids = moved(ids, id, by); draw([id, name]); }, { disabled: at + by < 0 || at + by >= ids.length, data: { move: name } });
      return h("li.spread", { data: { id } },
        h("label.row.grow", checkbox(!hidden.has(id), { onchange: ({ target }) => { if (target.checked) hidden.delete(id); else hidden.add(id); } }),
          h("span.glyph", { "aria-hidden": true }, GLYPHS[column.type]), h("span.why", { dir: "auto" }, column.label)),
        h("span", move(-1, "up", "columns.up"), move(1, "down", "columns.down")));
    }));
    if (!focus) return;
    const row = [...list.children].find((one) => one.dataset.id === focus[0]);
    (row.querySelector(`[data-move="${focus[1]}"]:enabled`) ?? row.querySelector("button:enabled, input"))?.focus();
  };
  draw();
  return [note(t("columns.text")), list, actions(
    button(t("columns.reset"), () => close({ order: [], hidden: [], widths: {} })),
    button(t("cancel"), () => close(null)),
    h("button.primary", { type: "submit", onclick: () => close({ ...arrangement, order: ids, hidden: [...hidden] }) }, t("columns.take")))];
});
