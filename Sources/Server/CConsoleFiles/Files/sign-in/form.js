import { codesView, hasPasskeys, usePasskey } from "../base/credentials.js";
import { post } from "../base/request.js";
import { boxed, button, explain, field, h, inline, note, problemLine, show, stack, submit, svg, t } from "../base/ui.js";
import { qrCode } from "./qr.js";

/** Signing in: by a passkey, or address and password and then the code of the second factor where there is one; `done` follows. */
export function signInForm(done, known = "") {
  const body = stack();
  const problem = problemLine();
  const first = () => firstStep(known, (answer) => (answer?.pending ? show(body, secondStep(answer, done, problem, restart), problem) : done()), problem);
  const restart = (text) => {
    show(body, first(), problem);
    show(problem, text);
  };
  show(body, first(), problem);
  return body;
}

/** A form whose button waits for the answer. */
function step(fields, action, send, problem, onFailure = (error) => show(problem, explain(error)), more = null) {
  const submitButton = submit(action);
  const onsubmit = async (event) => {
    event.preventDefault();
    event.stopPropagation();
    submitButton.disabled = true;
    show(problem);
    try {
      await send();
    } catch (error) {
      onFailure(error);
    }
    submitButton.disabled = false;
  };
  return h("form.stack", { onsubmit }, fields, inline(submitButton, more));
}

function firstStep(known, next, problem) {
  const email = h("input", { type: "email", name: "email", autocomplete: "username", required: true, value: known, autofocus: !known });
  const password = h("input", { type: "password", name: "password", autocomplete: "current-password", required: true, autofocus: Boolean(known) });
  // Where others have tried too many passwords, both factors at once still count.
  const code = codeInput({ inputmode: "text", maxlength: 24 });
  const both = stack(note(t("signIn.both")), field("signIn.code", code));
  both.hidden = true;
  const fields = [field("users.email", email), field("users.password", password), both];
  const onFailure = (error) => {
    show(problem, error.status === 401 ? t(both.hidden ? "signIn.wrong" : "signIn.wrongBoth") : explain(error));
    if (error.status === 429) both.hidden = false;
  };
  const submit = async () => {
    const typed = both.hidden ? "" : code.value.replace(/\s/g, "");
    next(await post("/console/session/sign-in", { email: email.value, password: password.value, ...(typed ? { code: typed } : {}) }));
  };
  return step(fields, t("signIn"), submit, problem, onFailure, hasPasskeys() ? passkeyButton(next, problem) : null);
}

const passkeyButton = (next, problem) => button(t("signIn.passkey"), async () => {
  try {
    show(problem);
    await post("/console/session/passkey", await usePasskey(await post("/console/session/challenge", {})));
    next();
  } catch (error) {
    show(problem, error.status === 401 ? t("signIn.wrongPasskey") : explain(error));
  }
});

function secondStep({ pending, factor }, done, problem, restart) {
  const code = codeInput({ inputmode: "text", maxlength: 24 });
  const submit = async () => {
    await post("/console/session/factor", { pending, factor, code: code.value.replace(/\s/g, "") });
    done();
  };
  const onFailure = (error) => {
    // The first factor is good for some codes; then it has to be given again.
    if (error.status === 401) show(problem, t("signIn.wrongCode"));
    else restart(explain(error));
  };
  queueMicrotask(() => code.focus());
  return step([field("signIn.code", code), note(t("signIn.recovery"))], t("signIn"), submit, problem, onFailure);
}

/** A field for the six digits of an authenticator program. */
const codeInput = (properties) => h("input.mono", { type: "text", name: "code", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 12, ...properties });

/** The address as a code for a telephone's camera, dark on light in every theme. */
function qrDrawing(text) {
  const rows = qrCode(text);
  const dark = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")));
  return svg("svg", { viewBox: `-4 -4 ${rows.length + 8} ${rows.length + 8}`, class: "qr", role: "img", label: t("setUp.qr") }, svg("path", { d: dark.join("") }));
}

/** Sets the account of a link up. */
export function setUpForm(code, invitation, done) {
  const problem = problemLine();
  const email = h("input", { type: "email", name: "email", autocomplete: "username", required: true, value: invitation.email ?? "", readonly: Boolean(invitation.email) });
  const password = h("input", { type: "password", name: "password", autocomplete: "new-password", required: true, minlength: 12 });
  const factorCode = codeInput();
  const fields = [
    field("users.email", email),
    field("users.password", password), note(t("setUp.passwordText")),
    boxed(h("h2", t("settings.factor")), h("p", t("setUp.factorText")),
      qrDrawing(invitation.address), h("p.mono.secret", invitation.secret.match(/.{1,4}/g).join(" ")), h("p", h("a", { href: invitation.address }, t("setUp.open"))),
      field("signIn.code", factorCode), invitation.requiresFactor ? null : note(t("setUp.factorOptional"))),
  ];
  const submit = async () => {
    const factor = factorCode.value.replace(/\s/g, "");
    const { recoveryCodes } = await post("/console/session/accept", { code, email: email.value, password: password.value, factorCode: factor });
    if (recoveryCodes.length === 0) return done();
    return show(holder, h("h2", t("codes.of")), codesView(recoveryCodes), inline(button(t("codes.kept"), done, { class: "primary" })));
  };
  const holder = stack(step(fields, t("setUp.finish"), submit, problem), problem);
  return holder;
}
