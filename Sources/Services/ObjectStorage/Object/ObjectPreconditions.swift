/// The conditions that an object must meet for a request to be done; nil is no condition.
package struct ObjectPreconditions: Sendable, Hashable {
  /// 0 is that there is no live generation.
  package var generation: Int64?
  /// The generation that the object must not have; 0 requires that there is an object.
  package var notGeneration: Int64?
  /// The metageneration that the object must have; no object fails it.
  package var metageneration: Int64?
  /// The metageneration that the object must not have; no object meets it.
  package var notMetageneration: Int64?
  /// Tags of which one must be the object's; `*` is any object's.
  package var entityTags: [String]?
  /// Tags of which none may be the object's.
  package var notEntityTags: [String]?

  /// No condition.
  package init() {}

  /// That the object is not there yet.
  package static let absent: ObjectPreconditions = {
    var conditions = ObjectPreconditions()
    conditions.generation = 0
    return conditions
  }()

  /// Throws `conditionNotMet` unless all hold for the current object.
  package func check(_ object: StoredObject?) throws(StorageError) {
    guard isMet(positivesBy: object), isMet(negativesBy: object) else {
      throw .conditionNotMet
    }
  }

  /// The same for a read: where it is a `not…` that fails, the reader has the object already.
  package func checkRead(_ object: StoredObject) throws(StorageError) {
    guard isMet(positivesBy: object) else { throw .conditionNotMet }
    guard isMet(negativesBy: object) else {
      throw StorageError(.notModified, "Not Modified")
    }
  }

  private func isMet(positivesBy object: StoredObject?) -> Bool {
    (generation.map { $0 == object?.generation ?? 0 } ?? true)
      && (metageneration.map { $0 == object?.metageneration } ?? true)
      && (entityTags.map { Self.list($0, has: object) } ?? true)
  }

  private func isMet(negativesBy object: StoredObject?) -> Bool {
    (notGeneration.map { $0 != object?.generation ?? 0 } ?? true)
      && (notMetageneration.map { $0 != object?.metageneration } ?? true)
      && (notEntityTags.map { !Self.list($0, has: object) } ?? true)
  }

  private static func list(_ tags: [String], has object: StoredObject?) -> Bool {
    guard let object else { return false }
    return tags.contains { $0 == "*" || $0 == object.entityTag || $0 == object.contentTag }
  }
}
