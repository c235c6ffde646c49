import Access
import BaseStatus
import Foundation
import HTTPTypes
import ServiceModule
import Synchronization

/// A service as small as one can be, to show how one is added: greetings of projects' guests.
///
///     POST /v1/projects/{project}/guests/{guest}:greet    body: the greeting; answers it as JSON
///     gRPC /test.guests.v1.GuestBook/Count                 answers the number of greetings
///
/// Greetings are counted by a task, and `greetings_total` is on the metrics page. The book keeps them; beyond a
/// hundred, maintenance strikes out the oldest.
final class GuestBook: Sendable {
  private let waiting: AsyncStream<String>
  private let arrivals: AsyncStream<String>.Continuation
  private let pages = Mutex<[Greeting]>([])
  private let counted = Mutex<(count: Int, waiters: [CheckedContinuation<Void, Never>])>((0, []))

  init() {
    // A guest who comes while a hundred wait is not counted.
    (waiting, arrivals) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(100))
  }

  /// The service to the program: the one value that the composition root lists.
  var module: ServiceModule {
    var module = ServiceModule("guest book")
    module.routes = [
      HTTPRoute(
        .post,
        "/v1/projects/{project}/guests/{guest}:greet",
        for: .clients,
        handler: greet
      )
    ]
    module.methods = [
      ServiceMethod(path: "/test.guests.v1.GuestBook/Count", handler: .unary(count))
    ]
    module.tasks = [ServiceTask("counting guests", run: countGuests)]
    module.metrics = { [self] in [(name: "greetings_total", value: Double(total))] }
    return module
  }

  /// The book's storage, for the server and the commands: the other value that the composition root
  /// lists.
  var storage: ServiceStorage {
    var storage = ServiceStorage("guest book")
    storage.maintenance = strikeOutOldest
    storage.check = verify
    storage.transfers = [StorageTransfer("guests", export: export, import: read)]
    return storage
  }

  private var total: Int { counted.withLock { $0.count } }

  /// Decode, authorise, one call of the service, encode.
  @Sendable
  private func greet(_ request: ServiceRequest) async throws -> ServiceResponse {
    let text = String(decoding: try await request.body.collect(upTo: 1_000), as: UTF8.self)
    guard request.context.authorization != nil else {
      throw ServiceError(.unauthenticated, "Who are you?")
    }
    let project = request.parameters["project"] ?? ""
    let guest = request.parameters["guest"] ?? ""
    arrivals.yield(guest)
    write(Greeting(guest: guest, text: text))
    return .json(Array("{\"\(project)\":\"\(guest): \(text)\"}".utf8))
  }

  @Sendable
  private func count(
    _ request: [UInt8],
    _ context: CallContext,
    _ respond: @escaping ServiceMethod.Respond
  ) {
    respond(.success(Array(String(total).utf8)))
  }

  /// Ends when it is cancelled.
  @Sendable
  private func countGuests() async {
    for await _ in waiting {
      let waiters = counted.withLock { counted in
        counted.count += 1
        defer { counted.waiters = [] }
        return counted.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  /// Returns once somebody was counted.
  func firstGuest() async {
    await withCheckedContinuation { continuation in
      let isThere = counted.withLock { counted in
        if counted.count == 0 { counted.waiters.append(continuation) }
        return counted.count > 0
      }
      if isThere { continuation.resume() }
    }
  }
}

// MARK: What it keeps

/// A page of the guest book.
struct Greeting: Sendable, Hashable, Codable {
  var guest: String
  var text: String
}

extension GuestBook {
  /// Pages that stay.
  static let capacity = 100

  var greetings: [Greeting] { pages.withLock { $0 } }

  /// Writes a page, whatever it says.
  func write(_ greeting: Greeting) { pages.withLock { $0.append(greeting) } }

  /// One step: one page; answers whether there are more to go.
  @Sendable
  private func strikeOutOldest() -> Bool {
    pages.withLock { pages in
      if pages.count > Self.capacity { pages.removeFirst() }
      return pages.count > Self.capacity
    }
  }

  @Sendable
  private func verify(
    _ scope: StorageCheckScope,
    _ tell: (StorageEvent) throws -> Void
  ) throws -> [StorageCount] {
    let greetings = greetings
    for greeting in greetings where greeting.guest.isEmpty {
      try tell(.difference("nobody wrote \(greeting.text)"))
    }
    return [StorageCount(greetings.count, "greeting")]
  }

  @Sendable
  private func export(
    _ scope: StorageScope,
    _ tell: (StorageEvent) throws -> Void,
    _ item: (StorageItem) throws -> Void
  ) throws -> StorageCount {
    let greetings = greetings
    for greeting in greetings {
      try item(StorageItem(file: "book", bytes: Array(JSONEncoder().encode(greeting))))
    }
    return StorageCount(greetings.count, "greeting")
  }

  @Sendable
  private func read(
    _ scope: StorageScope,
    _ next: () throws -> [UInt8]?,
    _ tell: (StorageEvent) throws -> Void
  ) throws -> StorageCount {
    var count = 0
    while let line = try next() {
      write(try JSONDecoder().decode(Greeting.self, from: Data(line)))
      count += 1
    }
    return StorageCount(count, "greeting")
  }
}
