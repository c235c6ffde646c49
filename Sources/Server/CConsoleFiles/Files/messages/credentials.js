import { roleHere } from "../base/access.js";
import { managed, remover } from "../base/managed.js";
import { call, dialog, field, form, h, input, listing, note, place, primary, projectPath, t, tableOr, toast, valuesOf } from "../base/ui.js";

/** The keys by which a project reaches push services; their secrets never come back. */

export function credentialsView() {
  const root = projectPath(place.peek().project, "pushCredentials");
  const { rows, load } = managed(root, (found, remove) => draw(found, remove));
  const add = async () => {
    if (!(await dialog(t("push.add"), (close) => keyForm(root, close)))) return;
    toast(t("push.added"));
    load();
  };
  return listing("push.apple", roleHere() === "owner" ? primary(t("push.add"), add) : null,
    note(t("push.text")), rows);
}

const draw = ({ apnsKeys, vapidPublicKey }, remove) => [
  tableOr("push.none", ["push.bundle", "push.keyID", "push.teamID", null], apnsKeys.map((key) => [
    key.bundleId || t("push.everyApp"), h("code", key.keyId), h("code", key.teamId),
    roleHere() === "owner" ? remover(t("push.remove", key.keyId), "push.removeText", key.bundleId || "-", remove) : null])),
  h("h2", t("push.web")), note(t("push.webText")), vapidPublicKey ? h("p.mono.why", vapidPublicKey) : h("p", t("push.noVAPID")),
];

function keyForm(root, close) {
  const controls = { keyId: input("", { class: "mono", maxlength: 10 }), teamId: input("", { class: "mono", maxlength: 10 }), bundleId: input("", { class: "mono" }) };
  const key = h("textarea.mono", { rows: 4, spellcheck: "false", autocomplete: "off" });
  const file = h("input", { type: "file", accept: ".p8", onchange: async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    key.value = await chosen.text();
    // Apple names the file by the key.
    controls.keyId.value ||= /^AuthKey_(\w{10})/.exec(chosen.name)?.[1] ?? "";
  } });
  const save = () => call("POST", root, { ...valuesOf(controls), privateKey: key.value });
  return form(close, t("push.add"), save, field("push.file", file), field("push.key", key), field("push.keyID", controls.keyId), field("push.teamID", controls.teamId), field("push.bundle", controls.bundleId), note(t("push.bundleText")));
}
