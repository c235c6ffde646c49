import BaseStatus
import FirestoreModel

/// Firestore's limits on the index entries of one document: how many, how large each, and how large together.
///
/// Sizes follow Firestore's storage size calculations. They add the document's name, in a
/// collection's index the parent document's name, the field's name if the index is automatic, the
/// values, and 32 bytes (48 in automatic indexes of groups). A field's name and values take their
/// size in the key, which differs from Firestore's count by a few bytes a value.
struct IndexEntryLimits {
  private let set: IndexSet
  private let path: ResourcePath
  private let collection: ResourcePath

  /// The limits for a document's entries in the indexes of a set.
  init(_ set: IndexSet, path: ResourcePath) {
    self.set = set
    self.path = path
    collection = path.parent
  }

  /// Throws Firestore's refusal where the entries exceed a limit; costs a look at each key's length.
  func check(_ entries: [IndexEntry]) throws(ServiceError) {
    if entries.count > Limits.indexEntries {
      throw .invalidArgument("too many index entries for entity")
    }
    var longest = 0
    var total = 0
    for entry in entries {
      longest = max(longest, entry.key.count)
      total += entry.key.count
    }
    // No entry takes more than its key and this.
    let most = path.byteSize + collection.parent.byteSize + 48
    let isAllowed =
      longest + most <= Limits.indexEntrySize
      && total + most * entries.count <= Limits.indexEntriesSize
    if !isAllowed { try checkSizes(entries) }
  }

  private func checkSizes(_ entries: [IndexEntry]) throws(ServiceError) {
    let automatic = IndexScope.allCases.map { ($0, surplusOfAutomatic($0)) }
    let surplus = Dictionary(uniqueKeysWithValues: automatic)
    var declared: [UInt32: Int] = [:]
    for index in set.declared { declared[index.number] = surplusOfDeclared(index) }
    var total = 0
    for entry in entries {
      let more =
        switch IndexKey.owner(ofKey: entry.key) {
        case .automatic(let scope): surplus[scope]
        case .declared(let number): declared[number]
        case nil: nil as Int?
        }
      let size = entry.key.count + (more ?? 0)
      guard size <= Limits.indexEntrySize else {
        throw .invalidArgument(
          "index entry for entity is larger than \(Limits.indexEntrySize) bytes"
        )
      }
      total += size
    }
    guard total <= Limits.indexEntriesSize else {
      throw .invalidArgument(
        "index entries for entity are larger than \(Limits.indexEntriesSize) bytes together"
      )
    }
  }

  /// Returns the number of bytes by which an automatic entry's size exceeds its key.
  private func surplusOfAutomatic(_ scope: IndexScope) -> Int {
    let kind = AutomaticIndexKind(scope: scope, elements: false)
    let prefix = IndexKey.automaticPrefix(
      incarnation: set.incarnation,
      kind: kind,
      collection: collection
    )
    let names = nameSize(scope) + (scope == .collection ? 32 : 48)
    return names - prefix.count - keyedName(scope)
  }

  private func surplusOfDeclared(_ index: DeclaredIndex) -> Int {
    let scope = index.definition.scope
    let prefix = IndexKey.declaredPrefix(
      incarnation: set.incarnation,
      number: index.number,
      scope: scope,
      collection: collection
    )
    return nameSize(scope) + 32 - prefix.count - keyedName(scope)
  }

  private func nameSize(_ scope: IndexScope) -> Int {
    path.byteSize + (scope == .collection ? collection.parent.byteSize : 0)
  }

  /// Returns the length of the name part of a key.
  private func keyedName(_ scope: IndexScope) -> Int {
    var bytes: [UInt8] = []
    IndexKey.appendName(path, scope: scope, to: &bytes)
    return bytes.count
  }
}
