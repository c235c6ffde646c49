import { roleHere, roleTexts } from "../base/access.js";
import { managed, remover } from "../base/managed.js";
import { actions, adder, button, call, copyText, dialog, field, form, group, h, hasService, iconButton, inline, input, instant, listing, named, note, place, primary, select, session, stack, submit, suggestions, t, table, tableOr, tabs } from "../base/ui.js";
import { projects as everyProject } from "../shell/store.js";
import { accountView } from "./account.js";
import { appsView } from "./apps.js";
import { auditView } from "./audit.js";
import { methodsView } from "./methods.js";

/** The settings: a project's apps and keys; the own account; for owners who the administrators are, and what they did. */

const ROLES = ["owner", "editor", "viewer"];
const root = "/console/api/administrators";

export function page() {
  const owners = { "settings.administrators": administratorsView, "settings.audit": auditView };
  const own = session.peek().email ? { "settings.me": accountView } : {};
  // Only an owner of the project may change how people sign in.
  const methods = roleHere() === "owner" && hasService("accounts") ? { "settings.methods": methodsView } : {};
  return tabs("settings", { "settings.apps": appsView, ...methods, ...own, ...(session.peek().role === "owner" ? owners : {}) });
}

function administratorsView() {
  const { rows, load } = managed(root, ({ administrators }, remove, act) => administratorTable(administrators, remove, act), root, (answer) => { links.load(); showKeys(answer); });
  const links = managed(root, ({ invitations }, remove) => (invitations.length === 0 ? null : linkTable(invitations, remove)), "/console/api/invitations");
  const invite = async () => {
    const made = await dialog(t("settings.invite"), inviteForm);
    if (!made) return;
    const address = `${location.origin}/console#invitation=${made.code}`;
    await dialog(t("settings.link"), (close) => linkForm(address, close));
    load();
    links.load();
  };
  return listing("settings.administrators", primary(t("settings.invite"), invite), rows, links.rows);
}

/** Links that nobody has used yet. */
const linkTable = (invitations, remove) => stack(h("h3", t("settings.openLinks")), table(["users.email", "settings.role", "settings.until", "keys.maker", null], invitations.map((one) => [
  one.email ?? t("settings.anybody"), roleTexts(one).map((line) => h("div", { dir: "auto" }, line)), instant(one.end), one.maker ?? t("audit.machine"),
  remover(t("settings.endLink", one.email ?? t("settings.anybody")), "settings.endLinkText", one.id, remove)])));

/** The keys that somebody made who was removed: they go on working. */
function showKeys({ keys = [] } = {}) {
  if (keys.length > 0) dialog(t("settings.keysLeft"), (close) => [note(t("settings.keysLeftText")), h("ul", keys.map((key) => h("li", { dir: "auto" }, key))), actions(submit(t("close"), { onclick: () => close(null) }))]);
}

const administratorTable = (administrators, remove, act) => tableOr("settings.nobody", ["users.email", "settings.role", "settings.factor", "users.lastSignIn", null], administrators.map((one) => [
  [one.email, one.email === session.peek().email ? [" ", h("span.badge", t("settings.you"))] : null],
  rolesView(one, act),
  t(one.hasSecondFactor ? "settings.yes" : "settings.no"), one.lastSignIn ? instant(Number(one.lastSignIn)) : "–",
  remover(t("settings.remove", one.email), "settings.removeText", one.email, remove)]));

/** The roles of somebody, and the button that changes them. */
function rolesView({ email, role, projects }, act) {
  const change = async () => {
    const fields = roleFields({ role, projects });
    const roles = await dialog(t("settings.roleOf", email), (close) => form(close, t("save"), fields.read, fields.elements));
    if (roles) act("PATCH", email, roles);
  };
  return inline(h("div", roleTexts({ role, projects }).map((line) => h("div", { dir: "auto" }, line))), iconButton("edit", t("settings.roleOf", email), change, { writes: true }));
}

const roleChoice = (role, options = []) => select([...options, ...named("role", ROLES)], role);

/** A role for all projects, and others for single ones. */
function roleFields({ role, projects }) {
  const all = roleChoice(role ?? "", [["", t("settings.noRole")]]);
  const known = suggestions(everyProject.peek());
  const rows = stack();
  const add = (project = "", one = "viewer") => {
    const choice = roleChoice(one);
    choice.setAttribute("aria-label", t("settings.role"));
    const row = h("div.row.pair", input(project, { class: "mono", list: known.id, label: t("project") }), choice, iconButton("trash", t("pairs.remove"), () => row.remove()));
    rows.append(row);
  };
  for (const [project, one] of Object.entries(projects)) add(project, one);
  const read = () => {
    const single = [...rows.children].map((row) => [row.querySelector("input").value.trim(), row.querySelector("select").value]).filter(([project]) => project !== "");
    if (!all.value && single.length === 0) throw new Error(t("settings.roleMissing"));
    return { ...(all.value ? { role: all.value } : {}), projects: Object.fromEntries(single) };
  };
  return { read, elements: [field("settings.everywhere", all), known, group(t("settings.single"), rows, adder(t("settings.addProject"), () => add())), note(t("settings.roleText"))] };
}

/** The least is suggested: looking at the project in sight, and at nothing else. */
function inviteForm(close) {
  const email = input("", { type: "email", autofocus: true });
  const roles = roleFields({ role: null, projects: { [place.peek().project]: "viewer" } });
  const invite = () => {
    if (!email.value.trim()) throw new Error(t("settings.emailMissing"));
    return call("POST", root, { email: email.value.trim(), ...roles.read() });
  };
  return form(close, t("settings.invite"), invite, field("users.email", email), roles.elements);
}

function linkForm(address, close) {
  const text = input(address, { class: "mono", readonly: true, label: t("settings.link"), onfocus: () => text.select() });
  const copy = () => copyText(address).catch(() => text.select());
  return [h("p", t("settings.linkText")), text, actions(button(t("copy.of", t("settings.link")), copy), submit(t("close"), { onclick: () => close(null) }))];
}
