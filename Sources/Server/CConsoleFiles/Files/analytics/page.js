import { tabs } from "../base/views.js";
import { audiencesView } from "./audiences.js";
import { dashboard } from "./dashboard.js";
import { debugView } from "./debug.js";
import { eventsView } from "./events.js";
import { funnelView } from "./funnel.js";
import { liveView } from "./live.js";
import { timelineView } from "./timeline.js";

/** What the events of apps say: together, of one event, of one person, and as they come. */
export const page = () => tabs("analytics", {
  "analytics.dashboard": dashboard, "analytics.events": eventsView, "analytics.funnel": funnelView, "analytics.audiences": audiencesView, "analytics.timeline": timelineView,
  "analytics.live": liveView, "analytics.debugview": debugView,
});
