import BaseJSON
import DocumentCodec
import DocumentStore
import Events
import EventsAPI
import FirestoreModel
import ServiceTestSupport
import Testing

/// The requests that functions get, field by field as Google's SDKs read them.
@Suite struct FormTests {
  /// Keeps the requests to functions.
  final class Host: FunctionTarget {
    private let arrivals = AsyncStream<FunctionDelivery>.makeStream()

    func deliver(_ delivery: FunctionDelivery) async -> DeliveryOutcome {
      arrivals.continuation.yield(delivery)
      return .delivered
    }

    func next() async throws -> FunctionDelivery {
      var iterator = arrivals.stream.makeAsyncIterator()
      return try #require(await iterator.next())
    }
  }

  /// Deploys a declaration, has something happen, and returns the first request.
  private static func delivery(
    of declaration: CodebaseDeclaration,
    after cause: (EventBus, Database, TestServer) async throws -> Void
  ) async throws -> FunctionDelivery {
    var made: EventBus?
    var delivery: FunctionDelivery?
    try await TestServer.run { server in
      let tap = EventTap()
      let encoding = GoogleEventForm(location: "nam5")
      var configuration = EventBus.Configuration(
        encoding: encoding,
        posting: EventsServer.Posting()
      )
      configuration.clock = server.clock
      let bus = try EventBus(
        engine: server.engine,
        tap: tap,
        threads: server.threads,
        configuration: configuration
      )
      made = bus
      return .events(EventsEnvironment(bus: bus, access: server.access, threads: server.threads))
    } test: { _, server in
      let bus = try #require(made)
      let host = Host()
      bus.attach(host)
      let codebase = CodebaseName(project: "p", codebase: "default")
      try bus.replaceTriggers(of: codebase, with: declaration) { _ in }
      var store = StoreConfiguration()
      store.autoCreateDatabases = true
      store.maintainsItself = false
      store.commitFollower = bus.tap
      let databases = try Databases(engine: server.engine, configuration: store)
      let running = Task { await bus.run() }
      let database = try databases.database(DatabaseID(project: "p"))
      try await cause(bus, database, server)
      delivery = try await host.next()
      running.cancel()
      bus.wake()
      await running.value
      databases.close()
    }
    return try #require(delivery)
  }

  private static func write(_ database: Database) async throws {
    let path = ResourcePath(["products", "p1"])
    let fields = MapValue([
      MapValue.Entry(key: "price", value: .integer(2)),
      MapValue.Entry(key: "name", value: .string("tea")),
    ])
    let proposal = CommitProposal(
      writes: [
        Write(
          name: DocumentName(database: database.id, path: path),
          operation: .update(DocumentFields(encoding: fields), mask: nil)
        )
      ],
      author: CommitAuthor(.user, id: "ana")
    )
    try await withCheckedThrowingContinuation { continuation in
      database.commit(proposal) { continuation.resume(with: $0.map { _ in }) }
    }
  }

  private static func json(_ delivery: FunctionDelivery) throws -> JSONValue {
    try JSONValue(parsing: String(decoding: delivery.body, as: UTF8.self))
  }

  @Test func `a document's event of the second generation has every attribute`() async throws {
    var declared = TriggerDeclaration(
      function: "f",
      eventType: "google.cloud.firestore.document.v1.created.withAuthContext"
    )
    declared.pathPatterns["document"] = "products/{id}"
    var declaration = CodebaseDeclaration()
    declaration.triggers = [declared]
    let delivery = try await Self.delivery(of: declaration) { _, database, _ in
      try await Self.write(database)
    }
    #expect(delivery.signature == .cloudEvent)
    let headers = Dictionary(delivery.headers.map { ($0.name, $0.value) }) { first, _ in first }
    #expect(headers["ce-id"] == delivery.eventID)
    #expect(headers["ce-time"]?.count == 27)
    #expect(headers["ce-location"] == "nam5")
    #expect(headers["ce-namespace"] == "(default)")
    #expect(headers["ce-project"] == "p")
    #expect(headers["ce-database"] == "(default)")
    #expect(headers["ce-document"] == "products/p1")
    #expect(headers["ce-subject"] == "documents/products/p1")
    #expect(headers["ce-authtype"] == "app_user")
    #expect(headers["ce-authid"] == "ana")
    #expect(headers["content-type"] == "application/protobuf")
    // Field 1 is the document; its own name and fields are inside.
    #expect(delivery.body.first == 0x0A)
    #expect(delivery.text.contains("projects/p/databases/(default)/documents/products/p1"))
  }

  @Test func `a document's event of the first generation is JSON`() async throws {
    var declared = TriggerDeclaration(
      function: "f",
      eventType: "providers/cloud.firestore/eventTypes/document.write"
    )
    declared.filters["resource"] = "projects/p/databases/(default)/documents/products/{id}"
    var declaration = CodebaseDeclaration()
    declaration.triggers = [declared]
    let delivery = try await Self.delivery(of: declaration) { _, database, _ in
      try await Self.write(database)
    }
    #expect(delivery.signature == .background)
    let json = try Self.json(delivery)
    let name = "projects/p/databases/(default)/documents/products/p1"
    #expect(json["context"]?["resource"]?.string == name)
    #expect(json["context"]?["eventType"]?.string == declared.eventType)
    #expect(json["data"]?["value"]?["name"]?.string == name)
    #expect(json["data"]?["value"]?["fields"]?["price"]?["integerValue"]?.string == "2")
    #expect(json["data"]?["oldValue"]?.members?.isEmpty == true)
  }

  @Test(arguments: [
    (
      "providers/google.firebase.analytics/eventTypes/event.log",
      ["resource": "projects/p/events/buy"]
    ),
    ("google.firebase.analytics.log.v1.written", ["event": "buy"]),
  ])
  func `a key event has its name in either generation`(
    type: String,
    filters: [String: String]
  ) async throws {
    var declaration = CodebaseDeclaration()
    var declared = TriggerDeclaration(function: "f", eventType: type)
    declared.filters = filters
    declaration.triggers = [declared]
    let delivery = try await Self.delivery(of: declaration) { bus, _, _ in
      #expect(bus.followsKeyEvent("buy", project: "p"))
      #expect(!bus.followsKeyEvent("sell", project: "p"))
      #expect(!bus.followsKeyEvent("buy", project: "q"))
      var event = StoredEvent(family: .analytics, project: "p")
      (event.scope, event.subject) = ("buy", "i1")
      event.attributes = ["id": "one", "app": "1:42:ios:ab"]
      event.data = Array(#"{"eventDim":[{"name":"buy"}]}"#.utf8)
      var other = event
      other.scope = "sell"
      try await bus.publish(keyEvents: [other, event])
    }
    if type.hasPrefix("providers/") {
      #expect(delivery.text.contains(#""eventId":"one""#))
      #expect(delivery.text.contains(#""resource":"projects/p/events/buy""#))
      #expect(delivery.text.contains(#""data":{"eventDim":[{"name":"buy"}]}"#))
    } else {
      #expect(delivery.text == #"{"eventDim":[{"name":"buy"}]}"#)
      let source = "//firebaseanalytics.googleapis.com/projects/p/apps/1:42:ios:ab"
      for (name, value) in [
        ("ce-id", "one"), ("ce-source", source), ("ce-subject", "events/buy"), ("ce-type", type),
      ] {
        #expect(delivery.headers.contains(FunctionDelivery.Header(name, value)), "\(name)")
      }
    }
  }

  @Test func `a schedule's firing has Cloud Scheduler's headers`() async throws {
    var declared = ScheduleDeclaration(function: "tick", schedule: "every 5 minutes")
    declared.timeZone = "UTC"
    var declaration = CodebaseDeclaration()
    declaration.schedules = [declared]
    let delivery = try await Self.delivery(of: declaration) { bus, _, _ in
      let isFired = try await bus.fireNow("tick", codebase: "default", project: "p")
      #expect(isFired)
    }
    #expect(delivery.signature == .http)
    #expect(delivery.body.isEmpty)
    let job = delivery.headers.first { $0.name == "x-cloudscheduler-jobname" }
    #expect(job?.value == "firebase-schedule-tick-us-central1")
    #expect(delivery.headers.contains(FunctionDelivery.Header("x-cloudscheduler", "true")))
  }

  @Test func `a task has Cloud Tasks' headers and its own body`() async throws {
    var declaration = CodebaseDeclaration()
    declaration.queues = [QueueDeclaration(function: "work")]
    let delivery = try await Self.delivery(of: declaration) { bus, _, _ in
      var task = NewTask()
      task.name = "one"
      task.body = Array(#"{"data":1}"#.utf8)
      task.headers = ["content-type": "application/json", "x-cloudtasks-taskname": "forged"]
      _ = try await bus.enqueue(
        task,
        queue: "work",
        location: "us-central1",
        project: "p",
        by: .system
      )
    }
    #expect(delivery.text == #"{"data":1}"#)
    let names = delivery.headers.filter { $0.name == "x-cloudtasks-taskname" }.map(\.value)
    #expect(names == ["one"])
    #expect(
      delivery.headers.contains(FunctionDelivery.Header("x-cloudtasks-taskretrycount", "0"))
    )
  }
}

extension FunctionDelivery {
  fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
