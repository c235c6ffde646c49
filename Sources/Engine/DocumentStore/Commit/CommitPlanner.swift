import FirestoreModel
import KeyValueStore

/// Works out what writes come to, against the records that `read` gives.
///
/// The same code prepares a commit on its caller's thread and, where that turns out stale, plans it
/// again inside the group.
struct CommitPlanner {
  let incarnation: Incarnation
  let indexes: IndexSet
  /// The value of server timestamps, asked for when the first one comes.
  let requestTime: () throws -> Timestamp
  /// The newest value of a key.
  let read: ([UInt8]) throws -> [UInt8]?
  /// The purpose of the plan.
  var purpose = Purpose.commit
  /// No read sees versions before this one any more.
  var historyFloor = CommitVersion.zero

  /// The purpose of a plan.
  enum Purpose {
    case commit
    /// Also reports the result of each write.
    case judgedCommit
    /// Reports only that, if the commit itself is refused: preconditions and limits do not count.
    case preview
  }

  /// Applies the writes in order, each seeing the ones before it.
  ///
  /// Throws the first refusal.
  func plan(_ writes: [Write]) throws -> CommitPlan {
    var plan = CommitPlan(indexGeneration: indexes.generation)
    plan.results.reserveCapacity(writes.count)
    var working: [WorkingDocument] = []
    working.reserveCapacity(writes.count)
    var indices: [ResourcePath: Int] = [:]
    for write in writes {
      let document = try open(write.name, in: &working, indices: &indices, alone: writes.count == 1)
      try plan.results.append(apply(write, to: &working[document], plan: &plan))
      if purpose != .commit {
        plan.steps.append(PlannedStep(document: document, fields: working[document].fields))
      }
    }
    plan.documents = try working.map { try finish($0, plan: &plan) }
    return plan
  }

  private func open(
    _ name: DocumentName,
    in working: inout [WorkingDocument],
    indices: inout [ResourcePath: Int],
    alone: Bool
  ) throws -> Int {
    if !alone {
      if let known = indices[name.path] { return known }
      indices[name.path] = working.count
    }
    let key = DocumentKey(name.path, in: incarnation)
    let base = try ValueFormat.document.value(of: key.bytes, read: read)
    working.append(WorkingDocument(name: name, key: key, base: base))
    return working.count - 1
  }

  private func apply(
    _ write: Write,
    to document: inout WorkingDocument,
    plan: inout CommitPlan
  ) throws -> PlannedResult {
    if purpose != .preview { try document.judge(write.precondition) }
    switch write.operation {
    case .verify:
      return PlannedResult(updateTime: .none)
    case .delete:
      document.delete()
      return PlannedResult(updateTime: .none)
    case .update, .transform:
      if plan.requestTime == nil, write.transforms.contains(where: \.needsRequestTime) {
        plan.requestTime = try requestTime()
      }
      let (fields, results) = try WriteApplication.apply(
        write,
        to: document.fields,
        requestTime: plan.requestTime,
        isChecked: purpose != .preview
      )
      document.put(fields)
      return PlannedResult(updateTime: document.updateTime, transformResults: results)
    }
  }

  private func finish(
    _ document: WorkingDocument,
    plan: inout CommitPlan
  ) throws -> PlannedDocument {
    var planned = PlannedDocument(
      path: document.name.path,
      key: document.key,
      base: document.base,
      outcome: document.outcome
    )
    if purpose == .preview { return planned }
    switch planned.outcome {
    case .unchanged: return planned
    case .put(let fields, _):
      let new = try indexes.allowedEntries(of: planned.path, fields: fields)
      try setEntries(of: &planned, new: new, plan: &plan)
    case .deleted:
      try setEntries(of: &planned, new: [], plan: &plan)
    }
    return planned
  }

  /// Splits the entries into those that begin and those that end; equal ones stay as they are.
  private func setEntries(
    of document: inout PlannedDocument,
    new: [IndexEntry],
    plan: inout CommitPlan
  ) throws {
    guard let base = document.base else {
      document.added = new
      return
    }
    let old = indexes.entries(of: document.path, fields: base.fields)
    let difference = EntryDifference(old: old, new: new, isContinued: !document.isMadeAgain)
    document.added = difference.begun
    for (entry, isReplaced) in difference.ended {
      guard let from = try beginning(of: entry, base) else {
        // An index that is being built has not come here yet, or comes in this moment.
        plan.missedEntries = true
        continue
      }
      document.ended.append(EndedEntry(entry: entry, from: from, isReplaced: isReplaced))
    }
  }

  /// The version that wrote an entry of a document, or a later one that serves every read as well;
  /// nil if the entry is not there.
  ///
  /// An entry begins between its document's creation and last update. So most deletions need not read
  /// entries, which are as many places of the store as there are fields.
  private func beginning(of entry: IndexEntry, _ base: StoredDocument) throws -> CommitVersion? {
    let isKnown = base.createTime == base.updateTime || base.updateTime <= historyFloor
    if isKnown, indexes.isBuilt { return base.updateTime }
    return try read(entry.key)?.withUnsafeBytes { IndexEntryCoding.version(ofValue: $0) }
  }
}

extension FieldTransform {
  /// True if the value depends on the time of the request.
  var needsRequestTime: Bool {
    if case .serverTimestamp = operation { return true }
    return false
  }
}
