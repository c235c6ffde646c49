/// The server with the protocol of S3 on which objects' bytes are kept.
package struct S3Configuration: Sendable {
  /// `https://host[:port]`; buckets are the first segment of the path.
  package var endpoint: String
  /// The region that signatures name.
  package var region: String
  /// The bucket's name.
  package var bucket: String
  /// Begins all keys; may be empty, or ends with a slash.
  package var prefix: String
  /// The access key's id.
  package var accessID: String
  /// The access key's secret, which signs requests.
  package var secret: String
  /// Certificates in PEM beside the system's; nil is the system's alone.
  package var authorities: String?
  /// Bytes of a segment of an unfinished blob: At least 5 MiB, the minimum part of a multipart
  /// upload.
  package var segmentBytes = 8 << 20
  /// The number of times that a request is sent that fails for temporary reasons.
  package var attempts = 4
  /// Microseconds since 1970.
  package var clock: @Sendable () -> Int64
  /// Waits before a request is sent again.
  package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// A bucket of a server, which exists, and a key that may read, write and delete in it.
  package init(
    endpoint: String,
    region: String,
    bucket: String,
    prefix: String = "",
    accessID: String,
    secret: String,
    clock: @escaping @Sendable () -> Int64
  ) {
    self.endpoint = endpoint
    self.region = region
    self.bucket = bucket
    self.prefix = prefix
    self.accessID = accessID
    self.secret = secret
    self.clock = clock
  }
}
