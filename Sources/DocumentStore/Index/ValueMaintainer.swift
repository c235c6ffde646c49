import FirestoreModel

/// Automatic indexes of values: one ascending entry for every field, at any depth of maps.
struct ValueMaintainer: IndexMaintainer {
  private let rules: CollectionIndexRules

  init(_ rules: CollectionIndexRules) { self.rules = rules }

  func addEntries(of document: IndexedDocument, to entries: inout [IndexEntry]) {
    AutomaticEntryWriter(rules, document, elements: false)
      .add(document.values.values, of: document.values, to: &entries)
  }
}

/// Automatic indexes of array elements: one entry for every distinct element of an array field.
struct ElementMaintainer: IndexMaintainer {
  private let rules: CollectionIndexRules

  init(_ rules: CollectionIndexRules) { self.rules = rules }

  func addEntries(of document: IndexedDocument, to entries: inout [IndexEntry]) {
    if document.values.elements.isEmpty { return }
    AutomaticEntryWriter(rules, document, elements: true)
      .add(document.values.elements, of: document.values, to: &entries)
  }
}

/// Puts the keys of automatic entries together.
private struct AutomaticEntryWriter {
  private let rules: CollectionIndexRules
  private let elements: Bool
  private let collectionPrefix: [UInt8]
  private let collectionName: [UInt8]
  private let groupPrefix: [UInt8]
  private let groupName: [UInt8]

  init(_ rules: CollectionIndexRules, _ document: IndexedDocument, elements: Bool) {
    self.rules = rules
    self.elements = elements
    collectionPrefix = IndexKey.automaticPrefix(
      incarnation: rules.incarnation,
      kind: AutomaticIndexKind(scope: .collection, elements: elements),
      collection: document.collection
    )
    collectionName = document.name(.collection)
    groupName = rules.hasGroupFields ? document.name(.collectionGroup) : []
    groupPrefix =
      rules.hasGroupFields
      ? IndexKey.automaticPrefix(
        incarnation: rules.incarnation,
        kind: AutomaticIndexKind(scope: .collectionGroup, elements: elements),
        collection: document.collection
      ) : []
  }

  func add(
    _ items: [IndexedValues.Item],
    of values: IndexedValues,
    to entries: inout [IndexEntry]
  ) {
    values.withBytes { bytes in
      for item in items {
        let kinds = rules.hasOverrides ? rules.maintained(fieldPath: bytes[item.path]) : nil
        if kinds?.contains(AutomaticIndexKind(scope: .collection, elements: elements)) != false {
          entries.append(entry(item, bytes, collectionPrefix, collectionName))
        }
        if kinds?.contains(AutomaticIndexKind(scope: .collectionGroup, elements: elements)) == true
        {
          entries.append(entry(item, bytes, groupPrefix, groupName))
        }
      }
    }
  }

  private func entry(
    _ item: IndexedValues.Item,
    _ bytes: UnsafeRawBufferPointer,
    _ prefix: [UInt8],
    _ name: [UInt8]
  ) -> IndexEntry {
    let path = bytes[item.path.lowerBound...item.path.upperBound]
    let value = bytes[item.value]
    let count = prefix.count + path.count + value.count + name.count
    let key = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      var rest = UnsafeMutableRawBufferPointer(buffer)
      func put(_ part: UnsafeRawBufferPointer) {
        rest.copyMemory(from: part)
        rest = UnsafeMutableRawBufferPointer(rebasing: rest[part.count...])
      }
      prefix.withUnsafeBytes { put($0) }
      put(UnsafeRawBufferPointer(rebasing: path))
      put(UnsafeRawBufferPointer(rebasing: value))
      name.withUnsafeBytes { put($0) }
      initialized = count
    }
    return IndexEntry(key: key, tags: IndexEntry.tags(item.tag))
  }
}
