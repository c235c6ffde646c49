import { call, session } from "../base/api.js";
import { dialog, toast } from "../base/dialog.js";
import { h, show } from "../base/dom.js";
import { instant, t } from "../base/i18n.js";
import { bin, managed } from "../base/managed.js";
import { inScope } from "../base/signal.js";
import { button, failure, field, form, input, primary, select, table, tableRow, tabs } from "../base/views.js";
import { accountView } from "./account.js";
import { appsView } from "./apps.js";

/** The settings: a project's apps and keys; the own account; for owners who the administrators are, and what they did. */

const ROLES = ["owner", "editor", "viewer"];
const root = "/console/api/administrators";

export function page() {
  const owners = { "settings.administrators": administratorsView, "settings.audit": auditView };
  const own = session.peek().email ? { "settings.me": accountView } : {};
  return tabs("settings", { "settings.apps": appsView, ...own, ...(session.peek().role === "owner" ? owners : {}) });
}

function administratorsView() {
  const { rows, load } = managed(root, ({ administrators }, remove, act) => (administrators.length === 0 ? h("p", {}, t("settings.nobody")) : administratorTable(administrators, remove, act)));
  const invite = async () => {
    const made = await dialog(t("settings.invite"), inviteForm);
    if (!made) return;
    const address = `${location.origin}/console#invitation=${made.code}`;
    await dialog(t("settings.link"), (close) => linkForm(address, close));
    load();
  };
  return h("section", { class: "stack" }, h("div", { class: "spread" }, h("h2", {}, t("settings.administrators")), primary(t("settings.invite"), invite)), rows);
}

function administratorTable(administrators, remove, act) {
  return table(["users.email", "settings.role", "settings.factor", "users.lastSignIn", null], administrators.map((one) => [
    [one.email, one.email === session.peek().email ? [" ", h("span", { class: "badge" }, t("settings.you"))] : null],
    roleChoice(one.role, { "aria-label": t("settings.roleOf", one.email), writes: true, onchange: (event) => act("PATCH", one.email, { role: event.target.value }) }),
    t(one.hasSecondFactor ? "settings.yes" : "settings.no"), one.lastSignIn ? instant(Number(one.lastSignIn)) : "–",
    bin(t("settings.remove", one.email), "settings.removeText", one.email, remove)]));
}

const roleChoice = (role, properties) => select(ROLES.map((one) => [one, t(`role.${one}`)]), role, properties);

function inviteForm(close) {
  const email = input("", { type: "email", autofocus: true });
  const role = roleChoice("editor");
  return form(close, t("settings.invite"), () => call("POST", root, { email: email.value.trim(), role: role.value }), field("users.email", email), field("settings.role", role), h("p", { class: "note" }, t("settings.roleText")));
}

function linkForm(address, close) {
  const text = input(address, { class: "mono", readonly: true, "aria-label": t("settings.link"), onfocus: () => text.select() });
  const copy = () => navigator.clipboard.writeText(address).then(() => toast(t("copied")), () => text.select());
  return [h("p", {}, t("settings.linkText")), text, h("div", { class: "actions" }, button(t("copy.of", t("settings.link")), copy), h("button", { type: "submit", class: "primary", onclick: () => close(null) }, t("close")))];
}

const AUDIT = ["audit.when", "audit.who", "audit.what", "audit.target", "audit.outcome"];

function auditView() {
  const list = table(AUDIT, []);
  const more = h("div", {});
  const load = inScope(async (before) => {
    try {
      const { entries } = await call("GET", `/console/api/audit${before ? `?before=${before}` : ""}`);
      list.querySelector("tbody").append(...entries.map((entry) => tableRow(AUDIT.map((key) => t(key)), auditCells(entry))));
      show(more, entries.length === 100 ? button(t("users.more"), () => load(entries.at(-1).number)) : null);
    } catch (error) {
      show(more, failure(error));
    }
  });
  load(null);
  return h("section", { class: "stack" }, h("h2", {}, t("settings.audit")), h("p", { class: "note" }, t("settings.auditText")), list, more);
}

const auditCells = (entry) => [instant(entry.time), [entry.administrator || t("audit.machine"), entry.address ? h("div", { class: "note" }, entry.address) : null], entry.action, h("code", {}, entry.target), String(entry.status)];
