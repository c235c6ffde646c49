import AnalyticsAPI
import BaseText
import EventAnalytics
import ServiceModule
import ServiceTestSupport
import Testing

/// Analytics over an engine in memory, on 15 January 2027, with the projects `p` and `q`.
struct AnalyticsServer {
  let routes: TestRoutes
  let server: TestServer
  let analytics: EventAnalytics

  /// The app that both projects have registered.
  static let app = "1:42:ios:ab"
  /// An installation of the app.
  static let instance = "cAAAAAAAAAAAAAAAAAAAAA"
  /// The header that proves it.
  static let proof = ["x-goog-firebase-installations-auth": "FIS p/\(instance)"]
  static let batches = "/v1/projects/p/apps/\(app)/events:batch"
  static let reports = "/v1/projects/p/analytics"

  static func run(test: (AnalyticsServer) async throws -> Void) async throws {
    var made: EventAnalytics?
    try await TestServer.run { server in
      let analytics = try EventAnalytics(engine: server.engine, clock: server.clock)
      made = analytics
      return .analytics(
        analytics,
        access: server.access,
        threads: server.threads,
        keys: ProjectKeys(defaultProject: nil, takesAnyKey: false) { ["p", "q"].contains($0) },
        proof: InstallationProof(believes: false, idOfSecret: { _ in nil }) { token in
          let parts = token.split(separator: "/").map(String.init)
          guard parts.count == 2 else { return nil }
          return InstallationProof.Installation(
            project: Text(parts[0]),
            id: parts[1],
            appID: app
          )
        },
        apps: AnalyticsApps { name, _ in name == app ? .registered : .unknown }
      )
    } test: { routes, server in
      let analytics = try #require(made)
      try await test(AnalyticsServer(routes: routes, server: server, analytics: analytics))
    }
  }

  /// A batch of the installation with one event, as the SDK sends it.
  static func batch(
    number: Int = 1,
    event: String = "view_item",
    more: String = ""
  ) -> String {
    #"{"appInstanceId":"\#(instance)","batchNumber":\#(number),"sentTimeMillis":1800000000000,"#
      + #""device":{"platform":"ios","country":"br"},"userId":"ana","events":[{"name":"\#(event)","#
      + #""timeMicros":1800000000000000,"params":{"item":{"stringValue":"42"}}}]\#(more)}"#
  }

  /// Sends a batch and has it counted.
  func send(_ body: String = batch()) async throws {
    let response = try await routes.call(
      "POST \(Self.batches)?key=p",
      as: .stranger,
      body: body,
      headers: Self.proof
    )
    #expect(response.text == #"{"accepted":1}"#)
    try count()
  }

  /// Counts what came in.
  func count() throws { while try analytics.maintain() {} }

  /// The names of the events on the timeline of the installation.
  func timeline(of project: String = "p") async throws -> [String] {
    let response = try await routes.call(
      "GET /v1/projects/\(project)/analytics/timeline?instance=\(Self.instance)"
    )
    return (response["events"]?.elements ?? []).compactMap { $0["event"]?.string }
  }
}
