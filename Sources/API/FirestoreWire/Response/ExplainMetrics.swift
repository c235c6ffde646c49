import DocumentCodec

/// The plan of a query, and the figures of its execution.
package struct ExplainMetrics: Sendable, Hashable {
  /// An index that the plan uses.
  package struct PlannedIndex: Sendable, Hashable {
    /// `Collection`, `Collection group` or `Includes ancestors`.
    package let queryScope: String
    /// Fields and directions, as in `(a ASC, __name__ ASC)`.
    package let properties: String

    /// An index by what it covers.
    package init(queryScope: String, properties: String) {
      self.queryScope = queryScope
      self.properties = properties
    }
  }

  /// The cost of the execution.
  package struct Execution: Sendable, Hashable {
    /// Documents in the response; one for an aggregation.
    package let resultsReturned: Int64
    /// The time that running took on the server.
    package let duration: Duration
    /// Reads that Google would bill.
    package let readOperations: Int64
    /// Names and values of `debug_stats`; the protocol writes numbers as strings.
    package let debug: [DebugStatistic]

    /// The costs of one run.
    package init(
      resultsReturned: Int64,
      duration: Duration,
      readOperations: Int64,
      debug: [DebugStatistic] = []
    ) {
      self.resultsReturned = resultsReturned
      self.duration = duration
      self.readOperations = readOperations
      self.debug = debug
    }
  }

  /// One entry of `debug_stats`.
  package enum DebugStatistic: Sendable, Hashable {
    case text(name: String, value: String)
    case group(name: String, [DebugStatistic])
  }

  /// The indexes that the query reads, each once.
  package let plan: [PlannedIndex]
  /// Nil where the query was only planned.
  package let execution: Execution?

  /// A plan, and what it took if it ran.
  package init(plan: [PlannedIndex], execution: Execution? = nil) {
    self.plan = plan
    self.execution = execution
  }

  /// Writes the fields of `google.firestore.v1.ExplainMetrics`.
  func write(to writer: inout ProtobufWriter) {
    writer.message(1) { summary in
      for index in plan {
        summary.structure(
          1,
          [
            .text(name: "properties", value: index.properties),
            .text(name: "query_scope", value: index.queryScope),
          ]
        )
      }
    }
    if let execution { writer.message(2) { execution.write(to: &$0) } }
  }
}

extension ExplainMetrics.Execution {
  fileprivate func write(to writer: inout ProtobufWriter) {
    if resultsReturned != 0 { writer.int64(1, resultsReturned) }
    writer.message(3) { message in
      let (seconds, attoseconds) = duration.components
      if seconds != 0 { message.int64(1, seconds) }
      let nanoseconds = attoseconds / 1_000_000_000
      if nanoseconds != 0 { message.int64(2, nanoseconds) }
    }
    if readOperations != 0 { writer.int64(4, readOperations) }
    if !debug.isEmpty { writer.structure(5, debug) }
  }
}

extension ProtobufWriter {
  /// Writes a `google.protobuf.Struct` of strings and structs.
  fileprivate mutating func structure(_ field: Int, _ entries: [ExplainMetrics.DebugStatistic]) {
    message(field) { structure in
      for entry in entries {
        structure.message(1) { pair in
          switch entry {
          case .text(let name, let value):
            pair.string(1, name)
            pair.message(2) { $0.string(3, value) }
          case .group(let name, let inner):
            pair.string(1, name)
            pair.message(2) { $0.structure(5, inner) }
          }
        }
      }
    }
  }
}
