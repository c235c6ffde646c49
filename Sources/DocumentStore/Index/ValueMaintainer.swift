import FirestoreModel

/// Automatic indexes of values: one ascending entry for every field, at any depth of maps.
struct ValueMaintainer: IndexMaintainer {
  private let rules: CollectionIndexRules

  init(_ rules: CollectionIndexRules) { self.rules = rules }

  func addEntries(of document: IndexedDocument, to entries: inout [IndexEntry]) {
    let writer = AutomaticEntryWriter(rules, document, elements: false)
    for value in document.values.values { writer.add(value, to: &entries) }
  }
}

/// Automatic indexes of array elements: one entry for every distinct element of an array field.
struct ElementMaintainer: IndexMaintainer {
  private let rules: CollectionIndexRules

  init(_ rules: CollectionIndexRules) { self.rules = rules }

  func addEntries(of document: IndexedDocument, to entries: inout [IndexEntry]) {
    if document.values.elements.isEmpty { return }
    let writer = AutomaticEntryWriter(rules, document, elements: true)
    for element in document.values.elements { writer.add(element, to: &entries) }
  }
}

/// Puts the keys of automatic entries together.
private struct AutomaticEntryWriter {
  private let rules: CollectionIndexRules
  private let document: IndexedDocument
  private let elements: Bool
  private let collectionPrefix: [UInt8]
  private let groupPrefix: [UInt8]

  init(_ rules: CollectionIndexRules, _ document: IndexedDocument, elements: Bool) {
    self.rules = rules
    self.document = document
    self.elements = elements
    collectionPrefix = IndexKey.automaticPrefix(
      incarnation: rules.incarnation,
      kind: AutomaticIndexKind(scope: .collection, elements: elements),
      collection: document.collection
    )
    groupPrefix =
      rules.hasGroupFields
      ? IndexKey.automaticPrefix(
        incarnation: rules.incarnation,
        kind: AutomaticIndexKind(scope: .collectionGroup, elements: elements),
        collection: document.collection
      ) : []
  }

  func add(_ value: IndexedValues.Item, to entries: inout [IndexEntry]) {
    guard rules.hasOverrides else {
      entries.append(entry(value, collectionPrefix, document.name(.collection)))
      return
    }
    let kinds = rules.maintained(fieldPath: document.values.path(of: value))
    if kinds.contains(AutomaticIndexKind(scope: .collection, elements: elements)) {
      entries.append(entry(value, collectionPrefix, document.name(.collection)))
    }
    if kinds.contains(AutomaticIndexKind(scope: .collectionGroup, elements: elements)) {
      entries.append(entry(value, groupPrefix, document.name(.collectionGroup)))
    }
  }

  private func entry(
    _ value: IndexedValues.Item,
    _ prefix: [UInt8],
    _ name: [UInt8]
  ) -> IndexEntry {
    let path = document.values.terminatedPath(of: value)
    let encoded = document.values.encoded(value)
    var key: [UInt8] = []
    key.reserveCapacity(prefix.count + path.count + encoded.count + name.count)
    key.append(contentsOf: prefix)
    key.append(contentsOf: path)
    key.append(contentsOf: encoded)
    key.append(contentsOf: name)
    return IndexEntry(key: key, tags: value.tag == .exact ? [] : [value.tag.rawValue])
  }
}
