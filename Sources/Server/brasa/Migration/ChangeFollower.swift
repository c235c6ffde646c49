import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel
import Foundation

/// Follows the changes of the source: a listener for each id of collections, from the time of the copy on.
///
/// The ids are listed again each minute. A listener's token is saved when its changes are stored,
/// so that another run continues there.
struct ChangeFollower: Sendable {
  let copy: DocumentCopy

  private static let listing = Duration.seconds(60)

  /// Follows until the task is cancelled.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var known: Set<String> = []
      let first = Set(await copy.state.plan.groups)
      await copy.log.print(
        "Following \(first.count.counting("collection")). Ctrl-C compares and ends."
      )
      while true {
        for id in try await ids() where known.insert(id).inserted {
          // The documents of a collection that was not there at the copy are all new.
          let isNew = !first.contains(id)
          group.addTask { try await follow(id, isNew: isNew) }
        }
        try await Task.sleep(for: Self.listing)
      }
    }
  }

  /// The known collections; those at the root are listed again, where the source responds.
  private func ids() async throws -> [String] {
    let known = await copy.state.plan.groups
    do {
      return try await copy.rootCollections() + known
    } catch let error as ServiceError where DocumentCopy.isTransient(error.code) {
      return known
    }
  }

  private func follow(_ id: String, isNew: Bool) async throws {
    var isFresh = isNew
    while true {
      let plan = await copy.state.plan
      let token = plan.tokens[id].flatMap { Base64.decode($0) } ?? []
      let request = SourceQueries.listen(
        to: id,
        of: copy.database,
        token: token,
        since: isFresh || plan.readTime == nil ? nil : plan.followTime
      )
      do {
        var pending: [String: DocumentChange] = [:]
        try await copy.source.firestore().listen(request, of: copy.database) { message in
          try await take(message, id, &pending)
        }
      } catch let error as ServiceError
        where error.code == .failedPrecondition || error.code == .invalidArgument
      {
        // The source has no history of the token or the time: everything is read again.
        guard !token.isEmpty || !isFresh else { throw error }
        isFresh = true
        try await copy.state.change { $0.tokens[id] = nil }
      } catch let error as ServiceError where DocumentCopy.isTransient(error.code) {
        await copy.log.print("\(id): \(error.message) Listening again.")
      }
      try await Task.sleep(for: .seconds(1))
    }
  }

  /// Takes a `ListenResponse`; changes are stored at each consistent state.
  private func take(
    _ message: [UInt8],
    _ id: String,
    _ pending: inout [String: DocumentChange]
  ) async throws {
    let response = try Response(message)
    for change in response.changes { pending[change.name] = change }
    guard response.isTargetChange else { return }
    if let cause = response.cause { throw cause }
    if !pending.isEmpty {
      let changes = pending.values.sorted { $0.name < $1.name }
      pending = [:]
      for drop in try await copy.target.store(changes) { await copy.log.print("dropped: \(drop)") }
      await copy.log.print("\(id): \(changes.count.counting("change")) stored")
    }
    if !response.token.isEmpty {
      let token = Base64.standard(response.token)
      try await copy.state.change { $0.tokens[id] = token }
    }
  }

  private struct Response {
    var changes: [DocumentChange] = []
    var isTargetChange = false
    var token: [UInt8] = []
    var cause: ServiceError?

    init(_ message: [UInt8]) throws {
      try message.withUnsafeBytes { bytes in
        var reader = ProtobufReader(bytes)
        while let field = try reader.nextField() {
          switch field {
          case 2: try takeTarget(try reader.content())
          case 3: try takeChange(try reader.content())
          case 4, 6:
            var removal = ProtobufReader(try reader.content())
            while let field = try removal.nextField() {
              if field == 1 {
                changes.append(DocumentChange(deleted: try removal.string()))
              } else {
                try removal.skip()
              }
            }
          default: try reader.skip()
          }
        }
      }
    }

    private mutating func takeTarget(_ bytes: UnsafeRawBufferPointer) throws {
      isTargetChange = true
      var reader = ProtobufReader(bytes)
      var isRemoved = false
      while let field = try reader.nextField() {
        switch field {
        case 1: isRemoved = try reader.varint() == 2
        case 3:
          var (code, text) = (StatusCode.unknown, "")
          var status = ProtobufReader(try reader.content())
          while let field = try status.nextField() {
            switch field {
            case 1: code = StatusCode(rawValue: Int(try status.int32())) ?? .unknown
            case 2: text = try status.string()
            default: try status.skip()
            }
          }
          cause = ServiceError(code, text)
        case 4: token = try reader.byteArray()
        default: try reader.skip()
        }
      }
      if isRemoved, cause == nil {
        cause = ServiceError(.aborted, "The source ended the listener.")
      }
    }

    private mutating func takeChange(_ bytes: UnsafeRawBufferPointer) throws {
      var reader = ProtobufReader(bytes)
      var (change, isRemoved) = (DocumentChange?.none, false)
      while let field = try reader.nextField() {
        switch field {
        case 1: change = try DocumentChange(try reader.content())
        case 6:
          isRemoved = true
          try reader.skip()
        default: try reader.skip()
        }
      }
      guard let change else { return }
      changes.append(isRemoved ? DocumentChange(deleted: change.name) : change)
    }
  }
}
