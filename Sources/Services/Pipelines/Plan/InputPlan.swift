import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel

/// The documents that an input ranges over.
struct InputScope: Hashable {
  let parent: ResourcePath
  let scope: Query.Scope

  init(collection: ResourcePath) {
    parent = collection.parent
    scope = .collection(collection.lastID ?? "")
  }

  init(group: Text) {
    parent = .root
    scope = .collectionGroup(group)
  }

  /// The whole database.
  init() {
    parent = .root
    scope = .descendants
  }

  /// A query for all documents of the scope.
  var query: Query { Query(parent: parent, scope: scope) }

  /// Returns true if a document may be in the scope, so that its name may be looked for there.
  func holds(_ path: ResourcePath) -> Bool {
    guard path.isDocument else { return false }
    return switch scope {
    case .collection(let id): path.parent == parent.appending(id)
    case .collectionGroup(let id): path.parent.lastID == id
    case .children, .descendants: false
    }
  }

  /// The path of the document with an ID in the one collection of the scope; nil where there can't be one.
  func path(ofDocument id: Value) -> ResourcePath? {
    guard case .collection(let collection) = scope, case .string(let text) = id,
      (try? ResourceID.checkDocument(text)) != nil
    else { return nil }
    return parent.appending(collection).appending(text)
  }

  var text: String {
    switch scope {
    case .collection(let id): "/" + parent.appending(id).string
    case .collectionGroup(let id): "**/\(id.string)"
    case .children, .descendants: "/"
    }
  }
}

/// The way in which the documents of an input are read.
struct InputPlan {
  let scope: InputScope
  let cursor: QueryCursor
  /// Queries that hold every document which the pipeline can see of the input; the rules may allow one by proof.
  let proofs: [NormalizedQuery]
  /// True if the query gives the rows in the order of the pipeline's sort.
  let isSorted: Bool
  /// True if the query ends with the rows that the pipeline's limit leaves.
  let isLimited: Bool
  /// Conditions that the query leaves to a filter, in the order in which they are to be evaluated.
  let residual: [Expression]
  /// The only fields that are read, where index entries hold them all; nil where documents are read.
  let covered: CoveredFields?
  let nodeName: String
  private let read: QueryPlan

  init(
    scope: InputScope,
    cursor: QueryCursor,
    proofs: [NormalizedQuery],
    isSorted: Bool,
    isLimited: Bool,
    residual: [Expression],
    covered: CoveredFields?,
    nodeName: String,
    read: QueryPlan
  ) {
    self.scope = scope
    self.cursor = cursor
    self.proofs = proofs
    self.isSorted = isSorted
    self.isLimited = isLimited
    self.residual = residual
    self.covered = covered
    self.nodeName = nodeName
    self.read = read
  }

  /// True if few documents are wanted and the query reads no others.
  var isDirect: Bool { isLimited && residual.isEmpty && !read.sortsInMemory }

  /// The input in words, for `explain`.
  var detail: String { "\(scope.text) \(read.text)" + (covered == nil ? "" : ", covering") }
}
