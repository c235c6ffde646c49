import { dialog, field, h, input, note, ownForm, t } from "../base/ui.js";
import { viewAs } from "../base/viewing.js";
import { pageVersion } from "../shell/store.js";

/** Asks as whom data is looked at, and makes the page anew. */
export async function viewDialog(project) {
  const who = await dialog(t("view.title"), (close) => {
    const uid = input("", { class: "mono", autofocus: true, maxlength: 128 });
    return ownForm(close, t("view.start"), () => ({ project, uid: uid.value.trim() || null }), h("p", t("view.text")), field("users.uid", uid), note(t("view.nobody")));
  });
  if (!who) return;
  viewAs(who);
  pageVersion.value += 1;
}
