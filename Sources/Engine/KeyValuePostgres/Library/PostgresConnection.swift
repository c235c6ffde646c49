import KeyValueStore

/// A statement that a connection prepares when it first runs it.
struct Statement: Sendable {
  let name: String
  let text: String
}

/// The way in which a COMMIT ended.
enum CommitOutcome {
  case committed
  /// Nothing was written.
  case refused(KeyValueError)
  /// The connection was lost before the response came.
  case unknown(KeyValueError)
}

/// One connection to the server.
///
/// Calls block; once it is lost every call throws `unreachable`.
///
/// `@unchecked Sendable`: one thread at a time uses it, the one that has taken it from its pool.
final class PostgresConnection: @unchecked Sendable {
  private let library: PostgresLibrary
  private let handle: OpaquePointer
  private var prepared: Set<String> = []
  /// True if the library itself failed on it.
  private var isBroken = false

  /// The parameters that limit how long a lost peer goes unnoticed: two probes after a second of
  /// silence, and two seconds for data that was sent and is not acknowledged.
  private static let parameters = [
    ("connect_timeout", "2"), ("keepalives", "1"), ("keepalives_idle", "1"),
    ("keepalives_interval", "1"), ("keepalives_count", "2"), ("tcp_user_timeout", "2000"),
    ("fallback_application_name", "brasa"), ("client_encoding", "UTF8"),
  ]

  /// Connects to a `postgres://` address and sets what `settings` says, SQL's SET statements.
  init(_ library: PostgresLibrary, to address: String, settings: String) throws {
    self.library = library
    // The address takes precedence over the earlier sources.
    let parameters =
      [("target_session_attrs", "read-write"), ("dbname", address)] + Self.parameters
    let texts = parameters.flatMap { [$0.0, $0.1] }.map { Array($0.utf8CString) }
    let opened = Self.withPointers(to: texts) { pointers in
      let names = stride(from: 0, to: pointers.count, by: 2).map { pointers[$0] } + [nil]
      let values = stride(from: 1, to: pointers.count, by: 2).map { pointers[$0] } + [nil]
      return library.connect(names, values, 1)
    }
    guard let opened else { throw KeyValueError(.inputOutput, "libpq has no memory") }
    handle = opened
    guard library.connectionStatus(opened) == Self.isConnected else {
      let message = Self.message(library, opened)
      throw KeyValueError(.unreachable, "PostgreSQL cannot be reached: \(message)")
    }
    // Notices would go to standard error.
    _ = library.setNoticeReceiver(opened, { _, _ in }, nil)
    try run(settings)
  }

  deinit { library.finish(handle) }

  /// Counts as lost from now on.
  func giveUp() { isBroken = true }

  /// True if the connection was lost, as far as is known.
  var isLost: Bool { isBroken || library.connectionStatus(handle) != Self.isConnected }

  /// Runs statements without parameters and answers the last one's result, in text form.
  @discardableResult
  func run(_ text: String) throws -> PostgresResult {
    try checked(library.run(handle, text))
  }

  /// Runs a statement with parameters in binary form, nil for NULL; the result is in binary form.
  @discardableResult
  func run(_ statement: Statement, _ parameters: [[UInt8]?]) throws -> PostgresResult {
    if !prepared.contains(statement.name) {
      try checked(library.prepare(handle, statement.name, statement.text, 0, nil))
      prepared.insert(statement.name)
    }
    let lengths = parameters.map { CInt($0?.count ?? 0) }
    let formats = [CInt](repeating: 1, count: parameters.count)
    // One buffer for all, never empty, so that each has an address.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(parameters.reduce(1) { $0 + ($1?.count ?? 0) })
    var starts: [Int?] = []
    for parameter in parameters {
      starts.append(parameter.map { _ in bytes.count })
      if let parameter { bytes += parameter }
    }
    bytes.append(0)
    return try bytes.withUnsafeBufferPointer { bytes in
      try bytes.withMemoryRebound(to: CChar.self) { chars in
        let values = starts.map { start in
          start.flatMap { offset in chars.baseAddress.map { $0 + offset } }
        }
        return try checked(
          library.runPrepared(
            handle,
            statement.name,
            CInt(values.count),
            values,
            lengths,
            formats,
            1
          )
        )
      }
    }
  }

  /// Sends statements whose outcome nobody asks for; the next call waits for them.
  func send(_ text: String) { _ = library.send(handle, text) }

  /// Returns the payloads of notifications that the server has sent; none where the pipe was rung or so much time has passed.
  func notifications(or bell: WakePipe, microseconds: Int) -> [String] {
    // Some may have come with the response to a statement.
    let received = receivedNotifications()
    guard received.isEmpty else { return received }
    bell.wait(for: library.socket(handle), microseconds: microseconds)
    guard library.consumeInput(handle) == 1 else {
      isBroken = true
      return []
    }
    return receivedNotifications()
  }

  private func receivedNotifications() -> [String] {
    var payloads: [String] = []
    while let notification = library.notification(handle) {
      let payload = notification.load(
        fromByteOffset: Self.payloadOffset,
        as: UnsafePointer<CChar>?.self
      )
      payloads.append(payload.map { String(cString: $0) } ?? "")
      library.freeMemory(notification)
    }
    return payloads
  }

  /// The offset of the payload in a `PGnotify` of libpq: behind the channel's name and the sender's
  /// process.
  private static let payloadOffset = 16

  /// Commits the transaction, with a statement before.
  func commit(after statement: String = "") -> CommitOutcome {
    do {
      let result = try run(statement + "COMMIT")
      // A transaction that had failed already is answered so.
      guard result.commandTag == "COMMIT" else {
        return .refused(KeyValueError(.inputOutput, "PostgreSQL rolled a transaction back"))
      }
      return .committed
    } catch {
      let failure = error as? KeyValueError ?? KeyValueError(.inputOutput, "\(error)")
      return failure.code == .unreachable ? .unknown(failure) : .refused(failure)
    }
  }

  /// Ends a transaction that is to have no effect.
  func rollBack() {
    guard !isLost else { return }
    send("ROLLBACK")
  }

  @discardableResult
  private func checked(_ answer: OpaquePointer?) throws -> PostgresResult {
    guard let answer else { throw lost() }
    let result = PostgresResult(library, answer)
    guard !result.isSuccess else { return result }
    // An error without SQL's code is not the server's: the library could not send, or not receive.
    if result.errorCode.isEmpty { isBroken = true }
    guard !isLost else { throw lost() }
    throw KeyValueError(sqlState: result.errorCode, result.errorMessage)
  }

  private func lost() -> KeyValueError {
    KeyValueError(
      .unreachable,
      "the connection to PostgreSQL was lost: \(Self.message(library, handle))"
    )
  }

  private static func message(_ library: PostgresLibrary, _ handle: OpaquePointer) -> String {
    let text = library.connectionMessage(handle).map { String(cString: $0) } ?? ""
    return text.split(separator: "\n").joined(separator: "; ")
  }

  private static func withPointers<R>(
    to texts: [[CChar]],
    _ body: ([UnsafePointer<CChar>?]) -> R
  ) -> R {
    var offsets: [Int] = []
    var chars: [CChar] = []
    for text in texts {
      offsets.append(chars.count)
      chars += text
    }
    return chars.withUnsafeBufferPointer { chars in
      body(offsets.map { offset in chars.baseAddress.map { $0 + offset } })
    }
  }

  private static let isConnected: CInt = 0
}
