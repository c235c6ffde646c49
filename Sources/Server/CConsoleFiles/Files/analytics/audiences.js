import { adder, bin, blank, confirmed, dialog, failure, field, form, group, h, hasService, iconButton, input, lead, link, loading, named, note, number, primary, select, show, stack, t, tableOr } from "../base/ui.js";
import { CONDITIONS, ruleOf } from "./model.js";
import { putAudience, removeAudience, report, reportOf } from "./store.js";

/** Sets of users who are kept by a rule, and how many they are now. */
export function audiencesView(name) {
  if (name) return loading(reportOf("audiences", name, { limit: 200 }), members);
  const holder = h("div");
  const load = () => report("audiences").then(({ audiences }) => show(holder, audienceTable(audiences, load)), (error) => show(holder, failure(error)));
  const add = async () => (await dialog(t("analytics.addAudience"), audienceForm)) && load();
  load();
  return stack(lead("analytics.audienceText", primary(t("analytics.addAudience"), add)), holder);
}

function audienceTable(audiences, reload) {
  const forget = async (name) => {
    await confirmed(t("analytics.forget", name), t("analytics.forgetText"), () => removeAudience(name));
    reload();
  };
  return tableOr(blank("users", t("analytics.noAudience")), ["name", "analytics.users", "analytics.lastDays", "analytics.rule", null, null], audiences.map(({ name, users, days, rule }) => [
    h("a", { href: link("analytics", ["audiences", name]) }, name), number(users), number(days), h("code", JSON.stringify(rule)), hasService("messaging") ? h("a.button", { href: link("messages", ["compose"], { audience: name }) }, t("analytics.sendTo", name)) : null, bin(t("analytics.forget", name), () => forget(name))]));
}

const members = ({ name, users, appInstanceIds }) => [h("h2", { dir: "auto" }, name), h("p", t("analytics.members", users)), h("ul.stack.tight", appInstanceIds.map((id) => h("li", h("a.mono", { href: link("analytics", ["timeline"], { instance: id }) }, id))))];

function audienceForm(close) {
  const name = input("", { autofocus: true });
  const days = input("28", { type: "number", min: 1, max: 90 });
  const isAny = select([["all", t("analytics.all")], ["any", t("analytics.any")]], "all", { label: t("analytics.together") });
  const rows = stack();
  const add = () => {
    const row = h("div.row.pair", select([["", t("analytics.is")], ["not", t("analytics.isNot")]], "", { label: t("analytics.together") }),
      select(named("condition", CONDITIONS), "event", { label: t("target.condition") }), input("", { label: t("value") }),
      iconButton("trash", t("pairs.remove"), () => rows.children.length > 1 && row.remove()));
    rows.append(row);
  };
  add();
  const save = async () => {
    const conditions = [...rows.children].map((row) => { const [not, kind] = row.querySelectorAll("select"); return { isNot: not.value === "not", kind: kind.value, value: row.querySelector("input").value.trim() }; });
    await putAudience(name.value.trim(), Number(days.value), ruleOf(conditions, isAny.value === "any"));
    return true;
  };
  return form(close, t("save"), save, field("name", name), field("analytics.lastDays", days), group(t("analytics.rule"), isAny, rows, adder(t("analytics.addCondition"), add)), note(t("analytics.ruleText")));
}
