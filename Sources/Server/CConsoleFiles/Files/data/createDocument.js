import { adder, dialog, field, form, go, h, input, stack, t, toast } from "../base/ui.js";
import { nameOf, placeOf } from "./documents.js";
import { createDocument, freshDocumentID, isConflict } from "./writes.js";
import { undoLast } from "./undo.js";
import { fieldEditor } from "./fieldEditor.js";

/** Asks for a new document's id and fields; for its collection too where none is open. */
export async function createDialog(where, collection) {
  const path = await dialog(t(collection.length > 0 ? "document.add" : "collection.start"), (close) => content(where, collection, close));
  if (!path) return;
  dispatchEvent(new Event("brasa-collections"));
  toast(t("document.added"), { label: t("undo"), run: undoLast });
  go(placeOf(where, path));
}

function content(where, collection, close) {
  const group = input("", { required: true, autofocus: true });
  const id = input(freshDocumentID(), { required: true, class: "mono" });
  const editor = fieldEditor({}, { where });
  // Most documents have a field: it is there to be filled, and left out if it is not.
  editor.add();
  const save = async () => {
    const fields = editor.read();
    const path = [...(collection.length > 0 ? collection : [group.value]), id.value];
    if (path.some((segment) => segment === "" || segment.includes("/"))) throw new Error(t("document.badID"));
    if (fields === null) throw new Error(t("document.notValid"));
    try {
      await createDocument(nameOf(where, path), fields);
    } catch (error) {
      throw isConflict(error) ? new Error(t("document.exists")) : error;
    }
    return path;
  };
  return form(close, t("save"), save,
    collection.length > 0 ? h("p.mono", { dir: "auto" }, collection.join("/")) : field("collection.id", group),
    field("document.id", id),
    stack(h("h3", t("fields")), editor.element, adder(t("field.add"), () => editor.add(), { class: "quiet" })));
}
