import { tabs } from "../base/ui.js";
import { eventsView } from "./events.js";
import { listView } from "./list.js";
import { logsView } from "./logs.js";
import { releasesView } from "./releases.js";
import { schedulesView } from "./schedules.js";

/** Functions: what they do, what they wrote, what is to be delivered to them, and when. */
export const page = () => tabs("functions", {
  "functions.list": listView, "functions.logs": () => logsView(), "functions.events": eventsView, "functions.schedules": schedulesView, "functions.releases": releasesView,
});
