import { call, h, projectPath, session, signal, t } from "../base/ui.js";

/** The projects of the server and the databases of the project that is looked at. */

export const projects = signal([]);
/** The names of projects that have one, by id. */
export const projectNames = signal({});
export const databases = signal([]);

/** How often the page was to be made anew because what it rests on is new. */
export const pageVersion = signal(0);

let styles = null;

/** Loads the styles of all pages and dialogs beyond the first page's, once. */
export const loadStyles = () => (styles ??= new Promise((resolve, reject) => {
  const failed = () => { styles = null; reject(new Error(t("unreachable"))); };
  document.head.append(h("link", { rel: "stylesheet", href: new URL("../pages.css", import.meta.url).href, onload: resolve, onerror: failed }));
}));

/** Asks for the projects; an empty server has the one that it begins with. */
export async function loadProjects() {
  const { projects: found, names = {} } = await call("GET", "/console/api/projects");
  projectNames.value = names;
  projects.value = found.length > 0 ? found : [session.peek().defaultProject];
}

/** Asks for a project's databases, by id. */
export async function loadDatabases(project) {
  const { databases: found = [] } = await call("GET", projectPath(project, "databases"));
  databases.value = found.map((one) => one.name.split("/").pop()).sort();
}

/** The database to begin with. */
export const firstDatabase = () => (databases.peek().includes("(default)") ? "(default)" : databases.peek()[0] ?? "(default)");
