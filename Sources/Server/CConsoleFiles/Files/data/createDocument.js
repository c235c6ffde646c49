import { dialog, explain, toast } from "../base/dialog.js";
import { h, icon, show } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { go } from "../base/navigation.js";
import { button, field, stack } from "../base/views.js";
import { createDocument, freshDocumentID, isConflict, nameOf } from "./documents.js";
import { undoLast } from "./drawer.js";
import { fieldEditor } from "./fieldEditor.js";

/** Asks for a new document's id and fields; for its collection too where none is open. */
export async function createDialog(where, collection) {
  const path = await dialog(t(collection.length > 0 ? "document.add" : "collection.start"), (close) => content(where, collection, close));
  if (!path) return;
  dispatchEvent(new Event("brasa-collections"));
  toast(t("document.added"), { label: t("undo"), run: undoLast });
  go({ project: where.project, area: "firestore", rest: [where.database, "data", ...path] });
}

function content(where, collection, close) {
  const group = h("input", { type: "text", required: true, autocomplete: "off", autofocus: true });
  const id = h("input", { type: "text", value: freshDocumentID(), required: true, autocomplete: "off", spellcheck: "false", class: "mono" });
  const editor = fieldEditor({}, {});
  const problem = h("p", { class: "error", role: "alert" });
  const save = async () => {
    const fields = editor.read();
    const path = [...(collection.length > 0 ? collection : [group.value]), id.value];
    if (path.some((segment) => segment === "" || segment.includes("/"))) return show(problem, t("document.badID"));
    if (fields === null) return show(problem, t("document.notValid"));
    try {
      await createDocument(nameOf(where, path), fields);
      return close(path);
    } catch (error) {
      return show(problem, isConflict(error) ? t("document.exists") : explain(error));
    }
  };
  return [
    collection.length > 0 ? h("p", { class: "mono", dir: "auto" }, collection.join("/")) : field("collection.id", group),
    field("document.id", id),
    stack(h("h3", {}, t("fields")), editor.element, h("div", {}, h("button", { type: "button", class: "quiet", onclick: () => editor.add() }, icon("plus"), t("field.add")))),
    problem,
    h("div", { class: "actions" }, button(t("cancel"), () => close(null)), h("button", { type: "submit", class: "primary", onclick: save, writes: true }, t("save"))),
  ];
}
