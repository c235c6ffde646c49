import BaseStatus
import DocumentStore

/// The way to read an input that the option `force_index` asks for.
enum ForcedIndex: Sendable {
  /// All documents of the input in the order of their names; `primary` in requests.
  case scan
  /// The declared index of that ID.
  case declared(String)

  /// Reads the option of an input; nil where there is none.
  init?(_ arguments: StageArguments) throws(ServiceError) {
    guard let name = try arguments.optionalString("force_index") else { return nil }
    self = name == "primary" ? .scan : .declared(name)
  }
}

extension StagePlan {
  /// The collections of an input that may name an index; nil for other inputs.
  var namedScope: InputScope? {
    switch input {
    case .collection(let path): InputScope(collection: path)
    case .collectionGroup(let id): InputScope(group: id)
    case .database, .documents, .literals, .subcollection: nil
    }
  }
}

extension InputPlanner {
  /// The planner of an input.
  ///
  /// Throws INVALID_ARGUMENT where the index that the request names does not exist, and
  /// FAILED_PRECONDITION where it is not ready.
  init(
    _ store: PipelineStore,
    usesIndexes: Bool,
    _ index: ForcedIndex?,
    of scope: InputScope
  ) throws {
    switch index {
    case nil: self.init(store: store, usesIndexes: usesIndexes)
    case .scan: self.init(store: store, usesIndexes: false)
    case .declared(let id):
      let forced = try Self.declared(id, scope, store)
      self.init(store: store, usesIndexes: usesIndexes, forced: forced)
    }
  }

  private static func declared(
    _ id: String,
    _ scope: InputScope,
    _ store: PipelineStore
  ) throws -> DeclaredIndex {
    guard let index = store.indexes(of: scope).first(where: { $0.id == id && $0.isListed }) else {
      throw ServiceError.invalidArgument(
        "Invalid index \"\(id)\". The input \(scope.text) has no index of that ID."
      )
    }
    guard index.state.isUsable(at: try store.version()) else {
      throw ServiceError(
        .failedPrecondition,
        "The index \"\(id)\" is not ready. Wait until it is built, or leave out force_index."
      )
    }
    return index
  }
}
