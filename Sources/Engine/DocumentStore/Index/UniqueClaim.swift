import BaseStatus
import FirestoreModel
import KeyValueStore

/// The claim of an entry in a unique index: no other document has an entry that begins with the same values.
final class UniqueClaim: Sendable {
  /// The bytes of the entry's key in front of the document's name.
  let length: Int
  /// True where a value is longer than an index holds, so that keys don't tell equal ones.
  let isCut: Bool
  private let index: DeclaredIndex

  init(_ index: DeclaredIndex, _ items: [IndexedValues.Item], length: Int) {
    self.index = index
    self.length = length
    isCut = items.contains(where: \.tag.isTruncated)
  }

  private var fields: String {
    index.definition.fields.map(\.path.canonicalString).joined(separator: ", ")
  }

  var refusal: ServiceError {
    ServiceError(
      .alreadyExists,
      "Another document of \(index.definition.collectionID.string) has the same \(fields). "
        + "The index \(index.id) is unique: choose other values, or delete the index."
    )
  }

  var tooLong: ServiceError {
    .invalidArgument(
      "A value of \(fields) is too long for the unique index \(index.id), which holds the first 1,500 bytes."
    )
  }
}

extension DeclaredIndex {
  /// True where commits are refused that break its uniqueness.
  var isChecked: Bool { definition.isUnique && state != .failed && state != .deleting }
}

/// Looks for documents that have the values which a unique index lets one document have.
struct UniqueCheck {
  let group: any KeyValueReader

  /// Refuses a commit whose documents have values of other documents, or of each other.
  ///
  /// Documents that the same commit deletes or changes have given up the values that they had.
  func check(_ plan: CommitPlan) throws {
    guard plan.documents.contains(where: { $0.added.contains { $0.claim != nil } }) else { return }
    let documents = plan.documents.filter { $0.changeKind != nil }
    var ended: Set<[UInt8]> = []
    for document in documents { for entry in document.ended { ended.insert(entry.entry.key) } }
    var claimed: Set<ArraySlice<UInt8>> = []
    for document in documents {
      for entry in document.added {
        guard let claim = entry.claim else { continue }
        guard !claim.isCut else { throw claim.tooLong }
        guard claimed.insert(entry.key[..<claim.length]).inserted, try isFree(entry, but: ended)
        else { throw claim.refusal }
      }
    }
  }

  /// True where no other entry than the given ones has the values of an entry.
  func isFree(_ entry: IndexEntry, but ended: Set<[UInt8]> = []) throws -> Bool {
    guard let claim = entry.claim else { return true }
    let range = PositionRange.behindValue.keys(below: Array(entry.key[..<claim.length]))
    let cursor = try group.cursor(over: range, reversed: false)
    while try cursor.next() {
      let key = Array(cursor.key)
      if key != entry.key, !ended.contains(key) { return false }
    }
    return true
  }
}
