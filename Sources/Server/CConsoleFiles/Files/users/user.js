import { copyable } from "../base/teaching.js";
import { area, bin, boxed, button, checkbox, confirm, explain, facts, failure, field, go, guardEdits, h, hasService, headOf, icon, input, inScope, link, muted, note, place, problemLine, show, stack, stateBadge, submit, t, textsIn, toast } from "../base/ui.js";
import { dateOf, nameOf, providerName } from "./names.js";
import { changesOf, get, providersOf, remove, update } from "./store.js";

/** One user: who it is, what can be changed, and what ends. */
export function userView(project, uid) {
  const holder = stack(muted(t("loading")));
  const { query } = place.peek();
  const way = h("p", h("a", { href: link("users", [], query) }, t("page.users")));
  const leave = () => go({ project, area: "users", query });
  const load = () => get(project, uid).then(
    inScope((user) => show(holder, user ? content(project, user, way, load, leave) : [way, muted(t("users.notFound"))])),
    inScope((error) => show(holder, way, failure(error))));
  load();
  return holder;
}

function content(project, user, way, load, leave) {
  const problem = problemLine();
  const whileShown = inScope((act) => act());
  const act = async (work, said, next = load) => {
    try {
      show(problem);
      await work();
      release();
      toast(t(said));
      whileShown(next);
    } catch (error) {
      show(problem, explain(error));
    }
  };
  const destroy = async () => {
    if (await confirm(t("users.delete"), t("users.deleteText", nameOf(user)), t("users.deleteIt", nameOf(user)))) act(() => remove(project, user.localId), "users.deleted", leave);
  };
  const revoke = () => act(() => update(project, user.localId, { validSince: String(Math.floor(Date.now() / 1_000)) }), "users.revoked");
  const form = editForm(user, problem, (changes) => act(() => update(project, user.localId, changes), "users.saved"));
  const release = guardEdits(form);
  return [
    headOf(way, nameOf(user), user.disabled ? stateBadge("danger", t("users.disabled"), "lock") : null, button(t("users.revoke"), revoke, { writes: true }), button([icon("trash"), t("users.delete")], destroy, { class: "danger", writes: true })),
    h("div.columns-2", form, stack(
      boxed(facts(["users.uid", copyable(user.localId)], ["users.created", dateOf(user.createdAt)], ["users.lastSignIn", dateOf(user.lastLoginAt)], ["users.validSince", dateOf((user.validSince ?? 0) * 1_000)]),
        hasService("analytics") ? h("div", h("a.button", { href: link("analytics", ["timeline"], { user: user.localId }) }, icon("analytics"), t("users.timeline"))) : null),
      providerList(project, user, act)))];
}

function editForm(user, problem, save) {
  const controls = {
    displayName: input(user.displayName), email: input(user.email, { type: "email" }), phoneNumber: input(user.phoneNumber, { type: "tel" }), photoUrl: input(user.photoUrl, { type: "url" }),
    password: input("", { type: "password", autocomplete: "new-password" }),
  };
  const flags = { emailVerified: checkbox(Boolean(user.emailVerified)), disabled: checkbox(Boolean(user.disabled)) };
  const claims = area(user.customAttributes || "{}", 3);
  const send = () => {
    const typed = textsIn(controls, user);
    const changes = changesOf(user, { ...typed, claims: claims.value.trim() || "{}", emailVerified: flags.emailVerified.checked, disabled: flags.disabled.checked });
    if (Object.keys(changes).length > 0) save(changes);
  };
  const labels = { displayName: "name", email: "users.email", phoneNumber: "users.phone", photoUrl: "users.photo", password: "users.newPassword" };
  return h("form.panel.stack", { onsubmit: send, novalidate: true },
    Object.entries(controls).map(([name, control]) => field(labels[name], control)),
    h("label.row", flags.emailVerified, t("users.verified")), h("label.row", flags.disabled, t("users.disabled")),
    field("users.claims", claims), problem, h("div", submit(t("save"), { writes: true })));
}

/** How a user signs in, each way with the button that takes it away. */
function providerList(project, user, act) {
  const ways = providersOf(user);
  const factors = user.mfaInfo ?? [];
  const drop = (label, changes) => bin(label, () => act(() => update(project, user.localId, changes), "users.saved"));
  return boxed(h("h2", t("users.providers")), ways.length + factors.length === 0 ? note(t("users.noProvider")) : h("ul.stack.tight",
    ways.map((provider) => h("li.spread", providerName(provider), ["password", "phone"].includes(provider) ? null : drop(t("users.unlink", providerName(provider)), { deleteProvider: [provider] }))),
    factors.length > 0 ? h("li.spread", t("users.factors", factors.length), drop(t("users.dropFactors"), { mfa: {} })) : null));
}
