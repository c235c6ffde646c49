import BaseText
import FirestoreModel

/// Something that is to be done to an index in the background.
enum IndexTask: Sendable, Hashable {
  case buildDeclared(number: UInt32)
  case eraseDeclared(number: UInt32)
  case buildAutomatic(collectionID: Text, field: FieldPath, AutomaticIndexKind)
  case eraseAutomatic(collectionID: Text, field: FieldPath, AutomaticIndexKind)

  /// The first thing to do; nil when every index is as it should be.
  init?(_ set: IndexSet) {
    for index in set.declared {
      switch index.state {
      case .creating: self = .buildDeclared(number: index.number)
      case .deleting: self = .eraseDeclared(number: index.number)
      case .ready, .failed: continue
      }
      return
    }
    for override in set.overrides {
      let (id, field) = (override.collectionID, override.field)
      for kind in AutomaticIndexKind.all {
        switch override.states[kind] {
        case .creating: self = .buildAutomatic(collectionID: id, field: field, kind)
        case .deleting: self = .eraseAutomatic(collectionID: id, field: field, kind)
        case .ready, .failed, nil: continue
        }
        return
      }
    }
    return nil
  }

  /// Distinguishes the task's progress from others' in `IndexStorage`.
  var key: [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .buildDeclared(let number): append(1, number, to: &bytes)
    case .eraseDeclared(let number): append(2, number, to: &bytes)
    case .buildAutomatic(let id, let field, let kind): append(3, id, field, kind, to: &bytes)
    case .eraseAutomatic(let id, let field, let kind): append(4, id, field, kind, to: &bytes)
    }
    return bytes
  }

  private func append(_ tag: UInt8, _ number: UInt32, to bytes: inout [UInt8]) {
    bytes.append(tag)
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private func append(
    _ tag: UInt8,
    _ id: Text,
    _ field: FieldPath,
    _ kind: AutomaticIndexKind,
    to bytes: inout [UInt8]
  ) {
    bytes += [tag, kind.scope.rawValue, kind.elements ? 1 : 0]
    SegmentEncoding.append(id, to: &bytes)
    SegmentEncoding.append(field, to: &bytes)
  }
}
