import Events
import EventsAPI
import ServiceTestSupport
import Testing

/// Tests of the callers that each route admits, and of its responses.
@Suite struct RouteTests {
  private static let topics = "/v1/projects/{project}/topics"
  private static let tasks = "/projects/{project}/locations/{location}/queues/{queue}/tasks"
  private static let channel =
    "/projects/{project}/locations/{location}/channels/{channel}:publishEvents"
  private static let queue = "/projects/p/locations/us-central1/queues/work/tasks"
  private static let publish = "/projects/p/locations/us-central1/channels/c:publishEvents"
  private static let event =
    #"{"events":[{"id":"1","type":"t","source":"/s","attributes":{"n":{"ceInteger":1}},"textData":"x"}]}"#
  private static let noTask = "404 NOT_FOUND The task does not exist."
  private static let subscription =
    #"{"url":"https://example.org/","eventType":"google.cloud.firestore.document.v1.written","filters":{"document":"a/{b}"}}"#

  static let cases: [RouteCase] = [
    RouteCase("PUT \(topics)/{topic}", "/v1/projects/p/topics/news"),
    RouteCase(
      "POST \(topics)/{topic}:publish",
      "/v1/projects/p/topics/none:publish",
      body: #"{"messages":[{"data":"eA=="}]}"#,
      "404 NOT_FOUND Resource not found (resource=none). Create the topic, or deploy a function that listens to it."
    ),
    RouteCase("GET \(topics)", "/v1/projects/p/topics", takes: .viewer),
    RouteCase(
      "GET \(topics)/{topic}",
      "/v1/projects/p/topics/none",
      takes: .viewer,
      "404 NOT_FOUND Resource not found (resource=none)."
    ),
    RouteCase(
      "DELETE \(topics)/{topic}",
      "/v1/projects/p/topics/none",
      "404 NOT_FOUND Resource not found (resource=none)."
    ),
    RouteCase("POST /v2\(tasks)", "/v2\(queue)", body: #"{"task":{}}"#),
    RouteCase("POST \(tasks)", queue, body: #"{"task":{"httpRequest":{"body":"e30="}}}"#),
    RouteCase("DELETE /v2\(tasks)/{task}", "/v2\(queue)/none", noTask),
    RouteCase("DELETE \(tasks)/{task}", "\(queue)/none", noTask),
    RouteCase("POST /v1\(channel)", "/v1\(publish)", body: event),
    RouteCase("POST \(channel)", publish, body: event),
    RouteCase("GET /v1/projects/{project}/triggers", "/v1/projects/p/triggers", takes: .owner),
    RouteCase(
      "PUT /v1/projects/{project}/triggers/{name}",
      "/v1/projects/p/triggers/s",
      body: subscription,
      takes: .owner,
      recent: true
    ),
    RouteCase(
      "DELETE /v1/projects/{project}/triggers/{name}",
      "/v1/projects/p/triggers/none",
      takes: .owner,
      recent: true,
      "404 NOT_FOUND The project p has no subscription none."
    ),
    RouteCase(
      "GET /v1/projects/{project}/triggerEvents",
      "/v1/projects/p/triggerEvents?dead=true",
      takes: .viewer
    ),
    RouteCase(
      "GET /v1/projects/{project}/triggerEvents/{id}",
      "/v1/projects/p/triggerEvents/none",
      takes: .viewer,
      "404 NOT_FOUND There is no pending event or dead letter none."
    ),
    RouteCase(
      "POST /v1/projects/{project}/triggerEvents:replay",
      "/v1/projects/p/triggerEvents:replay"
    ),
    RouteCase(
      "POST /v1/projects/{project}/triggerEvents:discard",
      "/v1/projects/p/triggerEvents:discard"
    ),
    RouteCase(
      "GET /v1/projects/{project}/schedules",
      "/v1/projects/p/schedules",
      takes: .viewer
    ),
    RouteCase(
      "POST /v1/projects/{project}/schedules:run",
      "/v1/projects/p/schedules:run",
      body: #"{"codebase":"default","name":"none"}"#,
      "404 NOT_FOUND The codebase default of p has no schedule none."
    ),
  ]

  @Test func `every route is in the table`() async throws {
    try await EventsServer.run { events in
      #expect(Set(Self.cases.map(\.route)) == events.routes.names)
    }
  }

  @Test(arguments: cases) func `a route serves those who may, and nobody else`(
    route: RouteCase
  ) async throws {
    for (caller, outcome) in route.refusals {
      try await EventsServer.run { events in
        let response = try await events.routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == outcome, "\(caller)")
      }
    }
    for caller in route.allowed {
      try await EventsServer.run { events in
        let response = try await events.routes.call(route.request, as: caller, body: route.body)
        #expect(response.outcome == route.outcome, "\(caller)")
      }
    }
  }

  @Test func `a schedule is listed with its next times, and fires when an editor says so`()
    async throws
  {
    try await EventsServer.run { events in
      var declaration = CodebaseDeclaration()
      var sweep = ScheduleDeclaration(function: "sweep", schedule: "every day 06:30")
      sweep.timeZone = "America/Sao_Paulo"
      declaration.schedules = [sweep]
      try events.bus.replaceTriggers(
        of: CodebaseName(project: "p", codebase: "default"),
        with: declaration
      ) { _ in }
      let listed = try await events.routes.call("GET /v1/projects/p/schedules")
      let schedule = try #require(listed["schedules"]?.elements?.first)
      #expect(schedule["name"]?.string == "sweep" && schedule["codebase"]?.string == "default")
      #expect(schedule["timeZone"]?.string == "America/Sao_Paulo")
      let next = (schedule["next"]?.elements ?? []).compactMap(\.string)
      #expect(next.count == 3 && next == next.sorted() && Set(next).count == 3)
      #expect(next.allSatisfy { $0.hasSuffix("T09:30:00.000000Z") })
      let body = #"{"codebase":"default","name":"sweep"}"#
      let other = try await events.routes.call(
        "POST /v1/projects/q/schedules:run",
        as: .administrator(.editor, of: "q"),
        body: body
      )
      #expect(other.status == 404)
      #expect(try events.bus.list(project: "p", isDead: false, limit: 5).isEmpty)
      let fired = try await events.routes.call("POST /v1/projects/p/schedules:run", body: body)
      #expect(fired.outcome == "200")
      let waiting = try events.bus.list(project: "p", isDead: false, limit: 5)
      #expect(waiting.map(\.event.subject) == ["sweep"])
      let id = try #require(waiting.first?.id)
      let shown = try await events.routes.call("GET /v1/projects/p/triggerEvents/\(id)")
      #expect(shown["events"]?.elements?.first?["subject"]?.string == "sweep")
      let foreign = try await events.routes.call("GET /v1/projects/q/triggerEvents/\(id)")
      #expect(foreign.status == 404)
      let partial = try await events.routes.call(
        "POST /v1/projects/p/schedules:run",
        body: #"{"name":"sweep"}"#
      )
      #expect(partial.outcome.hasPrefix("400 INVALID_ARGUMENT"))
    }
  }

  @Test func `a task is enqueued as the Admin SDK sends it, its reserved headers dropped`()
    async throws
  {
    try await EventsServer.run { events in
      let name = "projects/p/locations/us-central1/queues/work/tasks/one"
      let body = """
        {"task":{"name":"\(name)","httpRequest":{"url":"https://example.org/work",\
        "oidcToken":{"serviceAccountEmail":""},"body":"eyJkYXRhIjp7fX0=",\
        "headers":{"Content-Type":"application/json","X-CloudTasks-TaskName":"forged","Authorization":"Bearer x"}}}}
        """
      let made = try await events.routes.call("POST /v2\(Self.queue)", body: body)
      #expect(made["name"]?.string == name)
      let again = try await events.routes.call("POST /v2\(Self.queue)", body: body)
      #expect(again.outcome.hasPrefix("409 ALREADY_EXISTS"))
      let waiting = try events.bus.list(project: "p", isDead: false, limit: 5)
      #expect(waiting.map(\.event.subject) == ["one"])
      #expect(waiting.first?.event.attributes == ["header-content-type": "application/json"])
      #expect(waiting.first?.event.data == Array(#"{"data":{}}"#.utf8))
      let gone = try await events.routes.call("DELETE /v2\(Self.queue)/one")
      #expect(gone.outcome == "200")
    }
  }

  @Test(arguments: [
    #"{"task":{"name":"projects/q/x"}}"#, #"{"task":{"scheduleTime":"tomorrow"}}"#, "{}",
    #"{"task":{"httpRequest":{"body":"***"}}}"#,
    #"{"task":{"scheduleTime":"2999-01-01T00:00:00Z"}}"#,
    #"{"task":{"httpRequest":{"headers":{"a b":"c"}}}}"#,
  ])
  func `a task that can't be is refused`(body: String) async throws {
    try await EventsServer.run { events in
      let response = try await events.routes.call("POST /v2\(Self.queue)", body: body)
      #expect(response.outcome.hasPrefix("400 INVALID_ARGUMENT"))
    }
  }
}
