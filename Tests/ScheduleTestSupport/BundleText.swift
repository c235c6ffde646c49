import DocumentCodec
import FirestoreModel
import FirestoreSync

/// A bundle of the documents that a model server had.
struct BundleText {
  private let state: ModelServer.State
  private let version: CommitVersion
  private let database: DatabaseID

  init(_ state: ModelServer.State, at version: CommitVersion, database: DatabaseID) {
    self.state = state
    self.version = version
    self.database = database
  }

  /// The bundle under an id of its own.
  func bytes(id: String) -> [UInt8] {
    let documents = state.values.sorted { $0.path < $1.path }
    let body = documents.flatMap(elements).map(Self.counted).joined()
    let head =
      #"{"metadata":{"id":"\#(id)","createTime":"\#(Self.text(version))","version":1,"#
      + #""totalDocuments":\#(documents.count),"totalBytes":"\#(body.utf8.count)"}}"#
    return Array("\(Self.counted(head))\(body)".utf8)
  }

  private static func counted(_ element: String) -> String { "\(element.utf8.count)\(element)" }

  private func elements(of document: CachedDocument) -> [String] {
    let name =
      "projects/\(database.project)/databases/\(database.database)/documents/\(document.path.string)"
    let fields = (document.fields?.decoded().entries ?? []).map { entry in
      #""\#(entry.key)":\#(Self.text(entry.value))"#
    }
    return [
      #"{"documentMetadata":{"name":"\#(name)","readTime":"\#(Self.text(version))","exists":true}}"#,
      #"{"document":{"name":"\#(name)","createTime":"\#(Self.text(document.createTime))","#
        + #""updateTime":"\#(Self.text(document.version))","fields":{\#(fields.joined(separator: ","))}}}"#,
    ]
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .integer(let number): #"{"integerValue":"\#(number)"}"#
    case .timestamp(let time): #"{"timestampValue":"\#(text(time))"}"#
    case .array(let elements):
      #"{"arrayValue":{"values":[\#(elements.map { text($0) }.joined(separator: ","))]}}"#
    default: preconditionFailure("Schedules write no \(value).")
    }
  }

  private static func text(_ version: CommitVersion) -> String { text(version.timestamp) }

  /// The model's clock begins in 1970 and never gets to its second minute.
  private static func text(_ time: Timestamp) -> String {
    precondition((0..<60).contains(time.seconds))
    let seconds = time.seconds < 10 ? "0\(time.seconds)" : "\(time.seconds)"
    let fraction = String("\(1_000_000_000 + Int(time.nanos))".dropFirst())
    return "1970-01-01T00:00:\(seconds).\(fraction)Z"
  }
}
