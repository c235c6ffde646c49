import { copyable } from "../base/teaching.js";
import { adder, checkbox, decision, dialog, h, iconButton, inline, input, named, note, problemLine, resource, select, show, stack, submit, t } from "../base/ui.js";
import { formOf, OPERATORS, textOf, TYPES } from "./builderModel.js";
import { nameOf } from "./documents.js";
import { fieldText, FilterError, parse } from "./filter.js";
import { fullOrders, structuredQuery } from "./query.js";
import { codeOf, NAMES } from "./queryCode.js";

/** Asks for a query by a form, and shows it as text and code; gives the text that the filter bar then has, null for none. */
export function builder(where, collection, filter, fields) {
  const root = nameOf(where, []);
  const id = collection.at(-1);
  return dialog(t("builder"), (close) => {
    const read = (text) => {
      try {
        return parse(text, root, collection);
      } catch (error) {
        if (!(error instanceof FilterError)) throw error;
        return null;
      }
    };
    const before = formOf(read(filter) ?? read(""));
    const model = before ?? { group: false, isAny: false, rows: [], orders: [], limit: null };
    const [rows, orders, outcome, problem] = [stack(), stack(), stack(), problemLine()];
    const names = h("datalist", { id: "builder-fields" }, ["id", ...fields.map((name) => fieldText([name]))].map((value) => h("option", { value })));
    const forms = { rows: new Set(), orders: new Set() };
    const add = (kind, holder, controls, take) => {
      const line = h("div.row.builder-row", { role: "group", label: t(kind === "rows" ? "builder.condition" : "builder.order") }, controls, iconButton("trash", t("pairs.remove"), () => { line.remove(); forms[kind].delete(take); draw(); }));
      forms[kind].add(take);
      holder.append(line);
      return line;
    };
    const fieldInput = (value) => input(value, { label: t("field.name"), list: "builder-fields", class: "mono" });
    const addRow = ({ field, op, type, text }) => {
      const controls = [fieldInput(field), select(Object.entries(OPERATORS), op, { label: t("builder.operator") }), select(named("type", TYPES), type, { label: t("type") }), input(text, { label: t("value") })];
      return add("rows", rows, controls, () => ({ field: controls[0].value, op: controls[1].value, type: controls[2].value, text: controls[3].value }));
    };
    const addOrder = ({ field, isDescending }) => {
      const controls = [fieldInput(field), select([["", t("builder.ascending")], ["desc", t("builder.descending")]], isDescending ? "desc" : "", { label: t("builder.direction") })];
      return add("orders", orders, controls, () => ({ field: controls[0].value, isDescending: controls[1].value === "desc" }));
    };
    const any = select([["", t("builder.all")], ["any", t("builder.any")]], model.isAny ? "any" : "", { label: t("builder.match") });
    const group = checkbox(model.group);
    const limit = input(model.limit ?? "", { type: "number", min: 1, label: t("builder.limit") });
    const language = select(NAMES, NAMES[0], { label: t("builder.code") });
    const text = () => textOf({ group: group.checked, isAny: any.value === "any", rows: [...forms.rows].map((take) => take()), orders: [...forms.orders].map((take) => take()), limit: limit.value }, id);
    const draw = () => {
      const now = text();
      const query = read(now);
      show(problem, query ? null : t("filter.wrong"));
      const structured = query && structuredQuery({ ...query, collection: id, orders: fullOrders(query) });
      show(outcome, h("code.why", { dir: "ltr" }, now || t("builder.everything")), query ? copyable(codeOf(language.value, query, collection, structured, `${location.origin}${resource(nameOf(where, collection.slice(0, -1)))}`), language.value) : null);
      return query ? now : undefined;
    };
    const save = () => { const now = draw(); if (now !== undefined) close(now); };
    (model.rows.length > 0 ? model.rows : [{ field: "", op: "EQUAL", type: "string", text: "" }]).forEach(addRow);
    model.orders.forEach(addOrder);
    draw();
    const more = (make) => () => { make().querySelector("input").focus(); draw(); };
    return [h("div.stack", { oninput: draw, onchange: draw }, names, before ? null : note(t("builder.tooDeep")),
      inline(t("builder.match"), any), rows, adder(t("builder.addCondition"), more(() => addRow({ field: "", op: "EQUAL", type: "string", text: "" }))),
      orders, adder(t("builder.addOrder"), more(() => addOrder({ field: "", isDescending: false }))),
      inline(h("label.row", t("builder.limit"), limit), h("label.row", group, t("builder.group", id))), inline(t("builder.code"), language), outcome, problem),
    decision(close, submit(t("filter.apply"), { onclick: save }))];
  }, "wide");
}
