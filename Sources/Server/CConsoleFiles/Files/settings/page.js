import { call, path, session } from "../base/api.js";
import { confirm, dialog, explain, toast } from "../base/dialog.js";
import { h, icon, iconButton, show } from "../base/dom.js";
import { instant, t } from "../base/i18n.js";
import { link, place } from "../base/navigation.js";
import { effect, inScope, onCleanup, scope } from "../base/signal.js";
import { appsView } from "./apps.js";

/** The settings: a project's apps and keys; for owners who the administrators are, and what they did. */

const ROLES = ["owner", "editor", "viewer"];
const VIEWS = { apps: appsView, administrators: administratorsView, audit: auditView };
const OPEN = ["apps"];

export function page() {
  const holder = h("div", { class: "stack" });
  const tabs = h("nav", { "aria-label": t("page.settings"), class: "row" });
  const views = session.peek().role === "owner" ? Object.keys(VIEWS) : OPEN;
  let shown = null;
  effect(() => {
    if (place.value.area !== "settings") return;
    const view = views.includes(place.value.rest[0]) ? place.value.rest[0] : "apps";
    show(tabs, views.map((one) => h("a", { class: "button", href: link("settings", [one]), "aria-current": one === view ? "page" : null }, t(`settings.${one}`))));
    shown?.dispose();
    shown = scope(VIEWS[view]);
    show(holder, shown.result);
  });
  onCleanup(() => shown?.dispose());
  return h("div", { class: "body" }, h("h1", {}, t("page.settings")), tabs, holder);
}

const root = "/console/api/administrators";

function administratorsView() {
  const rows = h("div", { class: "scroll" });
  const load = () => call("GET", root).then(({ administrators }) => show(rows, administratorTable(administrators, load)), (error) => show(rows, h("p", { class: "error", role: "alert" }, explain(error))));
  const invite = async () => {
    const made = await dialog(t("settings.invite"), inviteForm);
    if (!made) return;
    const address = `${location.origin}/console#invitation=${made.code}`;
    await dialog(t("settings.link"), (close) => linkForm(address, close));
    load();
  };
  load();
  return h("section", { class: "stack" }, h("div", { class: "spread" }, h("h2", {}, t("settings.administrators")), h("button", { type: "button", class: "primary", onclick: invite }, icon("plus"), t("settings.invite"))), rows);
}

function administratorTable(administrators, reload) {
  if (administrators.length === 0) return h("p", {}, t("settings.nobody"));
  const act = async (work) => {
    try {
      await work();
    } catch (error) {
      toast(explain(error));
    }
    reload();
  };
  const destroy = async ({ email }) => {
    if (await confirm(t("settings.remove", email), t("settings.removeText"), t("settings.remove", email))) act(() => call("DELETE", root + path(email)));
  };
  return h("table", { class: "table" },
    h("thead", {}, h("tr", {}, ["users.email", "settings.role", "settings.factor", "users.lastSignIn"].map((key) => h("th", { scope: "col" }, t(key))), h("td", {}))),
    h("tbody", {}, administrators.map((one) => h("tr", {},
      h("td", { dir: "auto" }, one.email, one.email === session.peek().email ? [" ", h("span", { class: "badge" }, t("settings.you"))] : null),
      h("td", {}, roleChoice(one.role, t("settings.roleOf", one.email), (role) => act(() => call("PATCH", root + path(one.email), { role })))),
      h("td", {}, t(one.hasSecondFactor ? "settings.yes" : "settings.no")), h("td", {}, one.lastSignIn ? instant(Number(one.lastSignIn)) : "–"),
      h("td", {}, iconButton("trash", t("settings.remove", one.email), () => destroy(one)))))));
}

const roleChoice = (role, label, onChoice) => h("select", { "aria-label": label, onchange: (event) => onChoice(event.target.value) }, ROLES.map((one) => h("option", { value: one, selected: one === role }, t(`role.${one}`))));

function inviteForm(close) {
  const email = h("input", { type: "email", autocomplete: "off", autofocus: true });
  const role = roleChoice("editor", t("settings.role"), () => {});
  const problem = h("p", { class: "error", role: "alert" });
  const save = async () => {
    try {
      close(await call("POST", root, { email: email.value.trim(), role: role.value }));
    } catch (error) {
      show(problem, explain(error));
    }
  };
  return [h("label", { class: "field" }, t("users.email"), email), h("label", { class: "field" }, t("settings.role"), role), h("p", { class: "note" }, t("settings.roleText")), problem,
    h("div", { class: "actions" }, h("button", { type: "button", onclick: () => close(null) }, t("cancel")), h("button", { type: "submit", class: "primary", onclick: save }, t("settings.invite")))];
}

function linkForm(address, close) {
  const field = h("input", { type: "text", class: "mono", value: address, readonly: true, "aria-label": t("settings.link"), onfocus: () => field.select() });
  const copy = () => navigator.clipboard.writeText(address).then(() => toast(t("copied")), () => field.select());
  return [h("p", {}, t("settings.linkText")), field, h("div", { class: "actions" }, h("button", { type: "button", onclick: copy }, t("copy.of", t("settings.link"))), h("button", { type: "submit", class: "primary", onclick: () => close(null) }, t("close")))];
}

function auditView() {
  const body = h("tbody", {});
  const more = h("div", {});
  const load = inScope(async (before) => {
    try {
      const { entries } = await call("GET", `/console/api/audit${before ? `?before=${before}` : ""}`);
      body.append(...entries.map(auditRow));
      show(more, entries.length === 100 ? h("button", { type: "button", onclick: () => load(entries.at(-1).number) }, t("users.more")) : null);
    } catch (error) {
      show(more, h("p", { class: "error", role: "alert" }, explain(error)));
    }
  });
  load(null);
  return h("section", { class: "stack" }, h("h2", {}, t("settings.audit")), h("p", { class: "note" }, t("settings.auditText")),
    h("div", { class: "scroll" }, h("table", { class: "table" }, h("thead", {}, h("tr", {}, ["audit.when", "audit.who", "audit.what", "audit.target", "audit.outcome"].map((key) => h("th", { scope: "col" }, t(key))))), body)), more);
}

function auditRow(entry) {
  return h("tr", {}, h("td", {}, instant(entry.time)), h("td", { dir: "auto" }, entry.administrator || t("audit.machine"), entry.address ? h("div", { class: "note" }, entry.address) : null),
    h("td", {}, entry.action), h("td", { class: "mono" }, entry.target), h("td", {}, String(entry.status)));
}
