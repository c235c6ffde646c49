import BaseJSON
import BaseRuntime
import EventAnalytics
import Events
import ServiceModule

/// Takes key events from analytics, which has a store of its own, to the triggers that wait for them.
///
/// An event stays in analytics until the bus has it, so a crash delivers it once more and loses none.
struct KeyEventRelay: Sendable {
  private let analytics: EventAnalytics
  private let bus: EventBus
  private let threads: EngineThreads
  private let report: @Sendable ((any Error)?) -> Void
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  /// A relay that follows the key events from now on.
  init(
    _ analytics: EventAnalytics,
    to bus: EventBus,
    threads: EngineThreads,
    report: @escaping @Sendable ((any Error)?) -> Void
  ) {
    (self.analytics, self.bus, self.threads) = (analytics, bus, threads)
    self.report = report
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    analytics.followKeyEvents(
      by: KeyEventFollower(
        follows: { [bus] in bus.followsKeyEvent($0, project: $1.string) },
        landed: { [wake] in wake.yield() }
      )
    )
    // Those that an earlier process left.
    wake.yield()
  }

  /// The task of the relay.
  var task: ServiceTask { ServiceTask("key events") { try await run() } }

  private func run() async throws {
    for await _ in wakes {
      do {
        while try await step() {}
        report(nil)
      } catch {
        report(error)
        try await Task.sleep(for: .seconds(1))
        wake.yield()
      }
    }
    try Task.checkCancellation()
  }

  /// Takes some events; returns true if there may be more.
  private func step() async throws -> Bool {
    let waiting = try await threads.run(on: .intake) { [analytics] in
      try analytics.waitingKeyEvents()
    }
    guard !waiting.isEmpty else { return false }
    try await bus.publish(keyEvents: waiting.flatMap(\.events).map(StoredEvent.init(keyEvent:)))
    try await threads.run(on: .intake) { [analytics] in try analytics.end(waiting) }
    return true
  }
}

extension StoredEvent {
  /// The event in the form of the first generation's SDK.
  fileprivate init(keyEvent: KeyEvent) {
    let batch = keyEvent.batch
    self.init(family: .analytics, project: keyEvent.project.string)
    scope = keyEvent.event.name
    subject = batch.instanceID ?? ""
    time = batch.received
    attributes["id"] = keyEvent.id
    if !batch.context.appID.isEmpty { attributes["app"] = batch.context.appID }
    data =
      JSONValue.object([
        .init("userDim", batch.userDimension),
        .init("eventDim", .array([keyEvent.event.dimension(day: keyEvent.day)])),
      ])
      .compactBytes
  }
}

extension AnalyticsEvent {
  fileprivate func dimension(day: String) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", .string(name)), .init("date", .string(day)),
      .init("timestampMicros", .string("\(time)")),
    ]
    let values = parameters.compactMap { parameter in
      parameter.value.json.map { JSONValue.Member(parameter.name, $0) }
    }
    members.append(.init("params", .object(values)))
    if self["currency"] == .string("USD"), let value = self["value"]?.double {
      members.append(.init("valueInUsd", .number("\(value)")))
    }
    return .object(members)
  }
}

extension EventValue {
  /// The value with its type's name; nil for items, which the events of Google's have not either.
  fileprivate var json: JSONValue? {
    switch self {
    case .string(let text): .object(["stringValue": .string(text)])
    case .integer(let number): .object(["intValue": .string("\(number)")])
    case .double(let number): number.isFinite ? .object(["doubleValue": .number("\(number)")]) : nil
    case .items: nil
    }
  }

  fileprivate var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number.isFinite ? number : nil
    case .string, .items: nil
    }
  }
}

extension EventBatch {
  fileprivate var userDimension: JSONValue {
    var members: [JSONValue.Member] = []
    if let userID { members.append(.init("userId", .string(userID))) }
    members += [
      .init(
        "appInfo",
        Self.texts([
          ("appInstanceId", instanceID ?? ""), ("appId", context.appID),
          ("appPlatform", context.platform), ("appVersion", context.appVersion),
        ])
      ),
      .init("deviceInfo", device), .init("geoInfo", Self.texts([("country", context.country)])),
      .init(
        "userProperties",
        .object(
          properties.map { property in
            JSONValue.Member(
              property.name,
              .object([
                .init("value", .object(["stringValue": .string(property.value)])),
                .init("setTimestampUsec", .string("\(property.time)")),
              ])
            )
          }
        )
      ),
      .init(
        "bundleInfo",
        .object(["serverTimestampOffsetMicros": .string("\(clockOffset)")])
      ),
    ]
    return .object(members)
  }

  private var device: JSONValue {
    guard
      case .object(var members) = Self.texts([
        ("deviceModel", context.model), ("mobileModelName", context.model),
        ("platformVersion", context.osVersion), ("userDefaultLanguage", context.language),
      ])
    else { return .null }
    members.append(
      .init("deviceTimeZoneOffsetSeconds", .number("\(context.timeZoneOffsetSeconds)"))
    )
    return .object(members)
  }

  /// An object of the texts that are known.
  private static func texts(_ texts: [(name: String, value: String)]) -> JSONValue {
    .object(
      texts.filter { !$0.value.isEmpty }.map { JSONValue.Member($0.name, .string($0.value)) }
    )
  }
}
