import Foundation
import Locking

/// The metadata of an object, some of which an app may set.
///
/// May be used from any thread.
public final class StorageMetadata: NSObject, Sendable {
  /// The values that an app sets; nil for none.
  struct Settable: Sendable, Hashable {
    var cacheControl: String?
    var contentDisposition: String?
    var contentEncoding: String?
    var contentLanguage: String?
    var contentType: String?
    var custom: [String: String]?
  }

  /// The values that the server sets.
  struct Served: Sendable, Hashable {
    var bucket = ""
    var name: String?
    var md5Hash: String?
    var generation: Int64 = 0
    var metageneration: Int64 = 0
    var size: Int64 = 0
    var timeCreated: Date?
    var updated: Date?
    var downloadTokens: [String] = []
  }

  let served: Served
  /// The settable values in the server's response.
  private let original: Settable
  private let current: Lock<Settable>

  init(_ served: Served, original: Settable, current: Settable) {
    self.served = served
    self.original = original
    self.current = Lock(current)
  }

  /// Metadata of which nothing is said yet.
  public convenience override init() {
    self.init(Served(), original: Settable(), current: Settable())
  }

  var settable: Settable { current.withLock { $0 } }

  private func set<Value: Sendable>(
    _ field: WritableKeyPath<Settable, Value> & Sendable,
    _ value: Value
  ) {
    current.withLock { $0[keyPath: field] = value }
  }

  /// The bucket.
  public var bucket: String { served.bucket }
  /// The time that the object may be cached, in the words of HTTP.
  public var cacheControl: String? {
    get { settable.cacheControl }
    set { set(\.cacheControl, newValue) }
  }
  /// The way in which browsers show the object, in the words of HTTP.
  public var contentDisposition: String? {
    get { settable.contentDisposition }
    set { set(\.contentDisposition, newValue) }
  }
  /// The encoding of the bytes, in the words of HTTP.
  public var contentEncoding: String? {
    get { settable.contentEncoding }
    set { set(\.contentEncoding, newValue) }
  }
  /// The language of the object.
  public var contentLanguage: String? {
    get { settable.contentLanguage }
    set { set(\.contentLanguage, newValue) }
  }
  /// The media type of the object.
  public var contentType: String? {
    get { settable.contentType }
    set { set(\.contentType, newValue) }
  }
  /// The app's own pairs.
  public var customMetadata: [String: String]? {
    get { settable.custom }
    set { set(\.custom, newValue) }
  }
  /// The MD5 of the bytes, in Base64.
  public var md5Hash: String? { served.md5Hash }
  /// The version of the bytes.
  public var generation: Int64 { served.generation }
  /// The version of the metadata, of this generation.
  public var metageneration: Int64 { served.metageneration }
  /// The last part of the path.
  public var name: String? { path.map { StoragePath.name(of: $0) } }
  /// The path within the bucket.
  public var path: String? { served.name }
  /// The bytes of the object.
  public var size: Int64 { served.size }
  /// The time at which the object was created.
  public var timeCreated: Date? { served.timeCreated }
  /// The time at which the metadata were last changed.
  public var updated: Date? { served.updated }
  /// True if this is an object's; true for the server's responses.
  public var isFile: Bool { served.name != nil }
  /// True if this is a folder's, of which the server has none.
  public var isFolder: Bool { false }

  /// True for metadata of the same values, both the server's and those that can be set.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? StorageMetadata else { return false }
    return other.served == served && other.settable == settable
  }

  /// A hash of the server's values alone, which stays when settable ones change.
  public override var hash: Int { served.hashValue }

  /// The type and the JSON members.
  public override var description: String { "\(type(of: self)) \(dictionaryRepresentation())" }

  /// A copy of its own.
  public override func copy() -> Any {
    StorageMetadata(served, original: original, current: settable)
  }

  /// The changes since the server's response, as JSON: null for values that were removed.
  var changes: [String: Any] {
    let (old, new) = (original, settable)
    var json: [String: Any] = [:]
    for (name, field) in Self.textFields where old[keyPath: field] != new[keyPath: field] {
      json[name] = new[keyPath: field] ?? NSNull()
    }
    var pairs: [String: Any] = (new.custom ?? [:]).filter { old.custom?[$0.key] != $0.value }
    for key in (old.custom ?? [:]).keys where new.custom?[key] == nil { pairs[key] = NSNull() }
    if !pairs.isEmpty { json["metadata"] = pairs }
    return json
  }

  /// The names of the settable texts in JSON.
  static let textFields: [(String, WritableKeyPath<Settable, String?> & Sendable)] = [
    ("cacheControl", \.cacheControl), ("contentDisposition", \.contentDisposition),
    ("contentEncoding", \.contentEncoding), ("contentLanguage", \.contentLanguage),
    ("contentType", \.contentType),
  ]
}
