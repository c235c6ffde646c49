import { roleHere, roleTexts } from "../base/access.js";
import { csv } from "../base/csv.js";
import { bin, managed } from "../base/managed.js";
import { actions, adder, button, call, complain, dialog, failure, field, form, freshID, group, h, iconButton, inline, input, inScope, instant, keepFile, note, onCleanup, primary, section, select, session, show, spread, stack, submit, t, table, tableRow, tabs, toast } from "../base/ui.js";
import { projects as everyProject } from "../shell/store.js";
import { accountView } from "./account.js";
import { appsView } from "./apps.js";
import { methodsView } from "./methods.js";

/** The settings: a project's apps and keys; the own account; for owners who the administrators are, and what they did. */

const ROLES = ["owner", "editor", "viewer"];
const root = "/console/api/administrators";

export function page() {
  const owners = { "settings.administrators": administratorsView, "settings.audit": auditView };
  const own = session.peek().email ? { "settings.me": accountView } : {};
  // Only an owner of the project may change how people sign in.
  const methods = roleHere() === "owner" && session.peek().services.includes("accounts") ? { "settings.methods": methodsView } : {};
  return tabs("settings", { "settings.apps": appsView, ...methods, ...own, ...(session.peek().role === "owner" ? owners : {}) });
}

function administratorsView() {
  const { rows, load } = managed(root, ({ administrators }, remove, act) => (administrators.length === 0 ? h("p", {}, t("settings.nobody")) : administratorTable(administrators, remove, act)), root, (answer) => { links.load(); showKeys(answer); });
  const links = managed(root, ({ invitations }, remove) => (invitations.length === 0 ? null : linkTable(invitations, remove)), "/console/api/invitations");
  const invite = async () => {
    const made = await dialog(t("settings.invite"), inviteForm);
    if (!made) return;
    const address = `${location.origin}/console#invitation=${made.code}`;
    await dialog(t("settings.link"), (close) => linkForm(address, close));
    load();
    links.load();
  };
  return h("section", { class: "stack" }, spread(h("h2", {}, t("settings.administrators")), primary(t("settings.invite"), invite)), rows, links.rows);
}

/** Links that nobody has used yet. */
function linkTable(invitations, remove) {
  return stack(h("h3", {}, t("settings.openLinks")), table(["users.email", "settings.role", "settings.until", "keys.maker", null], invitations.map((one) => [
    one.email ?? t("settings.anybody"), roleTexts(one).map((line) => h("div", { dir: "auto" }, line)), instant(one.end), one.maker ?? t("audit.machine"),
    bin(t("settings.endLink", one.email ?? t("settings.anybody")), "settings.endLinkText", one.id, remove)])));
}

/** The keys that somebody made who was removed: they go on working. */
function showKeys({ keys = [] } = {}) {
  if (keys.length > 0) dialog(t("settings.keysLeft"), (close) => [note(t("settings.keysLeftText")), h("ul", {}, keys.map((key) => h("li", { dir: "auto" }, key))), actions(submit(t("close"), { onclick: () => close(null) }))]);
}

function administratorTable(administrators, remove, act) {
  return table(["users.email", "settings.role", "settings.factor", "users.lastSignIn", null], administrators.map((one) => [
    [one.email, one.email === session.peek().email ? [" ", h("span", { class: "badge" }, t("settings.you"))] : null],
    rolesView(one, act),
    t(one.hasSecondFactor ? "settings.yes" : "settings.no"), one.lastSignIn ? instant(Number(one.lastSignIn)) : "–",
    bin(t("settings.remove", one.email), "settings.removeText", one.email, remove)]));
}

/** The roles of somebody, and the button that changes them. */
function rolesView({ email, role, projects }, act) {
  const change = async () => {
    const fields = roleFields({ role, projects });
    const roles = await dialog(t("settings.roleOf", email), (close) => form(close, t("save"), fields.read, fields.elements));
    if (roles) act("PATCH", email, roles);
  };
  return inline(h("div", {}, roleTexts({ role, projects }).map((line) => h("div", { dir: "auto" }, line))), iconButton("edit", t("settings.roleOf", email), change, { writes: true }));
}

const roleChoice = (role, options = []) => select([...options, ...ROLES.map((one) => [one, t(`role.${one}`)])], role);

/** A role for all projects, and others for single ones. */
function roleFields({ role, projects }) {
  const all = roleChoice(role ?? "", [["", t("settings.noRole")]]);
  const known = h("datalist", { id: freshID("projects") }, everyProject.peek().map((one) => h("option", { value: one })));
  const rows = stack();
  const add = (project = "", one = "viewer") => {
    const choice = roleChoice(one);
    choice.setAttribute("aria-label", t("settings.role"));
    const row = h("div", { class: "row pair" }, input(project, { class: "mono", list: known.id, "aria-label": t("project") }), choice, iconButton("trash", t("pairs.remove"), () => row.remove()));
    rows.append(row);
  };
  for (const [project, one] of Object.entries(projects)) add(project, one);
  const read = () => ({ ...(all.value ? { role: all.value } : {}), projects: Object.fromEntries([...rows.children].map((row) => [row.querySelector("input").value.trim(), row.querySelector("select").value])) });
  return { read, elements: [field("settings.everywhere", all), known, group(t("settings.single"), rows, adder(t("settings.addProject"), () => add())), note(t("settings.roleText"))] };
}

function inviteForm(close) {
  const email = input("", { type: "email", autofocus: true });
  const roles = roleFields({ role: "editor", projects: {} });
  return form(close, t("settings.invite"), () => call("POST", root, { email: email.value.trim(), ...roles.read() }), field("users.email", email), roles.elements);
}

function linkForm(address, close) {
  const text = input(address, { class: "mono", readonly: true, "aria-label": t("settings.link"), onfocus: () => text.select() });
  const copy = () => navigator.clipboard.writeText(address).then(() => toast(t("copied")), () => text.select());
  return [h("p", {}, t("settings.linkText")), text, actions(button(t("copy.of", t("settings.link")), copy), submit(t("close"), { onclick: () => close(null) }))];
}

const AUDIT = ["audit.when", "audit.who", "audit.what", "audit.target", "audit.outcome"];

/** Entries that are read at a time, and the most of such reads that go to a file. */
const [AUDIT_PAGE, AUDIT_PAGES] = [100, 500];

const auditPage = async (before, signal) => (await call("GET", `/console/api/audit${before ? `?before=${before}` : ""}`, undefined, { signal })).entries;

/** Whether somebody, an action or a target has a text in it. Pure. */
export const isAbout = ({ administrator, address, action, target, subjects = [] }, text) => [administrator, address, action, target, ...subjects].join(" ").toLowerCase().includes(text.toLowerCase());

function auditView() {
  const list = table(AUDIT, []);
  const none = h("p", { class: "muted", role: "status" });
  const more = h("div", {});
  const filter = input("", { type: "search", oninput: () => draw() });
  const entries = [];
  const leaving = new AbortController();
  onCleanup(() => leaving.abort());
  const draw = () => {
    const found = entries.filter((entry) => isAbout(entry, filter.value.trim()));
    show(list.querySelector("tbody"), found.map((entry) => tableRow(AUDIT.map((key) => t(key)), auditCells(entry))));
    show(none, entries.length > 0 && found.length === 0 ? t(more.hasChildNodes() ? "audit.noneYet" : "audit.none") : null);
  };
  const load = inScope(async (before) => {
    try {
      const found = await auditPage(before, leaving.signal);
      entries.push(...found);
      show(more, found.length === AUDIT_PAGE ? button(t("users.more"), () => load(found.at(-1).number)) : null);
      draw();
    } catch (error) {
      show(more, failure(error));
    }
  });
  const save = async () => {
    try {
      const { found, isWhole } = await wholeAudit(filter.value.trim(), leaving.signal);
      if (!isWhole) toast(t("audit.cut", AUDIT_PAGE * AUDIT_PAGES));
      keepFile("audit.csv", csv([["number", "time", "administrator", "address", "action", "target", "status", "request", "digest", "subjects"],
        ...found.map((one) => [one.number, new Date(one.time).toISOString(), one.administrator, one.address, one.action, one.target, one.status, one.request, one.digest, one.subjects.join("; ")])]));
    } catch (error) {
      if (!leaving.signal.aborted) complain(error);
    }
  };
  load(null);
  return section(t("settings.audit"), note(t("settings.auditText")), inline(field("audit.filter", filter), button(t("audit.export"), save)), list, none, more);
}

/** The entries about a text, the newest first, and whether they are all: so many reads are made and no more. */
async function wholeAudit(text, signal) {
  const found = [];
  let before = null;
  for (let reads = 0; reads < AUDIT_PAGES; reads += 1) {
    const page = await auditPage(before, signal);
    found.push(...page.filter((entry) => isAbout(entry, text)));
    if (page.length < AUDIT_PAGE) return { found, isWhole: true };
    before = page.at(-1).number;
  }
  return { found, isWhole: false };
}

const auditCells = (entry) => [instant(entry.time), [entry.administrator || t("audit.machine"), entry.address ? h("div", { class: "note" }, entry.address) : null], entry.action, [h("code", {}, entry.target), entry.subjects.map((one) => h("div", { class: "note", dir: "auto" }, one))], String(entry.status)];
