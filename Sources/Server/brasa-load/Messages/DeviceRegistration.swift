import BaseJSON
import Synchronization

/// Devices that were registered, in no order.
final class PushDevices: Sendable {
  private let devices = Mutex<[PushDevice]>([])
  private let counter = Counter()
  private let limit: Int

  init(upTo limit: Int) { self.limit = limit }

  var all: [PushDevice] { devices.withLock { $0 } }

  /// Returns true if one more may be registered; false once it was true for the allowed number.
  func mayRegister() -> Bool { counter.take(1) < limit }

  func append(_ device: PushDevice) { devices.withLock { $0.append(device) } }
}

/// Registers one device after the other: an installation, then its registration.
struct DeviceRegistration: FileOperation {
  let target: PushTarget
  let devices: PushDevices
  private var authToken: String?

  init(_ target: PushTarget, _ devices: PushDevices) {
    self.target = target
    self.devices = devices
  }

  mutating func begin(_ random: inout RandomSource) -> FileRequest? {
    authToken = nil
    return devices.mayRegister() ? target.installation : nil
  }

  mutating func receive(_ answer: FileAnswer) -> FileStep {
    guard answer.status == 200,
      let json = try? JSONValue(parsing: String(decoding: answer.body, as: UTF8.self))
    else { return .failed(answer.errorName) }
    if let authToken, let token = json["token"]?.string {
      devices.append(PushDevice(authToken: authToken, token: token))
      return .finished(objects: 1, bytes: 0)
    }
    guard authToken == nil, let token = json["authToken"]?["token"]?.string else {
      return .failed("an answer without a token")
    }
    authToken = token
    return .request(target.registration(token))
  }
}

/// Sends one message after the other, each to a random device.
struct MessageSending: FileOperation {
  let target: PushTarget
  let devices: [PushDevice]

  func begin(_ random: inout RandomSource) -> FileRequest? {
    let device = devices[random.below(devices.count)]
    return target.message(to: device.token, number: random.below(1_000_000))
  }

  func receive(_ answer: FileAnswer) -> FileStep {
    guard answer.status == 200 else { return .failed(answer.errorName) }
    return .finished(objects: 1, bytes: answer.count)
  }
}
