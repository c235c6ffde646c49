import ArgumentParser

/// The storage of objects' bytes, files below the data directory or a server with the protocol of
/// S3, and its limits.
struct FileSettings: Sendable, Equatable {
  /// A bucket of such a server.
  struct S3: Sendable, Equatable {
    var endpoint: String
    var region: String
    var bucket: String
    var prefix: String
    var accessID: String
    var secret: String
    var authorities: String?
  }

  /// Nil is files below the data directory.
  let s3: S3?
  /// The most bytes that all buckets of a project may hold; nil is no bound.
  let projectQuota: Int64?

  /// Files below the data directory, without a bound.
  static let local = FileSettings()

  private init() { (s3, projectQuota) = (nil, nil) }

  /// Reads `BRASA_STORAGE_QUOTA` and `BRASA_S3_…`; an endpoint needs a bucket and a key.
  init(_ environment: EnvironmentReader) throws {
    projectQuota = try environment.text("STORAGE_QUOTA").map { text in
      guard let size = ByteSize(text) else {
        throw ValidationError("BRASA_STORAGE_QUOTA is not a number of bytes: \"\(text)\".")
      }
      return size.bytes
    }
    guard let endpoint = environment.text("S3_ENDPOINT") else {
      s3 = nil
      return
    }
    func required(_ name: String) throws -> String {
      guard let text = environment.text(name), !text.isEmpty else {
        throw ValidationError("BRASA_S3_ENDPOINT needs BRASA_\(name) too.")
      }
      return text
    }
    var prefix = environment.text("S3_PREFIX") ?? ""
    if !prefix.isEmpty, !prefix.hasSuffix("/") { prefix += "/" }
    s3 = S3(
      endpoint: endpoint,
      region: environment.text("S3_REGION") ?? "us-east-1",
      bucket: try required("S3_BUCKET"),
      prefix: prefix,
      accessID: try required("S3_ACCESS_KEY_ID"),
      secret: try required("S3_SECRET_ACCESS_KEY"),
      authorities: environment.text("S3_AUTHORITIES")
    )
  }
}
