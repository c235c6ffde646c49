import { report } from "../analytics/store.js";
import { button, group, h, hasService, icon, iconButton, input, language, named, note, select, show, stack, t } from "../base/ui.js";
import { expressionOf, isWhole, newTerm, OPERATORS, SYSTEMS, termsOf } from "./terms.js";

/** The terms of a condition as rows, beside its text: each follows the other. */

/** What the browser has names for beside the regions of ISO 3166: groups of them, and none. */
const GROUPS = ["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"];

/** The regions that the browser has names for, two letters each. */
function regions() {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  return letters.flatMap((one) => letters.map((other) => one + other)).filter((code) => names.of(code) && new Intl.Locale(`und-${code}`).region === code && !GROUPS.includes(code));
}

/** Languages that apps often have. */
const LANGUAGES = "ar bg bn ca cs da de el en en-GB en-US es es-MX et eu fa fi fr gl he hi hr hu id it ja ka kk ko lt lv ms nb nl pl pt pt-BR pt-PT ro ru sk sl sq sr sv sw ta th tr uk ur uz vi zh zh-Hans zh-Hant".split(" ");

const namesOf = (type, codes) => {
  const names = new Intl.DisplayNames(language.peek(), { type });
  return codes.map((code) => [code, names.of(code)]).sort(([, one], [, other]) => one.localeCompare(other, language.peek()));
};

/** Pills of what was chosen, with a choice that adds another. */
function chips(options, term, changed) {
  const names = new Map(options);
  const holder = h("div.chips");
  const draw = () => show(holder,
    term.values.map((value) => h("span.badge", names.get(value) ?? value, iconButton("close", t("field.remove", names.get(value) ?? value), () => set(term.values.filter((one) => one !== value))))),
    select([["", t("term.add")], ...options.filter(([value]) => !term.values.includes(value))], "", { label: t(`term.${term.kind}`), onchange: ({ target }) => target.value && set([...term.values, target.value]) }));
  const set = (values) => {
    term.values = values;
    draw();
    changed();
  };
  draw();
  return holder;
}

/** A line whose text is a value, or with commas several. */
function line(term, at, changed, properties = {}) {
  const read = (text) => (at === "all" ? text.split(",").map((one) => one.trim()).filter(Boolean) : text.trim());
  return input(at === "all" ? term.values.join(", ") : at === "name" ? term.name : term.values[at] ?? "", { label: t("value"), ...properties, oninput: ({ target }) => {
    if (at === "all") term.values = read(target.value);
    else if (at === "name") term.name = read(target.value);
    else term.values = Object.assign([...term.values], { [at]: read(target.value) });
    changed();
  } });
}

const percentLine = (term, at, changed) => line(term, at, changed, { type: "number", min: 0, max: 100, step: "any" });

/** What a kind of term is asked by. */
const CONTROLS = {
  country: (term, changed) => chips(namesOf("region", regions()), term, changed),
  language: (term, changed) => chips(namesOf("language", LANGUAGES), term, changed),
  platform: (term, changed) => chips(named("system", SYSTEMS), term, changed),
  version: (term, changed) => line(term, "all", changed, { class: "mono", placeholder: "1.2.0" }),
  audience: (term, changed, audiences) => (audiences.length > 0 ? chips(audiences, term, changed) : line(term, "all", changed)),
  percent: (term, changed) => [percentLine(term, 0, changed), term.operator === "between" ? [h("span", t("term.and")), percentLine(term, 1, changed)] : null, h("span", "%")],
  date: (term, changed) => [line(term, 0, changed, { type: "datetime-local", step: 1 }), line(term, "name", changed, { label: t("term.zone"), placeholder: Intl.DateTimeFormat().resolvedOptions().timeZone })],
  custom: (term, changed) => line(term, "all", changed),
  property: (term, changed) => line(term, "all", changed),
};
const NAMED = ["custom", "property"];

/**
 * The rows, which keep a text area's expression. A text that has what no row can show stays as it is, and the rows say
 * so.
 */
export function termRows(expression) {
  const kinds = Object.keys(OPERATORS).filter((kind) => kind !== "audience" || hasService("analytics"));
  const rows = stack();
  const state = { terms: termsOf(expression.value), audiences: [] };
  const write = () => {
    expression.value = expressionOf(state.terms.filter(isWhole));
  };
  const row = (term, index) => {
    const kind = select(named("term", kinds), term.kind, { label: t("term.kind"), onchange: ({ target }) => { state.terms[index] = newTerm(target.value); draw(); write(); } });
    const operator = OPERATORS[term.kind].length > 1 ? select(named("operator", OPERATORS[term.kind]), term.operator, { label: t("term.operator"), onchange: ({ target }) => { term.operator = target.value; draw(); write(); } }) : h("span", t("operator.in"));
    const name = NAMED.includes(term.kind) ? line(term, "name", write, { label: t("name"), placeholder: t("name"), class: "mono" }) : null;
    return h("div.term", { role: "group", label: t(`term.${term.kind}`) }, index > 0 ? h("span.note", t("term.and")) : h("span"), kind, name, operator, h("div.term-value", CONTROLS[term.kind](term, write, state.audiences)),
      iconButton("trash", t("term.remove", t(`term.${term.kind}`)), () => { state.terms.splice(index, 1); draw(); write(); }));
  };
  const add = () => {
    state.terms.push(newTerm("country"));
    draw();
    rows.querySelector(".term:last-of-type select")?.focus();
  };
  const draw = () => show(rows, state.terms === null ? note(t("term.textOnly")) : [state.terms.length === 0 ? note(t("term.everybody")) : state.terms.map(row), h("div", button([icon("plus"), t("term.addTerm")], add))]);
  expression.addEventListener("input", () => { state.terms = termsOf(expression.value); draw(); });
  if (state.terms?.length === 0 && expression.value === "") state.terms = [newTerm("country")];
  draw();
  if (kinds.includes("audience")) report("audiences").then(({ audiences }) => { state.audiences = audiences.map((one) => one.name); if (state.terms?.some((one) => one.kind === "audience")) draw(); }, () => {});
  return group(t("term.all"), rows);
}
