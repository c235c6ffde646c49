/// The changes to a document's index entries: both lists are sorted by key, each key once.
struct EntryDifference {
  private(set) var begun: [IndexEntry] = []
  /// The entries that end, and if their key continues with other tags.
  private(set) var ended: [(entry: IndexEntry, isReplaced: Bool)] = []

  /// - Parameter isContinued: False for a document that a commit deletes and makes again: all its
  ///   entries end then, and the new ones begin with it.
  init(old: [IndexEntry], new: [IndexEntry], isContinued: Bool) {
    var left = 0
    var right = 0
    while left < old.count, right < new.count {
      if old[left].key == new[right].key {
        if !isContinued || old[left].tags != new[right].tags {
          ended.append((old[left], true))
          begun.append(new[right])
        }
        left += 1
        right += 1
      } else if old[left].key.lexicographicallyPrecedes(new[right].key) {
        ended.append((old[left], false))
        left += 1
      } else {
        begun.append(new[right])
        right += 1
      }
    }
    ended += old[left...].map { ($0, false) }
    begun += new[right...]
  }
}
