import BaseJSON
import Foundation
import Outbound
import PushMessaging

/// Measures a transport against a stand-in: how many messages a second it hands over, and what they cost.
enum PushDrive {
  private struct Malformed: Error {}

  /// `URL AUTHORITY TEAM KEY BUNDLE FILE COUNT FLIGHT`, with the private key's PEM file.
  static func apns(_ arguments: [String]) async throws -> JSONValue {
    guard arguments.count == 8, let count = Int(arguments[6]), let flight = Int(arguments[7]) else {
      throw Malformed()
    }
    let transport = APNsTransport(
      try APNsEndpoints(production: arguments[0], authorities: arguments[1]),
      clock: { Int(Date().timeIntervalSince1970) }
    )
    let key = APNsKey(
      keyID: arguments[3],
      teamID: arguments[2],
      privateKey: try String(contentsOfFile: arguments[5], encoding: .utf8)
    )
    let result = await measure(transport, count: count, flight: flight) { number in
      let digits = String(number, radix: 16)
      let token = String(repeating: "0", count: 64 - digits.count) + digits
      return parcel(
        number,
        .apns(token: token, environment: .production, bundle: arguments[4]),
        .apns(key)
      )
    }
    await transport.shutdown()
    return result
  }

  /// `URL AUTHORITY COUNT FLIGHT`.
  static func web(_ arguments: [String]) async throws -> JSONValue {
    guard arguments.count == 4, let count = Int(arguments[2]), let flight = Int(arguments[3]) else {
      throw Malformed()
    }
    let host = String(arguments[0].dropFirst("https://".count))
    let transport = WebPushTransport(
      try PushHosts(adding: [host], allowsPrivateAddresses: true),
      authorities: arguments[1],
      clock: { Int(Date().timeIntervalSince1970) }
    )
    let pair = VAPIDPair(newFor: "mailto:push@example.org")
    let receivers = (0..<1_000).map { _ in WebPushReceiver().keys }
    let result = await measure(transport, count: count, flight: flight) { number in
      let keys = receivers[number % receivers.count]
      let address = PushAddress.webPush(
        endpoint: "\(arguments[0])/up/\(number)",
        p256dh: keys.publicKey,
        auth: keys.secret,
        vapidKey: nil
      )
      return parcel(number, address, .vapid(pair))
    }
    await transport.shutdown()
    return result
  }

  private static func parcel(
    _ number: Int,
    _ address: PushAddress,
    _ credentials: PushCredentials
  ) -> PushParcel {
    let alert = JSONValue.object([
      .init("title", .string("New order")), .init("body", .string("Table \(number)")),
    ])
    return PushParcel(
      messageID: "0:\(number)",
      sender: "shop",
      address: address,
      credentials: credentials,
      payload: .object([
        .init("aps", .object([.init("alert", alert)])), .init("notification", alert),
      ]),
      priority: .high,
      timeToLive: .seconds(3_600)
    )
  }

  private static func measure(
    _ transport: any PushTransport,
    count: Int,
    flight: Int,
    parcel: @escaping @Sendable (Int) -> PushParcel
  ) async -> JSONValue {
    // The first message opens the connection.
    _ = await transport.hand(parcel(0))
    let (begin, work) = (ContinuousClock.now, processorSeconds())
    let failed = await withTaskGroup(of: Int.self) { group in
      for first in 0..<flight {
        group.addTask {
          var failed = 0
          for number in stride(from: first, to: count, by: flight) {
            if case .handed = await transport.hand(parcel(number)) { continue }
            failed += 1
          }
          return failed
        }
      }
      return await group.reduce(0, +)
    }
    let seconds = Double((ContinuousClock.now - begin) / .microseconds(1)) / 1e6
    return .object([
      .init("count", .integer(count)), .init("failed", .integer(failed)),
      .init("seconds", .number("\(seconds)")),
      .init("processorSeconds", .number("\(processorSeconds() - work)")),
    ])
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
