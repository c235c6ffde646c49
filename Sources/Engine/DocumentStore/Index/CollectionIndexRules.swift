import FirestoreModel

/// The index rules for the collections of one id.
struct CollectionIndexRules: Sendable {
  let incarnation: Incarnation
  let declared: [DeclaredIndex]
  /// The overrides by the field's encoded names, without the terminator.
  private let overrides: [[UInt8]: FieldOverride]
  private let anyField: FieldOverride?

  /// True if some field has automatic entries for collection groups.
  let hasGroupFields: Bool

  /// Rules of declared indexes and overrides that all belong to one collection id.
  init(incarnation: Incarnation, declared: [DeclaredIndex], overrides: [FieldOverride]) {
    self.incarnation = incarnation
    self.declared = declared
    var byField: [[UInt8]: FieldOverride] = [:]
    for override in overrides where override.field != FieldOverride.anyField {
      byField[Self.names(override.field)] = override
    }
    self.overrides = byField
    anyField = overrides.first { $0.field == FieldOverride.anyField }
    hasGroupFields = overrides.contains { override in
      override.indexes.contains { $0.scope == .collectionGroup }
    }
  }

  /// The rules by which only fields under one override have entries, and only those of one kind.
  func restricted(to field: FieldPath, _ kind: AutomaticIndexKind) -> CollectionIndexRules {
    var list = overrides.values.map { override in
      var copy = override
      copy.indexes = override.field == field ? override.indexes.filter { $0.storage == kind } : []
      return copy
    }
    var any =
      anyField ?? FieldOverride(collectionID: "", field: FieldOverride.anyField, indexes: [])
    any.indexes = field == FieldOverride.anyField ? any.indexes.filter { $0.storage == kind } : []
    list.append(any)
    return CollectionIndexRules(incarnation: incarnation, declared: [], overrides: list)
  }

  /// True if fields differ in their indexes.
  var hasOverrides: Bool { anyField != nil || !overrides.isEmpty }

  /// The override that rules a field: its own, that of the nearest map around it, or that of all
  /// fields; nil where the defaults do.
  func override(for field: FieldPath) -> FieldOverride? {
    override(names: Self.names(field)[...])
  }

  /// The kinds of automatic entries that commits keep for a field, by its encoded names.
  func maintained(fieldPath names: Slice<UnsafeRawBufferPointer>) -> Set<AutomaticIndexKind> {
    override(names: Array(names)[...])?.storage ?? Self.defaultStorage
  }

  private func override(names: ArraySlice<UInt8>) -> FieldOverride? {
    var rest = names
    while !rest.isEmpty {
      if let found = overrides[Array(rest)] { return found }
      rest = rest[..<Self.lastNameStart(rest)]
    }
    return anyField
  }

  private static let defaultStorage = Set(SingleFieldIndex.defaults.map(\.storage))

  static func names(_ field: FieldPath) -> [UInt8] {
    var bytes: [UInt8] = []
    SegmentEncoding.append(field, to: &bytes)
    bytes.removeLast()
    return bytes
  }

  /// Returns the start of the last of some encoded names: names end in 00 01, which occurs nowhere
  /// else.
  private static func lastNameStart(_ names: ArraySlice<UInt8>) -> Int {
    var index = names.endIndex - 3
    while index > names.startIndex {
      if names[index] == 0x01, names[index - 1] == 0x00 { return index + 1 }
      index -= 1
    }
    return names.startIndex
  }
}
