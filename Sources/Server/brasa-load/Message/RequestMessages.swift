import DocumentCodec

/// The request messages of `google.firestore.v1` that loads send, as protobuf bytes.
enum RequestMessages {
  /// CreateDocument of one product.
  static func create(_ product: Product, id: String, in target: LoadTarget) -> [UInt8] {
    var request = ProtobufWriter(capacity: 512)
    request.string(1, target.root)
    request.string(2, target.collection)
    request.string(3, id)
    request.message(4) { product.write(to: &$0) }
    return request.bytes
  }

  /// GetDocument.
  static func get(_ name: String) -> [UInt8] {
    var request = ProtobufWriter(capacity: 128)
    request.string(1, name)
    return request.bytes
  }

  /// Commit of full documents, each an id and its product; `areNew` refuses ids that are taken.
  static func commit(
    _ products: [(id: String, product: Product)],
    areNew: Bool,
    in target: LoadTarget
  ) -> [UInt8] {
    var request = ProtobufWriter(capacity: 512 * products.count)
    request.string(1, target.database)
    for (id, product) in products {
      request.message(2) { write in
        write.message(1) { document in
          document.string(1, target.name(id))
          product.write(to: &document)
        }
        if areNew { write.message(4) { $0.bool(1, false) } }
      }
    }
    return request.bytes
  }

  /// RunQuery of the seed: a user's products by name, the first twenty.
  static func products(of user: String, in target: LoadTarget) -> [UInt8] {
    var request = ProtobufWriter(capacity: 256)
    request.string(1, target.root)
    request.message(2) { query in
      query.message(2) { $0.string(2, target.collection) }
      query.message(3) { owned(by: user, &$0) }
      query.message(4) { order in
        order.message(1) { $0.string(2, "name") }
        order.varint(2, 1)
      }
      query.message(5) { $0.varint(1, 20) }
    }
    return request.bytes
  }

  /// The filter that a product is that user's.
  private static func owned(by user: String, _ filter: inout ProtobufWriter) {
    filter.message(2) { condition in
      condition.message(1) { $0.string(2, "userId") }
      condition.varint(2, 5)
      condition.message(3) { $0.string(17, user) }
    }
  }

  /// RunAggregationQuery: how many documents the collection has, of its owner if there is one.
  static func count(in target: LoadTarget) -> [UInt8] {
    var request = ProtobufWriter(capacity: 128)
    request.string(1, target.root)
    request.message(2) { aggregation in
      aggregation.message(1) { query in
        query.message(2) { $0.string(2, target.collection) }
        if let owner = target.owner { query.message(3) { owned(by: owner, &$0) } }
      }
      aggregation.message(3) { count in
        count.message(1) { _ in }
        count.string(7, "count")
      }
    }
    return request.bytes
  }

  /// BatchGetDocuments of one document that begins a read-write transaction.
  static func read(_ name: String, retrying token: [UInt8], in target: LoadTarget) -> [UInt8] {
    var request = ProtobufWriter(capacity: 256)
    request.string(1, target.database)
    request.string(2, name)
    request.message(5) { options in
      options.message(3) { readWrite in
        if !token.isEmpty { readWrite.content(1, token) }
      }
    }
    return request.bytes
  }

  /// Commit of a counter's new value inside a transaction.
  static func setCounter(
    _ name: String,
    to value: Int64,
    transaction: [UInt8],
    in target: LoadTarget
  ) -> [UInt8] {
    var request = ProtobufWriter(capacity: 256)
    request.string(1, target.database)
    request.message(2) { write in
      write.message(1) { document in
        document.string(1, name)
        document.message(2) { entry in
          entry.string(1, "n")
          entry.message(2) { $0.int64(2, value) }
        }
      }
    }
    if !transaction.isEmpty { request.content(3, transaction) }
    return request.bytes
  }
}
