import DocumentCodec

/// The answer of `grpc.health.v1.Health`.
package struct HealthCheckResponse: WireResponse {
  /// Raw values are the protocol's numbers.
  package enum Status: Int64, Sendable, Hashable {
    case serving = 1
    case notServing = 2
    /// Answered by Watch; Check answers NOT_FOUND instead.
    case serviceUnknown = 3
  }

  private let status: Status

  /// That state of the service.
  package init(status: Status) { self.status = status }

  /// Writes the status as field 1.
  package func write(to writer: inout ProtobufWriter) { writer.int64(1, status.rawValue) }
}
