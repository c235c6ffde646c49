import BaseJSON
import BaseRuntime
import KeyValueStore
import Synchronization

@testable import PushMessaging

/// A service on an engine in memory, with a clock that the test moves.
final class MessagingFixture: Sendable {
  static let start: Int64 = 1_800_000_000_000_000

  let storage = MemoryStorage()
  let threads = EngineThreads(count: 2)
  let limits: MessagingLimits
  let audiences: (any MessageAudiences)?
  /// False while the store refuses all writes.
  let takesWrites = Mutex(true)
  private let time = Mutex(MessagingFixture.start)
  private let available = Mutex(Int.max)
  private let opened: Mutex<PushService?> = Mutex(nil)

  init(
    _ limits: MessagingLimits = MessagingLimits(),
    audiences: (any MessageAudiences)? = nil
  ) {
    self.limits = limits
    self.audiences = audiences
  }

  /// Has the disk have so many bytes left, and lets the service look.
  func leave(bytes: Int) throws {
    available.withLock { $0 = bytes }
    try service.lookAtSpace()
  }

  var clock: MicrosecondClock { MicrosecondClock { [self] in time.withLock { $0 } } }

  /// The service; opened again after `restart`.
  var service: PushService {
    opened.withLock { service in
      if let service { return service }
      let memory = MemoryEngine(storage: storage, clock: clock)
      let engine = RefusingEngine(memory) { self.takesWrites.withLock { $0 } }
      let made = PushService(
        engine: engine,
        threads: threads,
        clock: clock,
        limits: limits,
        audiences: audiences,
        availableBytes: { self.available.withLock { $0 } }
      )
      service = made
      return made
    }
  }

  /// Forgets everything that is only in memory.
  func restart() { opened.withLock { $0 = nil } }

  func advance(seconds: Int64) { time.withLock { $0 += seconds * 1_000_000 } }

  func register(
    _ installation: String,
    _ address: PushAddress = .direct,
    uid: String? = nil
  ) async throws -> String {
    var request = RegistrationRequest(
      project: "p",
      installation: installation,
      appID: "app",
      address: address
    )
    request.uid = uid
    return try await service.register(request)
  }

  /// Sends a message that is written as the API's JSON.
  func send(_ json: String, to recipient: OutgoingMessage.Recipient? = nil) async throws -> Int64 {
    let message = try OutgoingMessage(
      json: try JSONValue(parsing: json),
      recipient: recipient,
      now: service.now
    )
    let name = try await service.send(message, from: "p", origin: "test")
    guard let id = StoredMessage.id(of: name) else { throw MessagingError.unregistered }
    return id
  }

  /// Schedules a message that is written as the API's JSON.
  func schedule(
    _ json: String,
    to recipient: OutgoingMessage.Recipient,
    after seconds: Int64
  ) async throws -> Int64 {
    let message = try OutgoingMessage(
      json: try JSONValue(parsing: json),
      recipient: recipient,
      now: service.now
    )
    let schedule = MessageSchedule(.instant(service.now + seconds * 1_000_000))
    let name = try await service.schedule(message, from: "p", origin: "test", by: schedule)
    guard let id = StoredMessage.id(of: name) else { throw MessagingError.unregistered }
    return id
  }

  /// Acknowledges as a client does that shows its token.
  func acknowledge(_ receipts: Receipts, _ token: String) async throws {
    let installation = try await service.registration(of: token, in: "p").installation
    let owner = TokenOwner(token: token, project: "p", installation: installation)
    try await withCheckedThrowingContinuation { continuation in
      service.submit(receipts, of: owner) { continuation.resume(with: $0) }
    }
  }

  func state(_ id: Int64, _ token: String) async throws -> Delivery.State? {
    let number = try await service.read { reader in
      try reader.get(MessagingKey(.token, bytes: RegistrationToken.hash(token)).bytes)
        .map { try ProjectValue(decoding: $0).number }
    }
    let found = try await service.deliveries(of: id, in: "p", limit: 1_000)
    return found.first { $0.registration == number }?.delivery.state
  }

  /// Returns the differences that the verification finds.
  func differences() throws -> [String] {
    var found: [String] = []
    _ = try MessagingVerification.verify(service) { found.append($0) }
    return found
  }

  deinit { threads.stop() }
}

/// A transport that answers what the test has said, and keeps what it was handed.
final class ScriptedTransport: PushTransport {
  private struct State {
    var outcomes: [PushOutcome] = []
    var parcels: [PushParcel] = []
  }

  private let state = Mutex(State())

  /// Answers those outcomes one after the other, then takes everything.
  init(_ outcomes: [PushOutcome] = []) { state.withLock { $0.outcomes = outcomes } }

  var parcels: [PushParcel] { state.withLock { $0.parcels } }

  func hand(_ parcel: PushParcel) async -> PushOutcome {
    state.withLock { state in
      state.parcels.append(parcel)
      return state.outcomes.isEmpty ? .handed(id: nil) : state.outcomes.removeFirst()
    }
  }
}

/// An engine that refuses writes while it is told to.
private final class RefusingEngine: EngineWrapper {
  let base: any KeyValueEngine
  private let takesWrites: @Sendable () -> Bool

  init(_ base: any KeyValueEngine, takesWrites: @escaping @Sendable () -> Bool) {
    self.base = base
    self.takesWrites = takesWrites
  }

  func submit(_ write: QueuedWrite) {
    guard !takesWrites() else { return base.submit(write) }
    base.submit(
      QueuedWrite(write.priority) { _ in
        throw KeyValueError(.stopped, "the store takes no writes")
      } completion: {
        write.completion($0)
      }
    )
  }
}
