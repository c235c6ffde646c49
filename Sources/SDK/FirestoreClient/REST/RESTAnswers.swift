import BaseJSON
import BaseText
import FirestoreModel
import FirestoreSync

/// The JSON of single calls' answers.
enum RESTAnswers {
  /// The documents of a `batchGet`.
  static func documents(_ json: inout JSONScanner) throws -> [CachedDocument] {
    var documents: [CachedDocument] = []
    try json.elements { json in
      var found: CachedDocument?
      var missing: DocumentName?
      var readTime = CommitVersion.zero
      try json.members { key, json in
        switch key {
        case "found": found = try json.document()
        case "missing": missing = try json.documentName()
        case "readTime": readTime = try json.version()
        case "error": throw try FirestoreFailure(&json)
        default: try json.skip()
        }
      }
      if let found {
        documents.append(found)
      } else if let missing {
        documents.append(
          CachedDocument(name: missing, content: .missing, version: readTime, readTime: readTime)
        )
      }
    }
    return documents
  }

  /// The answer to a commit.
  static func commit(
    _ json: inout JSONScanner
  ) throws -> (version: CommitVersion, results: [WriteResult]) {
    var version = CommitVersion.zero
    var results: [WriteResult] = []
    try json.members { key, json in
      switch key {
      case "commitTime": version = try json.version()
      case "writeResults": results = try WriteMessages.results(&json)
      default: try json.skip()
      }
    }
    return (version, results)
  }

  /// The documents of a query.
  static func results(_ json: inout JSONScanner) throws -> [CachedDocument] {
    var documents: [CachedDocument] = []
    try json.elements { json in
      try json.members { key, json in
        switch key {
        case "document": documents.append(try json.document())
        case "error": throw try FirestoreFailure(&json)
        default: try json.skip()
        }
      }
    }
    return documents
  }

  /// The results of an aggregation query by their aliases.
  static func aggregations(_ json: inout JSONScanner) throws -> [Text: Value] {
    var values: [Text: Value] = [:]
    try json.elements { json in
      try json.members { key, json in
        switch key {
        case "result":
          try json.members { key, json in
            guard case "aggregateFields" = key else { return try json.skip() }
            try json.members { key, json in
              values[Text(String(decoding: key.bytes, as: UTF8.self))] = try json.value()
            }
          }
        case "error": throw try FirestoreFailure(&json)
        default: try json.skip()
        }
      }
    }
    return values
  }
}

extension FirestoreFailure {
  /// Returns the failure that a response of that status reports; nil if there is none.
  static func refusal(status: Int, body: some Collection<UInt8>) -> FirestoreFailure? {
    guard status != 200 else { return nil }
    if let failure = inBody(body) { return failure }
    let answer = String(decoding: body.prefix(200), as: UTF8.self)
    return FirestoreFailure(code(httpStatus: status), "The server answered \(status): \(answer)")
  }
}

extension JSONWriter {
  /// Writes the members of an aggregation query's request.
  mutating func aggregationQuery(_ aggregations: [Aggregation], over query: Query) {
    member("structuredAggregationQuery") { json in
      json.object { json in
        json.member("structuredQuery") { $0.structuredQuery(query) }
        json.member("aggregations") { json in
          json.array { json in for aggregation in aggregations { json.aggregation(aggregation) } }
        }
      }
    }
  }

  private mutating func aggregation(_ aggregation: Aggregation) {
    object { json in
      switch aggregation.operator {
      case .count(let upTo):
        json.member("count") { json in
          json.object { json in if let upTo { json.member("upTo") { $0.string("\(upTo)") } } }
        }
      case .sum(let field): json.member("sum") { $0.aggregated(field) }
      case .average(let field): json.member("avg") { $0.aggregated(field) }
      }
      json.member("alias") { $0.string(aggregation.alias.string) }
    }
  }

  private mutating func aggregated(_ path: FieldPath) {
    object { json in json.member("field") { $0.field(path) } }
  }

  /// Returns true if a byte may stay in every part of a URL.
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
