import BaseText
import KeyValueStore

/// A rule by which a bucket's objects and uploads are deleted without a request.
package struct LifecycleRule: Sendable, Hashable {
  /// The action of the rule.
  package enum Action: Int64, Sendable, Hashable {
    case delete = 1
    case abortUpload = 2
  }

  /// `delete` is about objects, `abortUpload` about unfinished multipart uploads.
  package var action: Action
  /// Days since the object was made, or the upload was begun.
  package var age: Int64?
  /// In microseconds since 1970: made before that.
  package var createdBefore: Int64?
  /// True for the live generation alone, false for the others, nil for any.
  package var isLive: Bool?
  /// At least so many generations of the name are newer.
  package var newerVersions: Int64?
  /// Days since another generation took its place.
  package var noncurrentDays: Int64?
  /// Days since the time that the client gave it.
  package var customDays: Int64?
  /// One of these begins the name; empty is any name.
  package var prefixes: [Text] = []
  /// One of these ends the name; empty is any name.
  package var suffixes: [Text] = []

  /// A rule without conditions.
  package init(_ action: Action) { self.action = action }

  /// Throws for a rule without a condition, which would be about everything, and for numbers that are negative, or more
  /// than 32 bits hold.
  func check() throws(StorageError) {
    guard self != LifecycleRule(action) else {
      throw StorageError(.invalid, "A lifecycle management rule must have at least one condition.")
    }
    for number in [age, newerVersions, noncurrentDays, customDays] {
      guard (0...Int64(Int32.max)).contains(number ?? 0) else {
        throw StorageError(.invalid, "A number of a lifecycle rule's condition is out of range.")
      }
    }
  }

  private static let day: Int64 = 86_400_000_000

  /// Returns true if the rule is about an object.
  ///
  /// - Parameters:
  ///   - newer: The number of newer generations of the name.
  ///   - now: In microseconds since 1970.
  func matches(_ object: StoredObject, newer: Int64, now: Int64) -> Bool {
    guard action == .delete, matches(name: object.name, begun: object.created, now: now)
    else { return false }
    if let isLive, isLive != object.isLive { return false }
    if let newerVersions, newer < newerVersions { return false }
    if let noncurrentDays {
      guard case .noncurrent(let since) = object.state, Self.passed(since, noncurrentDays, now)
      else { return false }
    }
    if let customDays {
      guard let time = object.attributes.customTime, Self.passed(time, customDays, now)
      else { return false }
    }
    return true
  }

  /// Returns true if the rule is about an upload that was begun then.
  package func matches(upload name: ObjectName, begun: Int64, now: Int64) -> Bool {
    action == .abortUpload && matches(name: name, begun: begun, now: now)
  }

  private func matches(name: ObjectName, begun: Int64, now: Int64) -> Bool {
    if let age, !Self.passed(begun, age, now) { return false }
    if let createdBefore, begun >= createdBefore { return false }
    let bytes = name.text.utf8
    if !prefixes.isEmpty, !prefixes.contains(where: { bytes.starts(with: $0.utf8) }) {
      return false
    }
    return suffixes.isEmpty
      || suffixes.contains { bytes.reversed().starts(with: $0.utf8.reversed()) }
  }

  private static func passed(_ time: Int64, _ days: Int64, _ now: Int64) -> Bool {
    now >= time && (now - time) / day >= days
  }

  // MARK: Its record

  //  1 action     2 age + 1     3 created before    4 live (1 no, 2 yes)   5 newer versions + 1
  //  6 days noncurrent + 1      7 days since custom time + 1    8 prefixes      9 suffixes

  func write(to writer: inout RecordWriter) {
    writer.put(1, action.rawValue)
    writer.put(2, age.map { $0 + 1 })
    writer.put(3, createdBefore)
    writer.put(4, isLive.map { $0 ? 2 : 1 })
    writer.put(5, newerVersions.map { $0 + 1 })
    writer.put(6, noncurrentDays.map { $0 + 1 })
    writer.put(7, customDays.map { $0 + 1 })
    for prefix in prefixes { writer.put(8, prefix) }
    for suffix in suffixes { writer.put(9, suffix) }
  }

  init(_ record: RecordReader) throws {
    var reader = record
    self.init(.delete)
    while let field = try reader.next() {
      switch field.tag {
      case 1:
        guard let action = Action(rawValue: try field.number()) else {
          throw RecordReader.corrupt("an unknown action")
        }
        self.action = action
      case 2: age = try field.number() - 1
      case 3: createdBefore = try field.number()
      case 4: isLive = try field.number() == 2
      case 5: newerVersions = try field.number() - 1
      case 6: noncurrentDays = try field.number() - 1
      case 7: customDays = try field.number() - 1
      case 8: prefixes.append(try field.text())
      case 9: suffixes.append(try field.text())
      default: break
      }
    }
  }
}
