import { codesView, hasPasskeys, makePasskey } from "../base/credentials.js";
import { managed } from "../base/managed.js";
import { bin, boxed, button, call, closing, dialog, field, h, input, instant, muted, note, ownForm, section, session, spread, stack, t, tableOr, toast } from "../base/ui.js";

/** What administrators do with their own accounts: recovery codes and passkeys. What adds a way in takes the password again. */

const root = "/console/api/me";

export function accountView() {
  const passkeys = `${root}/passkeys`;
  const { rows, load } = managed(root, (account, remove) => accountParts(account, remove, load), passkeys);
  return section(t("settings.me"), muted(session.peek().email), rows);
}

function accountParts({ hasSecondFactor, recoveryCodes, passkeys }, remove, load) {
  const renew = async () => {
    const made = await dialog(t("me.newCodes"), newCodesForm);
    if (!made) return;
    await dialog(t("codes.of"), (close) => [codesView(made.codes), closing(close)]);
    load();
  };
  const add = async () => {
    if (!(await dialog(t("me.addPasskey"), passkeyForm))) return;
    toast(t("me.passkeyAdded"));
    load();
  };
  return stack(
    boxed(spread(h("h3", t("codes.of")), hasSecondFactor ? button(t("me.newCodes"), renew) : null),
      h("p", hasSecondFactor ? t("me.codesLeft", recoveryCodes) : t("me.noFactor"))),
    boxed(spread(h("h3", t("me.passkeys")), hasPasskeys() ? button(t("me.addPasskey"), add) : null),
      note(t(hasPasskeys() ? "me.passkeysText" : "me.noPasskeysHere")),
      passkeyTable(passkeys, remove)));
}

const passkeyTable = (passkeys, remove) => tableOr("me.noPasskey", ["name", "me.host", "users.created", "me.lastUsed", null], passkeys.map((one) => [
  one.name, one.host, instant(one.createdAt), one.lastUsedAt ? instant(one.lastUsedAt) : "–", passkeyBin(t("me.removePasskey", one.name), one.id, remove)]));

const passkeyBin = (title, id, remove) => bin(title, () => remove(title, "me.removePasskeyText", id), {});

const passwordInput = () => input("", { type: "password", autocomplete: "current-password", autofocus: true });

function newCodesForm(close) {
  const password = passwordInput();
  return ownForm(close, t("me.newCodes"), () => call("POST", `${root}/recovery-codes`, { password: password.value }), h("p", t("me.newCodesText")), field("users.password", password));
}

function passkeyForm(close) {
  const password = passwordInput();
  const name = input(t("me.thisDevice"), { maxlength: 100 });
  const save = async () => {
    const options = await call("POST", `${root}/passkeys/challenge`, { password: password.value });
    const made = await makePasskey(options, session.peek().email);
    return call("POST", `${root}/passkeys`, { ...made, name: name.value });
  };
  return ownForm(close, t("me.addPasskey"), save, field("name", name), field("users.password", password));
}
