import BaseStatus
import BaseText

/// The method that an HTTP request names, with the parameters in its path.
///
/// Routes, below `/v1/projects/{p}/databases/{d}/documents` (or `/v1beta1/…`):
///
/// - GET an even path: GetDocument; GET an odd one or a path that ends in `/`: ListDocuments
/// - POST an odd path: CreateDocument
/// - PATCH, DELETE an even path: UpdateDocument, DeleteDocument
/// - POST the root with `:batchGet`, `:beginTransaction`, `:commit`, `:rollback`, `:batchWrite`,
///   `:executePipeline`, `:write`, `:listen`
/// - POST the root or an even path with `:runQuery`, `:runAggregationQuery`, `:partitionQuery`,
///   `:listCollectionIds`
///
/// Paths are cut at the raw slashes, then decoded. A verb is the text after the last colon, if it
/// is one of these: IDs may have colons.
struct RESTRoute: Sendable, Hashable {
  /// The methods that a colon leads to, with whether they take a document as well as the root.
  private static let verbs: [String: (method: RPCMethod, takesDocument: Bool)] = [
    "batchGet": (.batchGetDocuments, false),
    "batchWrite": (.batchWrite, false),
    "beginTransaction": (.beginTransaction, false),
    "commit": (.commit, false),
    "executePipeline": (.executePipeline, false),
    "listCollectionIds": (.listCollectionIDs, true),
    "listen": (.listen, false),
    "partitionQuery": (.partitionQuery, true),
    "rollback": (.rollback, false),
    "runAggregationQuery": (.runAggregationQuery, true),
    "runQuery": (.runQuery, true),
    "write": (.write, false),
  ]

  let method: RPCMethod
  /// Fields of the request that the path sets: their path and value.
  let bindings: [[String]: String]

  /// Finds the route; nil where no method has it.
  init?(method: String, path: String) throws(ServiceError) {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false)[...]
    guard parts.popFirst()?.isEmpty == true, let version = parts.popFirst(),
      version == "v1" || version == "v1beta1"
    else { return nil }
    var verb: RPCMethod?
    if method == "POST", let last = parts.popLast() {
      let (id, found, takesDocument) = Self.splitVerb(last)
      verb = found
      parts.append(id)
      // The root and documents have an odd count: projects, p, databases, d, documents, ...
      if found != nil && (takesDocument ? parts.count.isMultiple(of: 2) : parts.count != 5) {
        return nil
      }
    }
    let segments = try Self.decode(parts)
    guard segments.count >= 5, segments[0] == "projects", segments[2] == "databases",
      segments[4] == "documents"
    else { return nil }
    guard let route = Self.route(method, verb, segments) else { return nil }
    self = route
  }

  private init(_ method: RPCMethod, _ bindings: [[String]: String]) {
    self.method = method
    self.bindings = bindings
  }

  private static func splitVerb(
    _ part: Substring
  ) -> (id: Substring, method: RPCMethod?, takesDocument: Bool) {
    guard let colon = part.lastIndex(of: ":"),
      let verb = verbs[String(part[part.index(after: colon)...])]
    else { return (part, nil, false) }
    return (part[..<colon], verb.method, verb.takesDocument)
  }

  private static func decode(
    _ parts: ArraySlice<Substring>
  ) throws(ServiceError) -> [String] {
    var segments: [String] = []
    for part in parts {
      guard let segment = PercentEncoding.decode(part) else {
        throw .invalidArgument("The URL's path has a malformed escape: \"\(part)\".")
      }
      // Names are joined with slashes again; one inside an id would make it two.
      if segment.utf8.contains(UInt8(ascii: "/")) {
        throw .invalidArgument("Resource id \"\(segment)\" is invalid because it contains \"/\".")
      }
      segments.append(segment)
    }
    return segments
  }

  private static func route(
    _ method: String,
    _ verb: RPCMethod?,
    _ segments: [String]
  ) -> RESTRoute? {
    let name = segments.joined(separator: "/")
    if let verb {
      let database = segments.prefix(4).joined(separator: "/")
      return RESTRoute(verb, takesParent(verb) ? [["parent"]: name] : [["database"]: database])
    }
    let isDocument = segments.count > 5 && !segments.count.isMultiple(of: 2)
    let isCollection = segments.count.isMultiple(of: 2)
    let collection = [
      ["parent"]: segments.dropLast().joined(separator: "/"),
      ["collection_id"]: segments[segments.count - 1],
    ]
    switch method {
    case "GET" where isDocument: return RESTRoute(.getDocument, [["name"]: name])
    case "GET" where isCollection: return RESTRoute(.listDocuments, collection)
    case "POST" where isCollection: return RESTRoute(.createDocument, collection)
    case "PATCH" where isDocument: return RESTRoute(.updateDocument, [["document", "name"]: name])
    case "DELETE" where isDocument: return RESTRoute(.deleteDocument, [["name"]: name])
    default: return nil
    }
  }

  private static func takesParent(_ method: RPCMethod) -> Bool {
    switch method {
    case .listCollectionIDs, .partitionQuery, .runAggregationQuery, .runQuery: true
    default: false
    }
  }
}
