import { roleHere } from "../base/access.js";
import { button, call, complain, dialog, field, form, go, h, hasService, input, note, path, place, projectPath, resource, t, toast } from "../base/ui.js";
import { loadProjects, projectNames, projects } from "../shell/store.js";
import { idOf } from "./ids.js";

/** Creating, renaming and deleting projects. */

const ROOT = "/console/api/projects";

/** Asks for a name and an id, and opens the project that has them. */
export async function newProject() {
  const made = await dialog(t("project.create"), (close) => {
    const name = input("", { autofocus: true, maxlength: 100, oninput: () => { if (!isTyped) id.value = idOf(name.value); } });
    let isTyped = false;
    const id = input("", { class: "mono", maxlength: 30, oninput: () => { isTyped = id.value !== ""; } });
    const save = async () => {
      if (!/^[a-z][a-z0-9-]{2,28}[a-z0-9]$/.test(id.value.trim())) throw new Error(t("project.badID"));
      return call("POST", ROOT, { projectId: id.value.trim(), displayName: name.value });
    };
    return form(close, t("project.create"), save, field("project.name", name), field("project.id", id), note(t("project.idText")), note(t("project.analytics")));
  });
  const { project, query: { new: _, ...query }, ...rest } = place.peek();
  if (!made) return go({ ...rest, project, query }, { replace: true });
  await loadProjects();
  toast(t("project.created", made.displayName));
  return go({ project: made.projectId, area: "overview" });
}

/** The project's name, and for its owners the way to delete it. */
export async function projectSettings(project) {
  const outcome = await dialog(t("project.settings"), (close) => {
    const name = input(projectNames.peek()[project] ?? project, { maxlength: 100, autofocus: true });
    const save = () => call("PATCH", ROOT + path(project), { displayName: name.value });
    const danger = roleHere() === "owner" ? h("div.spread.panel", note(t("project.deleteText")), button(t("project.delete"), () => close("delete"), { class: "danger", writes: true })) : null;
    return [form(close, t("save"), save, field("project.name", name), note(t("project.id"), " ", h("code", project)), danger)];
  });
  if (outcome === "delete") return deleteProject(project);
  if (outcome) await loadProjects();
}

/** Removes all of what is asked for a page at a time; gives how many there were. */
async function drained(ask, remove) {
  let count = 0;
  for (;;) {
    const some = (await ask()) ?? [];
    if (some.length === 0) return count;
    await remove(some);
    count += some.length;
  }
}

const removeEach = async (resources) => { for (const { name } of resources) await call("DELETE", resource(name)); };

/** What is deleted, in this order: each part gives how many there were. */
const PARTS = {
  databases: async (root) => {
    const { databases = [] } = await call("GET", `${root}/databases`);
    await removeEach(databases);
    return databases.length;
  },
  files: async (_, project) => {
    let count = 0;
    const { items: buckets = [] } = await call("GET", `/storage/v1/b?project=${encodeURIComponent(project)}`);
    for (const { name: bucket } of buckets) {
      const objects = path("storage", "v1", "b", bucket, "o");
      count += await drained(async () => (await call("GET", `${objects}?maxResults=500`)).items, async (items) => { for (const { name } of items) await call("DELETE", objects + path(name)); });
    }
    return count;
  },
  users: (root) => drained(async () => (await call("GET", `${root}/accounts:batchGet?maxResults=500`)).users,
    (users) => call("POST", `${root}/accounts:batchDelete`, { localIds: users.map((one) => one.localId), force: true })),
  apps: async (_, project) => {
    const apps = ROOT + path(project, "apps");
    const { apps: all } = await call("GET", apps);
    for (const { id } of all) await call("DELETE", apps + path(id));
    return all.length;
  },
  rules: async (root) => {
    const { releases = [] } = await call("GET", `${root}/releases?pageSize=100`);
    await removeEach(releases);
    await drained(async () => (await call("GET", `${root}/rulesets?pageSize=100`)).rulesets, removeEach);
    return releases.length;
  },
};
const SERVICES = { databases: "firestore", files: "storage", users: "accounts", apps: "accounts", rules: "rules" };

async function deleteProject(project) {
  const isDone = await dialog(t("project.delete"), (close) => {
    const typed = input("", { class: "mono", autofocus: true });
    const said = h("p.note", { role: "status" });
    const act = async () => {
      if (typed.value.trim() !== project) throw new Error(t("project.typeID", project));
      const root = projectPath(project);
      for (const [name, remove] of Object.entries(PARTS)) {
        if (!hasService(SERVICES[name])) continue;
        said.textContent = t("project.deleting", t(`project.${name}`));
        await remove(root, project);
      }
      await call("DELETE", ROOT + path(project));
      return true;
    };
    return form(close, t("project.delete"), act, h("p", t("project.deleteAll")), note(t("project.deleteRest")), field("project.confirm", typed), said);
  });
  if (!isDone) return;
  await loadProjects().catch(complain);
  toast(t("project.deleted", project));
  go({ project: projects.peek()[0], area: "overview" });
}
