import BaseJSON
import FirestoreModel
import FirestoreSync

/// The messages of a Listen stream.
struct ListenMessages {
  let database: DatabaseID

  // MARK: Requests

  /// Asks to listen to a target.
  func listen(_ data: TargetData) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("database") { $0.string(database.path) }
      json.member("addTarget") { $0.object { target(data, &$0) } }
      if let label = data.purpose.label {
        json.member("labels") { json in
          json.object { json in json.member("goog-listen-tags") { $0.string(label) } }
        }
      }
    }
    return json.bytes
  }

  /// Asks to listen no more.
  func unlisten(_ id: TargetID) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("database") { $0.string(database.path) }
      json.member("removeTarget") { $0.integer(Int64(id)) }
    }
    return json.bytes
  }

  private func target(_ data: TargetData, _ json: inout JSONWriter) {
    switch data.target.kind {
    case .document(let path):
      json.member("documents") { json in
        json.object { json in
          json.member("documents") { json in
            json.array { $0.string(DocumentName(database: database, path: path).string) }
          }
        }
      }
    case .query(let query, _):
      json.member("query") { json in
        json.object { json in
          json.member("parent") {
            $0.string(ParentName(database: database, path: query.parent).string)
          }
          json.member("structuredQuery") { $0.structuredQuery(query) }
        }
      }
    case .bundle: break
    }
    json.member("targetId") { $0.integer(Int64(data.id)) }
    if !data.resumeToken.isEmpty {
      json.member("resumeToken") { $0.base64(data.resumeToken) }
    } else if data.snapshotVersion > .zero {
      json.member("readTime") { $0.version(data.snapshotVersion) }
    }
    if let count = data.expectedCount { json.member("expectedCount") { $0.integer(Int64(count)) } }
  }

  // MARK: Responses

  /// Reads the server's message; nil for one that means nothing here.
  ///
  /// Throws the stream's error.
  func change(_ json: inout JSONScanner) throws -> WatchChange? {
    var change: WatchChange?
    try json.members { key, json in
      switch key {
      case "documentChange": change = try documentChange(&json)
      case "documentDelete": change = try documentRemoval(&json, isDeletion: true)
      case "documentRemove": change = try documentRemoval(&json, isDeletion: false)
      case "targetChange": change = try targetChange(&json)
      case "filter": change = try existenceFilter(&json)
      case "error": throw try FirestoreFailure(&json)
      default: try json.skip()
      }
    }
    return change
  }

  private func documentChange(_ json: inout JSONScanner) throws -> WatchChange {
    var document: CachedDocument?
    var targets: [TargetID] = []
    var removed: [TargetID] = []
    try json.members { key, json in
      switch key {
      case "document": document = try json.document()
      case "targetIds": targets = try Self.ids(&json)
      case "removedTargetIds": removed = try Self.ids(&json)
      default: try json.skip()
      }
    }
    guard let document else { throw json.malformed }
    return .document(document.path, document, targets: targets, removedTargets: removed)
  }

  private func documentRemoval(_ json: inout JSONScanner, isDeletion: Bool) throws -> WatchChange {
    var name: DocumentName?
    var readTime = CommitVersion.zero
    var removed: [TargetID] = []
    try json.members { key, json in
      switch key {
      case "document": name = try json.documentName()
      case "readTime": readTime = try json.version()
      case "removedTargetIds": removed = try Self.ids(&json)
      default: try json.skip()
      }
    }
    guard let name else { throw json.malformed }
    let missing = CachedDocument(
      name: name,
      content: .missing,
      version: readTime,
      readTime: readTime
    )
    return .document(name.path, isDeletion ? missing : nil, targets: [], removedTargets: removed)
  }

  private func targetChange(_ json: inout JSONScanner) throws -> WatchChange {
    var kind = "NO_CHANGE"
    var ids: [TargetID] = []
    var token: ResumeToken = []
    var readTime: CommitVersion?
    var cause: FirestoreFailure?
    try json.members { key, json in
      switch key {
      case "targetChangeType": kind = try json.string()
      case "targetIds": ids = try Self.ids(&json)
      case "resumeToken": token = try json.base64()
      case "readTime": readTime = try json.version()
      case "cause": cause = try FirestoreFailure(&json)
      default: try json.skip()
      }
    }
    let state: WatchChange.TargetState
    switch kind {
    case "ADD": state = .added
    case "REMOVE": state = .removed(cause)
    case "CURRENT": state = .current
    case "RESET": state = .reset
    default: state = .noChange
    }
    return .target(state, ids: ids, resumeToken: token, readTime: readTime)
  }

  private func existenceFilter(_ json: inout JSONScanner) throws -> WatchChange {
    var id: TargetID = 0
    var count = 0
    var filter: BloomFilter?
    try json.members { key, json in
      switch key {
      case "targetId": id = try Self.id(&json)
      case "count": count = Int(try json.integer())
      case "unchangedNames": filter = try Self.bloomFilter(&json)
      default: try json.skip()
      }
    }
    return .existenceFilter(target: id, count: count, unchanged: filter)
  }

  private static func bloomFilter(_ json: inout JSONScanner) throws -> BloomFilter? {
    var bitmap: [UInt8] = []
    var padding = 0
    var hashCount = 0
    try json.members { key, json in
      switch key {
      case "hashCount": hashCount = Int(try json.integer())
      case "bits":
        try json.members { key, json in
          switch key {
          case "bitmap": bitmap = try json.base64()
          case "padding": padding = Int(try json.integer())
          default: try json.skip()
          }
        }
      default: try json.skip()
      }
    }
    return BloomFilter(bitmap: bitmap, padding: padding, hashCount: hashCount)
  }

  private static func ids(_ json: inout JSONScanner) throws -> [TargetID] {
    var ids: [TargetID] = []
    try json.elements { ids.append(try id(&$0)) }
    return ids
  }

  private static func id(_ json: inout JSONScanner) throws -> TargetID {
    guard let id = TargetID(exactly: try json.integer()) else { throw json.malformed }
    return id
  }
}

extension TargetData.Purpose {
  /// The label that shows the server the purpose of a target.
  fileprivate var label: String? {
    switch self {
    case .listen: nil
    case .existenceFilterMismatch: "existence-filter-mismatch"
    case .existenceFilterMismatchBloom: "existence-filter-mismatch-bloom"
    case .limboResolution: "limbo-document"
    }
  }
}
