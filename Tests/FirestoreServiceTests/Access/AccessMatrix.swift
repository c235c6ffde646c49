import AccessTestSupport
import BaseStatus
import FirestoreModel
import FirestoreWire

@testable import FirestoreService

/// The callers in the matrix.
enum MatrixCaller: CaseIterable, Sendable {
  case nobody, alice, bob, expired, wrongIssuer, wrongAudience, forged, unsigned, administrator

  static let key = "brasa-admin-secret"

  var authorization: String? {
    switch self {
    case .nobody: nil
    case .alice: TestTokens.bearer("alice")
    case .bob: TestTokens.bearer("bob")
    case .expired: TestTokens.bearer("alice", expiry: TestTokens.now - 1)
    case .wrongIssuer: TestTokens.bearer("alice", issuer: "https://securetoken.google.com/q")
    case .wrongAudience: TestTokens.bearer("alice", project: "q")
    case .forged: TestTokens.bearer("alice").dropLast(4) + "AAAA"
    case .unsigned: TestTokens.bearer("alice", isSigned: false)
    case .administrator: "Bearer " + Self.key
    }
  }

  /// The error that ends every call of theirs, whatever the request.
  var refusal: StatusCode? {
    switch self {
    case .nobody, .alice, .bob, .administrator: nil
    case .wrongAudience: .permissionDenied
    case .expired, .wrongIssuer, .forged, .unsigned: .unauthenticated
    }
  }
}

/// One operation, as REST and as gRPC have it.
struct MatrixOperation: Sendable, CustomStringConvertible {
  var description: String
  /// The time at which the operation reads.
  var time = MatrixTime.latest
  /// The callers besides administrators that may do it.
  var allowed: Set<MatrixCaller> = []
  /// The error that administrators receive if they may do it, but it does not work.
  var administratorError: StatusCode?
  /// The same for those who are allowed.
  var allowedError: StatusCode?
  let rest: @Sendable (String) -> (method: String, path: String, body: String)
  let grpc: @Sendable (String) -> (RPCMethod, TestMessage)

  /// The rules of the matrix.
  static let rules = """
    match /products/{id} {
      allow read, delete: if request.auth.uid == resource.data.owner;
      allow create: if request.auth.uid == request.resource.data.owner;
      allow update: if request.auth.uid == resource.data.owner
        && request.resource.data.owner == resource.data.owner;
    }
    match /shops/{shop}/notes/{note} {
      allow read: if request.auth.uid
        in get(/databases/$(database)/documents/shops/$(shop)).data.members;
    }
    match /news/{id} { allow read: if true; }
    """
}

extension MatrixOperation {
  private static func write(_ json: String) -> String { #"{"writes":[\#(json)]}"# }

  static func updating(
    _ root: String,
    _ path: String,
    owner: String,
    mask: Bool = true
  )
    -> String
  {
    let fields = #""fields":{"owner":{"stringValue":"\#(owner)"},"n":{"stringValue":"new"}}"#
    let masked = mask ? #","updateMask":{"fieldPaths":["owner","n"]}"# : ""
    return #"{"update":{"name":"\#(root)/\#(path)",\#(fields)}\#(masked)}"#
  }

  /// `field` is where the request has its writes.
  static func updating(
    _ root: String,
    _ path: String,
    owner: String,
    mask: Bool = true,
    field: Int = 2
  )
    -> TestMessage.Part
  {
    let update = TestMessage.Part.message(
      1,
      .text(1, "\(root)/\(path)"),
      .field("owner", owner),
      .field("n", "new")
    )
    guard mask else { return .message(field, update) }
    return .message(field, update, .message(3, .text(1, "owner"), .text(1, "n")))
  }

  private static func commit(
    _ name: String,
    _ path: String,
    owner: String,
    allowed: Set<MatrixCaller> = [],
    mask: Bool = true
  ) -> MatrixOperation {
    MatrixOperation(
      description: name,
      allowed: allowed,
      rest: { ("POST", ":commit", write(updating($0, path, owner: owner, mask: mask))) },
      grpc: {
        (.commit, TestMessage(.text(1, base($0)), updating($0, path, owner: owner, mask: mask)))
      }
    )
  }

  private static func base(_ root: String) -> String { String(root.dropLast("/documents".count)) }

  private static let mine =
    #""where":{"fieldFilter":{"field":{"fieldPath":"owner"},"op":"EQUAL","#
    + #""value":{"stringValue":"alice"}}}"#
  private static let near =
    #""findNearest":{"vectorField":{"fieldPath":"v"},"distanceMeasure":"EUCLIDEAN","limit":3,"#
    + #""queryVector":{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":"#
    + #"{"arrayValue":{"values":[{"doubleValue":1}]}}}}}}"#

  private static let nearPart = TestMessage.Part.message(
    9,
    .message(1, .text(2, "v")),
    .message(
      2,
      .message(
        6,
        .message(1, .text(1, "__type__"), .message(2, .text(17, "__vector__"))),
        .message(
          1,
          .text(1, "value"),
          .message(2, .message(9, .message(1, .double(3, 1))))
        )
      )
    ),
    .number(3, 1),
    .message(4, .number(1, 3))
  )

  /// A query of one collection, as RunQuery and RunAggregationQuery have it.
  private static func query(
    _ name: String,
    _ collection: String,
    group: Bool = false,
    json extra: String = "",
    parts: [TestMessage.Part] = [],
    parent: String = "",
    allowed: Set<MatrixCaller> = [],
    aggregate: Bool = false
  ) -> MatrixOperation {
    let from = #""from":[{"collectionId":"\#(collection)","allDescendants":\#(group)}]"#
    let structured = #""structuredQuery":{\#(from)\#(extra.isEmpty ? "" : "," + extra)}"#
    let json =
      aggregate
      ? #"{"structuredAggregationQuery":{"aggregations":[{"alias":"a","count":{}},"#
        + #"{"alias":"b","sum":{"field":{"fieldPath":"price"}}}],\#(structured)}}"#
      : "{\(structured)}"
    return MatrixOperation(
      description: name,
      allowed: allowed,
      rest: { _ in ("POST", parent + (aggregate ? ":runAggregationQuery" : ":runQuery"), json) },
      grpc: { root in
        let selector = TestMessage.Part.message(2, .text(2, collection), .number(3, group ? 1 : 0))
        let query = TestMessage([selector] + parts).bytes
        guard aggregate else {
          return (.runQuery, TestMessage(.text(1, root + parent), .bytes(2, query)))
        }
        let count = TestMessage.Part.message(3, .message(1), .text(7, "a"))
        let sum = TestMessage.Part.message(
          3,
          .message(2, .message(1, .text(2, "price"))),
          .text(7, "b")
        )
        return (
          .runAggregationQuery,
          TestMessage(.text(1, root + parent), .message(2, .bytes(1, query), count, sum))
        )
      }
    )
  }

  private static func pipeline(
    _ name: String,
    _ collection: String,
    allowed: Set<MatrixCaller> = []
  ) -> MatrixOperation {
    let stage = #"{"name":"collection","args":[{"referenceValue":"/\#(collection)"}]}"#
    return MatrixOperation(
      description: name,
      allowed: allowed,
      rest: { _ in
        ("POST", ":executePipeline", #"{"structuredPipeline":{"pipeline":{"stages":[\#(stage)]}}}"#)
      },
      grpc: { root in
        let stage = TestMessage.Part.message(
          1,
          .text(1, "collection"),
          .message(2, .text(5, "/\(collection)"))
        )
        return (
          .executePipeline,
          TestMessage(.text(1, base(root)), .message(2, .message(1, stage)))
        )
      }
    )
  }

  private static func get(
    _ name: String,
    _ path: String,
    allowed: Set<MatrixCaller> = [],
    error: StatusCode? = nil
  ) -> MatrixOperation {
    MatrixOperation(
      description: name,
      allowed: allowed,
      administratorError: error,
      rest: { _ in ("GET", "/" + path, "") },
      grpc: { (.getDocument, TestMessage(.text(1, "\($0)/\(path)"))) }
    )
  }

  private static func batchGet(
    _ name: String,
    _ paths: [String],
    allowed: Set<MatrixCaller> = [],
    inTransaction: Bool = false
  ) -> MatrixOperation {
    MatrixOperation(
      description: name,
      allowed: allowed,
      rest: { root in
        let names = paths.map { "\"\(root)/\($0)\"" }.joined(separator: ",")
        let transaction = inTransaction ? #","newTransaction":{"readWrite":{}}"# : ""
        return ("POST", ":batchGet", #"{"documents":[\#(names)]\#(transaction)}"#)
      },
      grpc: { root in
        let names = paths.map { TestMessage.Part.text(2, "\(root)/\($0)") }
        let transaction = inTransaction ? [TestMessage.Part.message(5, .message(3))] : []
        return (.batchGetDocuments, TestMessage([.text(1, base(root))] + names + transaction))
      }
    )
  }

  /// Every operation that there is.
  static let all: [MatrixOperation] =
    [
      get("get own", "products/a1", allowed: [.alice]),
      get("get foreign", "products/b1", allowed: [.bob]),
      get("get public", "news/n1", allowed: [.nobody, .alice, .bob]),
      get("get missing", "products/none", error: .notFound),
      get("get without a rule", "shops/s1"),
      get("get by another document", "shops/s1/notes/x", allowed: [.alice]),
      batchGet("batch get of own", ["products/a1", "products/a2"], allowed: [.alice]),
      batchGet("batch get of own and foreign", ["products/a1", "products/b1"]),
      batchGet(
        "read of a new transaction",
        ["products/a1"],
        allowed: [.alice],
        inTransaction: true
      ),
      batchGet(
        "foreign read of a new transaction",
        ["products/b1"],
        allowed: [.bob],
        inTransaction: true
      ),
      query(
        "query own",
        "products",
        json: mine,
        parts: [.equals("owner", "alice")],
        allowed: [.alice]
      ),
      query("query all", "products"),
      query("query public", "news", allowed: [.nobody, .alice, .bob]),
      query("query by another document", "notes", parent: "/shops/s1", allowed: [.alice]),
      query(
        "query a group",
        "products",
        group: true,
        json: mine,
        parts: [.equals("owner", "alice")]
      ),
      query(
        "find nearest of own",
        "products",
        json: mine + "," + near,
        parts: [.equals("owner", "alice"), nearPart],
        allowed: [.alice]
      ),
      query("find nearest of all", "products", json: near, parts: [nearPart]),
      query(
        "aggregate own",
        "products",
        json: mine,
        parts: [.equals("owner", "alice")],
        allowed: [.alice],
        aggregate: true
      ),
      query("aggregate all", "products", aggregate: true),
      commit("create own", "products/new", owner: "alice", allowed: [.alice], mask: false),
      commit("create for another", "products/new", owner: "bob", allowed: [.bob], mask: false),
      commit("update own", "products/a1", owner: "alice", allowed: [.alice]),
      commit("give away", "products/a1", owner: "bob"),
      commit("take", "products/b1", owner: "alice"),
      commit("write without a rule", "shops/s1", owner: "alice"),
    ] + lists + writes + transactions + forAdministrators

  /// The same at a time that the request names, where it can name one: administrators may, nobody else.
  static let past: [MatrixOperation] = all.flatMap { operation in
    MatrixTime.allCases.compactMap { operation.at($0) }
  }

  private static let lists: [MatrixOperation] = [
    MatrixOperation(
      description: "list all",
      rest: { _ in ("GET", "/products", "") },
      grpc: { (.listDocuments, TestMessage(.text(1, $0), .text(2, "products"))) }
    ),
    MatrixOperation(
      description: "list public",
      allowed: [.nobody, .alice, .bob],
      rest: { _ in ("GET", "/news", "") },
      grpc: { (.listDocuments, TestMessage(.text(1, $0), .text(2, "news"))) }
    ),
    MatrixOperation(
      description: "list by another document",
      allowed: [.alice],
      rest: { _ in ("GET", "/shops/s1/notes", "") },
      grpc: { (.listDocuments, TestMessage(.text(1, $0 + "/shops/s1"), .text(2, "notes"))) }
    ),
    MatrixOperation(
      description: "list with missing documents",
      rest: { _ in ("GET", "/news?showMissing=true", "") },
      grpc: { (.listDocuments, TestMessage(.text(1, $0), .text(2, "news"), .number(12, 1))) }
    ),
  ]

  private static let writes: [MatrixOperation] = [
    MatrixOperation(
      description: "commit of own and foreign",
      rest: { root in
        let own: String = updating(root, "products/a1", owner: "alice")
        return ("POST", ":commit", write(own + "," + updating(root, "products/b1", owner: "bob")))
      },
      grpc: {
        (
          .commit,
          TestMessage(
            .text(1, base($0)),
            updating($0, "products/a1", owner: "alice"),
            updating($0, "products/b1", owner: "bob")
          )
        )
      }
    ),
    MatrixOperation(
      description: "delete foreign by commit",
      allowed: [.bob],
      rest: { ("POST", ":commit", write(#"{"delete":"\#($0)/products/b1"}"#)) },
      grpc: {
        (.commit, TestMessage(.text(1, base($0)), .message(2, .text(2, $0 + "/products/b1"))))
      }
    ),
    MatrixOperation(
      description: "verify foreign",
      allowed: [.bob],
      rest: {
        (
          "POST", ":commit",
          write(#"{"verify":"\#($0)/products/b1","currentDocument":{"exists":true}}"#)
        )
      },
      grpc: {
        (
          .commit,
          TestMessage(
            .text(1, base($0)),
            .message(2, .text(5, $0 + "/products/b1"), .message(4, .number(1, 1)))
          )
        )
      }
    ),
    MatrixOperation(
      description: "create document",
      allowed: [.alice],
      rest: { _ in
        ("POST", "/products?documentId=new", #"{"fields":{"owner":{"stringValue":"alice"}}}"#)
      },
      grpc: {
        (
          .createDocument,
          TestMessage(
            .text(1, $0),
            .text(2, "products"),
            .text(3, "new"),
            .message(4, .field("owner", "alice"))
          )
        )
      }
    ),
    MatrixOperation(
      description: "update document",
      allowed: [.alice],
      rest: { _ in
        (
          "PATCH", "/products/a1?updateMask.fieldPaths=n",
          #"{"fields":{"n":{"stringValue":"new"}}}"#
        )
      },
      grpc: {
        (
          .updateDocument,
          TestMessage(
            .message(1, .text(1, $0 + "/products/a1"), .field("n", "new")),
            .message(2, .text(1, "n"))
          )
        )
      }
    ),
    MatrixOperation(
      description: "delete document",
      allowed: [.alice],
      rest: { _ in ("DELETE", "/products/a1", "") },
      grpc: { (.deleteDocument, TestMessage(.text(1, $0 + "/products/a1"))) }
    ),
  ]

  private static let transactions: [MatrixOperation] = [
    MatrixOperation(
      description: "begin a transaction",
      allowed: [.nobody, .alice, .bob],
      rest: { _ in ("POST", ":beginTransaction", "{}") },
      grpc: { (.beginTransaction, TestMessage(.text(1, base($0)))) }
    ),
    MatrixOperation(
      description: "roll back an unknown transaction",
      allowed: [.nobody, .alice, .bob],
      administratorError: .invalidArgument,
      allowedError: .invalidArgument,
      rest: { _ in ("POST", ":rollback", #"{"transaction":"AAAA"}"#) },
      grpc: { (.rollback, TestMessage(.text(1, base($0)), .bytes(2, [0, 0, 0]))) }
    ),
  ]

  private static let forAdministrators: [MatrixOperation] = [
    MatrixOperation(
      description: "batch write",
      rest: { ("POST", ":batchWrite", write(updating($0, "products/a1", owner: "alice"))) },
      grpc: {
        (
          .batchWrite,
          TestMessage(.text(1, base($0)), updating($0, "products/a1", owner: "alice"))
        )
      }
    ),
    MatrixOperation(
      description: "list collection ids",
      rest: { _ in ("POST", ":listCollectionIds", "{}") },
      grpc: { (.listCollectionIDs, TestMessage(.text(1, $0))) }
    ),
    MatrixOperation(
      description: "partition",
      rest: { _ in
        (
          "POST", ":partitionQuery",
          #"{"partitionCount":2,"structuredQuery":{"from":[{"collectionId":"news","#
            + #""allDescendants":true}],"orderBy":[{"field":{"fieldPath":"__name__"}}]}}"#
        )
      },
      grpc: {
        (
          .partitionQuery,
          TestMessage(
            .text(1, $0),
            .message(
              2,
              .message(2, .text(2, "news"), .number(3, 1)),
              .message(4, .message(1, .text(2, "__name__")), .number(2, 1))
            ),
            .number(3, 2)
          )
        )
      }
    ),
    pipeline("pipeline over public", "news", allowed: [.nobody, .alice, .bob]),
    pipeline("pipeline over others' documents", "products"),
  ]
}

extension ServiceFixture {
  /// Documents and what nobody but their owner may see of them.
  static let matrixDocuments: [(path: String, owner: String)] = [
    ("products/a1", "alice"), ("products/a2", "alice"), ("products/b1", "bob"),
    ("shops/s1", "shop"), ("shops/s1/notes/x", "alice"), ("news/n1", "public"),
  ]

  /// Writes the matrix's documents, in one commit.
  ///
  /// - Parameter prefix: Begins their secrets.
  func fillForMatrix(_ database: DatabaseID, prefix: String = "") async throws {
    let root = database.path + "/documents"
    let writes = Self.matrixDocuments.map { path, owner in
      #"{"update":{"name":"\#(root)/\#(path)","fields":{"owner":{"stringValue":"\#(owner)"},"#
        + #""secret":{"stringValue":"\#(prefix)secret of \#(owner)"},"#
        + #""price":{"integerValue":7},"#
        + #""members":{"arrayValue":{"values":[{"stringValue":"alice"}]}},"#
        + #""v":{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"#
        + #""value":{"arrayValue":{"values":[{"doubleValue":1}]}}}}}}}}"#
    }
    _ = try await call(
      "POST",
      ":commit",
      #"{"writes":[\#(writes.joined(separator: ","))]}"#,
      root: "/v1/" + root,
      context: Self.context(authorization: MatrixCaller.administrator.authorization)
    )
  }
}
