import FirestoreModel

/// The fields of documents that a pipeline's stages read.
///
/// They are known where a stage makes rows of its own (`select`, `aggregate`, `distinct`) before anything has to do with
/// whole documents, with their times or with sub-pipelines.
struct NeededFields {
  private(set) var paths: Set<FieldPath> = []

  /// Returns nil where all of a document may be read.
  init?(_ stages: ArraySlice<Stage>) {
    for stage in stages {
      switch stage {
      case .select, .aggregate, .distinct:
        guard stage.expressions.allSatisfy({ add($0) }) else { return nil }
        return
      case .filter, .addFields, .sort, .findNearest, .unnest, .define:
        guard stage.expressions.allSatisfy({ add($0) }) else { return nil }
      case .removeFields, .offset, .limit, .sample, .union: continue
      case .replaceWith, .update, .delete: return nil
      }
    }
    return nil
  }

  /// Adds the fields of an expression; false where it may read all of a document.
  mutating func add(_ expression: Expression) -> Bool {
    switch expression {
    case .constant, .variable: return true
    case .rows: return false
    case .field(let path):
      if path.isDocumentName { return true }
      if path == .createTime || path == .updateTime { return false }
      paths.insert(path)
      return true
    case .array(let elements): return elements.allSatisfy { add($0) }
    case .map(let fields): return fields.allSatisfy { add($0.value) }
    case .call(let function, let arguments):
      return !function.readsWholeRow && arguments.allSatisfy { add($0) }
    case .filter(let array, _, let body), .transform(let array, _, _, let body):
      return add(array) && add(body)
    }
  }
}
