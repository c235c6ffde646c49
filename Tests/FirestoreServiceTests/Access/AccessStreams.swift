import FirestoreWire

@testable import FirestoreService

/// One bidirectional stream of the matrix, as WebChannel and as gRPC have its messages.
struct MatrixStream: Sendable, CustomStringConvertible {
  let description: String
  let method: RPCMethod
  /// The callers besides administrators that get the data they request.
  var allowed: Set<MatrixCaller> = []
  let json: @Sendable (String) -> [String]
  let grpc: @Sendable (String) -> [TestMessage]

  /// Every kind of target, and batches of writes.
  static let all: [MatrixStream] = queries + documents + writes
  /// For an administrator who watches what others are told.
  static let witness = documents("listen to the shop", ["shops/s1"])
}

extension MatrixStream {
  private static func base(_ root: String) -> String { String(root.dropLast("/documents".count)) }

  private static let mine =
    #","where":{"fieldFilter":{"field":{"fieldPath":"owner"},"op":"EQUAL","#
    + #""value":{"stringValue":"alice"}}}"#

  private static func query(
    _ name: String,
    _ collection: String,
    parent: String = "",
    group: Bool = false,
    isMine: Bool = false,
    limit: Int64? = nil,
    allowed: Set<MatrixCaller> = []
  ) -> MatrixStream {
    let from = #""from":[{"collectionId":"\#(collection)","allDescendants":\#(group)}]"#
    let window = limit.map { #","limit":\#($0)"# } ?? ""
    let structured = "{\(from)\(isMine ? mine : "")\(window)}"
    return MatrixStream(
      description: name,
      method: .listen,
      allowed: allowed,
      json: { root in
        [
          #"{"database":"\#(base(root))","addTarget":{"targetId":1,"query":{"#
            + #""parent":"\#(root)\#(parent)","structuredQuery":\#(structured)}}}"#
        ]
      },
      grpc: { root in
        var parts = [TestMessage.Part.message(2, .text(2, collection), .number(3, group ? 1 : 0))]
        if isMine { parts.append(.equals("owner", "alice")) }
        if let limit { parts.append(.message(5, .number(1, limit))) }
        let target = TestMessage.Part.message(
          2,
          .text(1, root + parent),
          .bytes(2, TestMessage(parts).bytes)
        )
        return [TestMessage(.text(1, base(root)), .message(2, target, .number(5, 1)))]
      }
    )
  }

  private static let queries: [MatrixStream] = [
    query("listen to own", "products", isMine: true, allowed: [.alice]),
    query("listen to a window of own", "products", isMine: true, limit: 1, allowed: [.alice]),
    query("listen to all", "products"),
    query("listen to a window of all", "products", limit: 1),
    query("listen to public", "news", allowed: [.nobody, .alice, .bob]),
    query("listen by another document", "notes", parent: "/shops/s1", allowed: [.alice]),
    query("listen to a group", "products", group: true, isMine: true),
    query("listen without a rule", "shops"),
  ]

  private static func documents(
    _ name: String,
    _ paths: [String],
    allowed: Set<MatrixCaller> = []
  ) -> MatrixStream {
    MatrixStream(
      description: name,
      method: .listen,
      allowed: allowed,
      json: { root in
        let names = paths.map { "\"\(root)/\($0)\"" }.joined(separator: ",")
        return [
          #"{"database":"\#(base(root))","addTarget":{"targetId":1,"documents":{"#
            + #""documents":[\#(names)]}}}"#
        ]
      },
      grpc: { root in
        let names = TestMessage(paths.map { .text(2, "\(root)/\($0)") }).bytes
        return [TestMessage(.text(1, base(root)), .message(2, .bytes(3, names), .number(5, 1)))]
      }
    )
  }

  private static let documents: [MatrixStream] = [
    documents("listen to an own document", ["products/a1"], allowed: [.alice]),
    documents("listen to a foreign document", ["products/b1"], allowed: [.bob]),
    documents("listen to own and foreign documents", ["products/a1", "products/b1"]),
    documents("listen to a missing document", ["products/none"]),
    documents("listen to a public document", ["news/n1"], allowed: [.nobody, .alice, .bob]),
    documents("listen to a document by another", ["shops/s1/notes/x"], allowed: [.alice]),
    documents("listen to a document without a rule", ["shops/s1"]),
  ]

  private static func write(
    _ name: String,
    _ updates: [(path: String, owner: String)],
    mask: Bool = true,
    allowed: Set<MatrixCaller> = []
  ) -> MatrixStream {
    MatrixStream(
      description: name,
      method: .write,
      allowed: allowed,
      json: { root in
        let writes = updates.map { update -> String in
          MatrixOperation.updating(root, update.path, owner: update.owner, mask: mask)
        }
        let batch = #"{"streamToken":"AAAAAAAAAAE=","writes":[\#(writes.joined(separator: ","))]}"#
        return [#"{"database":"\#(base(root))"}"#, batch]
      },
      grpc: { root in
        let writes = updates.map { update -> TestMessage.Part in
          MatrixOperation.updating(root, update.path, owner: update.owner, mask: mask, field: 3)
        }
        let token = TestMessage.Part.bytes(4, [0, 0, 0, 0, 0, 0, 0, 1])
        return [TestMessage(.text(1, base(root))), TestMessage(writes + [token])]
      }
    )
  }

  private static let writes: [MatrixStream] = [
    write("write own", [("products/a1", "alice")], allowed: [.alice]),
    write("write new", [("products/new", "alice")], mask: false, allowed: [.alice]),
    write("write for another", [("products/new", "bob")], mask: false, allowed: [.bob]),
    write("write to give away", [("products/a1", "bob")]),
    write("write foreign", [("products/b1", "bob")], allowed: [.bob]),
    write("write own and foreign", [("products/a1", "alice"), ("products/b1", "bob")]),
    write("write to a path without a rule", [("shops/s1", "alice")]),
    MatrixStream(
      description: "write a deletion of foreign",
      method: .write,
      allowed: [.bob],
      json: { root in
        [
          #"{"database":"\#(base(root))"}"#,
          #"{"streamToken":"AAAAAAAAAAE=","writes":[{"delete":"\#(root)/products/b1"}]}"#,
        ]
      },
      grpc: { root in
        [
          TestMessage(.text(1, base(root))),
          TestMessage(.message(3, .text(2, root + "/products/b1")), .bytes(4, [1])),
        ]
      }
    ),
  ]
}
