import DocumentCodec

/// The Listen requests of a load, and the commits that wake its listeners, as protobuf bytes.
enum ListenMessages {
  static let listenPath = "/google.firestore.v1.Firestore/Listen"
  static let commitPath = "/google.firestore.v1.Firestore/Commit"

  /// Adds a target: one user's products.
  ///
  /// An empty token starts from the beginning.
  static func add(
    _ targetID: Int,
    user: String,
    token: [UInt8],
    in target: LoadTarget
  ) -> [UInt8] {
    var request = ProtobufWriter(capacity: 256)
    request.string(1, target.database)
    request.message(2) { added in
      added.message(2) { query in
        query.string(1, target.root)
        query.message(2) { structured in
          structured.message(2) { $0.string(2, target.collection) }
          structured.message(3) { filter in
            filter.message(2) { condition in
              condition.message(1) { $0.string(2, "userId") }
              condition.varint(2, 5)
              condition.message(3) { $0.string(17, user) }
            }
          }
        }
      }
      if !token.isEmpty { added.content(4, token) }
      added.varint(5, UInt64(targetID))
    }
    return request.bytes
  }

  /// Commits whole documents, each a number in `n` and a product of its user.
  static func commit(_ documents: [ListenedDocument], in target: LoadTarget) -> [UInt8] {
    var request = ProtobufWriter(capacity: 512 * documents.count)
    request.string(1, target.database)
    for each in documents {
      request.message(2) { write in
        write.message(1) { document in
          document.string(1, target.name(each.id))
          document.message(2) { entry in
            entry.string(1, "n")
            entry.message(2) { $0.int64(2, Int64(each.number)) }
          }
          each.product.write(to: &document)
        }
      }
    }
    return request.bytes
  }
}

/// A document whose change listeners are to see.
struct ListenedDocument {
  let id: String
  /// The commit's number, which distinguishes deliveries.
  let number: Int
  let user: String

  /// The seed's product, of that user.
  var product: Product { Product(number: number, owner: user) }
}
