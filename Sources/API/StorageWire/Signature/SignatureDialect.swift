/// The two spellings of version 4 of signatures: Google's and the one of S3.
///
/// Both compute the same; their names of parameters, headers and keys differ.
package struct SignatureDialect: Sendable, Hashable {
  /// `GOOG4` or `AWS4`: begins the names of algorithms, and the secret where a key is derived.
  package let prefix: String
  /// Ends the scope: `goog4_request` or `aws4_request`.
  package let terminator: String
  /// Begins the parameters of a query: `X-Goog-` or `X-Amz-`; headers have it in lower case.
  package let parameterPrefix: String
  /// The service in the scope.
  package let service: String

  /// Google's own.
  package static let google = SignatureDialect(
    prefix: "GOOG4",
    terminator: "goog4_request",
    parameterPrefix: "X-Goog-",
    service: "storage"
  )

  /// That of S3 and its clients.
  package static let amazon = SignatureDialect(
    prefix: "AWS4",
    terminator: "aws4_request",
    parameterPrefix: "X-Amz-",
    service: "s3"
  )

  /// The algorithm with a shared secret.
  package var hmacAlgorithm: String { prefix + "-HMAC-SHA256" }
  /// The algorithm with a service account's key.
  package var rsaAlgorithm: String { prefix + "-RSA-SHA256" }
  /// Begins the names of the dialect's own headers.
  package var headerPrefix: String { parameterPrefix.lowercased() }
}

/// The scope of a signature beside its request: a day, a region and a service.
package struct CredentialScope: Sendable, Hashable {
  /// `20260131`.
  package let date: String
  /// The region as the client wrote it, such as `auto` or `us-east-1`.
  package let region: String
  /// `storage` or `s3`; a client of either dialect may name either.
  package let service: String
  /// `goog4_request` or `aws4_request`, by the dialect.
  package let terminator: String

  /// The scope of those parts.
  package init(date: String, region: String, _ dialect: SignatureDialect) {
    self.date = date
    self.region = region
    service = dialect.service
    terminator = dialect.terminator
  }

  /// Reads `{account}/{date}/{region}/{service}/{terminator}`; nil for anything else.
  package static func parse(
    _ credential: String,
    _ dialect: SignatureDialect
  ) -> (account: String, scope: CredentialScope)? {
    let parts = credential.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    let scope = CredentialScope(date: parts[1], region: parts[2], dialect)
    // Clients of S3 that talk to Google's service may name either.
    let isKnown = [SignatureDialect.google, .amazon].contains { $0.service == parts[3] }
    guard isKnown, parts[4] == dialect.terminator else { return nil }
    return (parts[0], scope.with(service: parts[3]))
  }

  /// As a string to sign has it.
  package var text: String { "\(date)/\(region)/\(service)/\(terminator)" }

  private init(date: String, region: String, service: String, terminator: String) {
    self.date = date
    self.region = region
    self.service = service
    self.terminator = terminator
  }

  private func with(service: String) -> CredentialScope {
    CredentialScope(date: date, region: region, service: service, terminator: terminator)
  }
}
