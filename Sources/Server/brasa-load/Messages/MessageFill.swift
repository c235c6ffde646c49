import BaseJSON
import BaseRuntime
import BaseText
import Foundation
import KeyValueRocksDB
import PushMessaging

/// Makes registrations in the store of a server that does not run, and goes through a topic, in this process.
final class MessageFill: Sendable {
  /// The way in which messages reach the registrations.
  enum Way: String, Sendable, CaseIterable {
    case direct, apns, web
  }

  private static let flight = 256
  private static let subscribers = 1_000

  private let engine: RocksDBEngine
  private let service: PushService
  private let project: Text
  private let receivers = (0..<1_000).map { _ in WebPushReceiver().keys }

  /// Opens the store of a server's data directory, which is made if it is missing.
  init(data: String, project: String) throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    engine = try RocksDBEngine(directory: data + "/store", configuration: RocksDBConfiguration())
    service = PushService(engine: engine, threads: EngineThreads(count: 4))
    self.project = Text(project)
  }

  func close() throws { try engine.close() }

  /// Keeps a key of Apple's, and makes the VAPID pair.
  func keep(_ key: APNsKey?) async throws {
    if let key { try await service.addAPNsKey(key, to: project) }
    _ = try await service.vapidPair(of: project)
  }

  /// Makes so many registrations and subscribes them to a topic.
  func register(
    _ count: Int,
    by way: Way,
    bundle: String,
    service url: String,
    topic: String
  ) async throws {
    guard let topic = TopicName(topic) else { throw LoadError.refused("no name of a topic") }
    var tokens: [String] = []
    for first in stride(from: 0, to: count, by: Self.subscribers) {
      let numbers = first..<min(first + Self.subscribers, count)
      tokens = try await register(numbers) { self.address($0, way, bundle: bundle, service: url) }
      _ = try await service.changeTopic(topic, of: tokens, in: project, subscribing: true)
    }
  }

  private func register(
    _ numbers: Range<Int>,
    _ address: @escaping @Sendable (Int) -> PushAddress
  ) async throws -> [String] {
    try await withThrowingTaskGroup(of: String.self) { group in
      var tokens: [String] = []
      for number in numbers {
        if number - numbers.lowerBound >= Self.flight, let token = try await group.next() {
          tokens.append(token)
        }
        group.addTask { try await self.register(number, address(number)) }
      }
      for try await token in group { tokens.append(token) }
      return tokens
    }
  }

  private func register(_ number: Int, _ address: PushAddress) async throws -> String {
    let digits = String(number, radix: 36)
    let installation = "c" + String(repeating: "A", count: 21 - digits.count) + digits
    var request = RegistrationRequest(
      project: project,
      installation: installation,
      appID: "1:42:load:ab",
      address: address
    )
    request.details.language = "pt-BR"
    return try await service.register(request)
  }

  private func address(
    _ number: Int,
    _ way: Way,
    bundle: String,
    service url: String
  ) -> PushAddress {
    switch way {
    case .direct: return .direct
    case .apns:
      let digits = String(number, radix: 16)
      let token = String(repeating: "0", count: 64 - digits.count) + digits
      return .apns(token: token, environment: .production, bundle: bundle)
    case .web:
      let keys = receivers[number % receivers.count]
      return .webPush(
        endpoint: "\(url)/up/\(number)",
        p256dh: keys.publicKey,
        auth: keys.secret,
        vapidKey: nil
      )
    }
  }

  /// Sends a message to a topic and goes through its registrations, without handing anything over; gives the seconds.
  func expand(_ topic: String) async throws -> Double {
    let json = JSONValue.object([
      .init("topic", .string(topic)),
      .init("notification", .object([.init("title", .string("New order"))])),
    ])
    let message = try OutgoingMessage(json: json, now: service.now)
    let begun = monotonicNanoseconds()
    _ = try await service.send(message, from: project, origin: "load")
    while try await service.stepFanOuts() {}
    return Double(monotonicNanoseconds() - begun) / 1e9
  }
}
