import BaseStatus
import DocumentCodec
import FirestoreModel

/// The documents that a database should hold, kept as plainly as can be: every version of every
/// document.
struct ModelStore {
  struct Version {
    let at: CommitVersion
    let created: CommitVersion
    /// Nil from a deletion on.
    let fields: MapValue?
  }

  private(set) var versions: [ResourcePath: [Version]] = [:]

  func current(_ path: ResourcePath) -> Version? {
    guard let last = versions[path]?.last, last.fields != nil else { return nil }
    return last
  }

  func at(_ path: ResourcePath, _ time: CommitVersion) -> Version? {
    guard let last = versions[path]?.last(where: { $0.at <= time }), last.fields != nil
    else { return nil }
    return last
  }

  var paths: [ResourcePath] { versions.keys.sorted() }

  /// The refusal that a commit would meet, and the documents that it would leave.
  func preview(_ writes: [Write]) -> (code: StatusCode?, result: [ResourcePath: MapValue?]) {
    if Self.contradicts(writes) { return (.invalidArgument, [:]) }
    var result: [ResourcePath: MapValue?] = [:]
    var touched: Set<ResourcePath> = []
    for write in writes {
      let path = write.name.path
      let old = result[path] ?? current(path)?.fields
      switch write.precondition {
      case .exists(true) where old == nil: return (.notFound, [:])
      case .exists(false) where old != nil: return (.alreadyExists, [:])
      case .updateTime(let time) where current(path)?.at != time:
        let isTooNew = current(path).map { $0.at < time } ?? false
        return (isTooNew ? .invalidArgument : .failedPrecondition, [:])
      default: break
      }
      let new: MapValue?
      switch write.operation {
      case .delete: new = nil
      case .verify: new = old
      case .transform: new = old ?? MapValue()
      case .update(let fields, nil): new = fields.decoded()
      case .update(let fields, let mask?):
        new = (old ?? MapValue()).applying(fields.decoded(), mask: mask)
      }
      if new != old { touched.insert(path) }
      result[path] = .some(new)
    }
    return (nil, result.filter { touched.contains($0.key) })
  }

  /// Returns true if a write demands a state that the writes before it rule out, whatever is
  /// stored.
  static func contradicts(_ writes: [Write]) -> Bool {
    writes.indices.contains { index in
      let earlier = writes[..<index].filter { $0.name.path == writes[index].name.path }
      guard let first = earlier.first, let last = earlier.last else { return false }
      let isThere = last.operation != .delete
      switch writes[index].precondition {
      case nil: return false
      case .exists(let isWanted): return isWanted != isThere
      case .updateTime: return !isThere || first.precondition != writes[index].precondition
      }
    }
  }

  mutating func apply(
    _ result: [ResourcePath: MapValue?],
    deleted: Set<ResourcePath>,
    at time: CommitVersion
  ) {
    for (path, fields) in result {
      let isNew = current(path) == nil || deleted.contains(path)
      if fields == nil, current(path) == nil { continue }
      let created = isNew ? time : current(path)?.created ?? time
      versions[path, default: []].append(Version(at: time, created: created, fields: fields))
    }
  }
}
