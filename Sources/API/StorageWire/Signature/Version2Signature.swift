import BaseText

/// The credentials of a request that is signed by version 2.
///
/// They have one of these forms:
///
///     ?GoogleAccessId={account}&Expires={seconds since 1970}&Signature={Base64}
///     ?AWSAccessKeyId={access id}&Expires={seconds since 1970}&Signature={Base64}
///     Authorization: GOOG1 {access id}:{Base64}
///     Authorization: AWS {access id}:{Base64}
///
/// The first is a signed URL, as Google's client for Node makes it by default: RSA with SHA-256 for
/// a service account, HMAC with SHA-1 for the access id of a shared secret. The others are by a
/// shared secret, as older clients of S3 sign. The signature is over these lines; only the last two
/// have more than one:
///
///     the method, the header content-md5, the header content-type, and Expires or the header date, which is empty
///         where x-amz-date or x-goog-date says when
///     name:value of each header x-goog-* and x-amz-*, names in lower case and sorted
///     the path as it is sent, with the parameters that are signed
///
/// Parameters of a download that say which generation is sent, and with which headers, need no signature in a URL of a
/// service account, as with Google; all others do. By a shared secret the parameters are signed that name a part of a
/// resource (`acl`, `uploadId`, …), with their plain values, as S3 does. A request that changes something has no others.
package struct Version2Signature: Sendable {
  /// The service account's e-mail, or the access id of a shared secret.
  package let account: String
  /// `google` or `amazon`, by the names of the parameters or the scheme of the header.
  package let dialect: SignatureDialect
  let time: Time
  let signature: [UInt8]

  /// When a signature counts, in seconds since 1970.
  enum Time: Sendable, Equatable {
    /// A URL, up to a second.
    case until(Int64)
    /// A header, around a second, with the line of the signed text that says which.
    case at(Int64, line: String)
  }

  private static let accountParameters: [(name: String, dialect: SignatureDialect)] = [
    ("GoogleAccessId", .google), ("AWSAccessKeyId", .amazon),
  ]

  /// Names of the parameters that make a URL a signed one.
  package static let parameters: Set<String> = [
    "GoogleAccessId", "AWSAccessKeyId", "Expires", "Signature",
  ]

  /// Returns true if a raw query is that of a URL in which a plus is a space, as Google's clients write it.
  package static func isSigned(query: String) -> Bool {
    query.hasPrefix("GoogleAccessId=") || query.contains("&GoogleAccessId=")
  }

  /// Reads the header or the query of a request; nil where it has no credentials of this version.
  package init?(_ request: SignableRequest) throws(SignatureProblem) {
    if let header = request.headers["authorization"] {
      for (scheme, dialect) in Self.schemes where header.hasPrefix(scheme + " ") {
        try self.init(header: header.dropFirst(scheme.count + 1), request, dialect)
        return
      }
    }
    guard request.parameters.contains(where: { Self.parameters.contains($0.name) }) else {
      return nil
    }
    try self.init(query: request)
  }

  /// Begins the value of the header `authorization`.
  package static let schemes = [("AWS", SignatureDialect.amazon), ("GOOG1", .google)]

  private init(
    header credentials: Substring,
    _ request: SignableRequest,
    _ dialect: SignatureDialect
  ) throws(SignatureProblem) {
    guard let colon = credentials.lastIndex(of: ":") else { throw .malformed("Authorization") }
    account = String(credentials[..<colon])
    guard !account.isEmpty else { throw .malformed("Authorization") }
    let text = credentials[credentials.index(after: colon)...]
    signature = try Self.bytes(String(text), "Authorization")
    self.dialect = dialect
    let dated = ["x-amz-date", "x-goog-date"].first { request.headers[$0] != nil }
    let name = dated ?? "date"
    guard let value = request.headers[name], let seconds = SignedDate.seconds(value) else {
      throw .malformed(name)
    }
    time = .at(seconds, line: dated == nil ? value : "")
  }

  private init(query request: SignableRequest) throws(SignatureProblem) {
    let named = Self.accountParameters.filter { request.parameter($0.name) != nil }
    let account = named.first ?? Self.accountParameters[0]
    guard named.count <= 1 else { throw .malformed(named[1].name) }
    var values: [String: String] = [:]
    for name in ["Expires", account.name, "Signature"].sorted() {
      let found = request.parameters.filter { $0.name == name }
      guard found.count == 1, !found[0].value.isEmpty else { throw .malformed(name) }
      values[name] = found[0].value
    }
    guard let expires = Int64(values["Expires"] ?? ""), expires >= 0 else {
      throw .malformed("Expires")
    }
    self.account = values[account.name] ?? ""
    dialect = account.dialect
    time = .until(expires)
    signature = try Self.bytes(values["Signature"], "Signature")
  }

  /// The bytes of a signature; throws for any other text, by the name of its field.
  static func bytes(_ text: String?, _ name: String) throws(SignatureProblem) -> [UInt8] {
    guard let bytes = Base64.decode(text ?? ""), 1...1_024 ~= bytes.count else {
      throw .malformed(name)
    }
    return bytes
  }

  /// Throws unless the signature counts at a time, in seconds since 1970.
  package func checkTime(_ now: Int64) throws(SignatureProblem) {
    switch time {
    case .until(let end): guard now <= end else { throw .expired(at: end) }
    case .at(let start, _):
      let skew = RequestSignature.clockSkew
      // Without a difference, which could overflow.
      guard start <= now + skew else { throw .notYetValid }
      guard now <= start + skew else { throw .expired(at: start + skew) }
    }
  }

  /// True where the account is the access id of a shared secret: service accounts have addresses of e-mail.
  var isBySecret: Bool {
    if case .at = time { return true }
    return dialect == .amazon || Self.isAccessID(account)
  }

  /// Returns true for a name that is no address of e-mail.
  static func isAccessID(_ account: String) -> Bool { !account.contains("@") }

  /// The candidates for the signed text: signers encode the parameters of the resource in several ways.
  func stringsToSign(_ request: SignableRequest) throws(SignatureProblem) -> [String] {
    let line =
      switch time {
      case .until(let end): "\(end)"
      case .at(_, let line): line
      }
    let head = [
      request.method, request.headers["content-md5"] ?? "", request.headers["content-type"] ?? "",
      line,
    ]
    let start = (head + extensionHeaders(of: request)).joined(separator: "\n") + "\n"
    return try resources(of: request).map { start + $0 }
  }

  /// The lines of all extension headers, signed or not: a header that the signer did not name makes another text.
  private func extensionHeaders(of request: SignableRequest) -> [String] {
    let names = request.headers.keys.filter { $0.hasPrefix("x-goog-") || $0.hasPrefix("x-amz-") }
    return names.sorted().map { name in
      let value = request.headers[name] ?? ""
      // Those who sign by a secret keep the spaces within a value.
      guard !isBySecret else { return "\(name):\(Self.trimmed(value))" }
      return "\(name):\(value.split(whereSeparator: \.isWhitespace).joined(separator: " "))"
    }
  }

  private static func trimmed(_ value: String) -> Substring {
    let start = value.drop(while: \.isWhitespace)
    guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return start[...end]
  }

  // MARK: Resources

  private func resources(of request: SignableRequest) throws(SignatureProblem) -> [String] {
    let others = request.parameters.filter { !Self.parameters.contains($0.name) }
    var resources: [String] = []
    if !isBySecret || dialect == .google && !isHeader {
      resources += Self.accountResources(request, others)
    }
    if isBySecret { resources += try secretResources(request, others) }
    var known: Set<String> = []
    return resources.filter { known.insert($0).inserted }
  }

  private var isHeader: Bool {
    if case .at = time { return true }
    return false
  }

  /// The resource as service accounts sign it in a URL: with all parameters that need it, encoded.
  private static func accountResources(
    _ request: SignableRequest,
    _ others: [(name: String, value: String)]
  ) -> [String] {
    let isDownload = request.method == "GET" || request.method == "HEAD"
    let signed = others.filter { name, _ in
      name != "userProject" && !(isDownload && isOfDownload(name))
    }
    var resources: [String] = []
    for list in [signed, others] {
      guard !list.isEmpty else {
        resources.append(request.path)
        continue
      }
      let sorted = list.sorted { $0.name < $1.name }
      let query = PercentEncoding.form(sorted)
      resources.append("\(request.path)?\(query)")
      // Python's library has a plus for a space.
      resources.append("\(request.path)?\(query.replacing("%20", with: "+"))")
      if sorted.count == 1, sorted[0].value.isEmpty {
        resources.append("\(request.path)?\(sorted[0].name)")
      }
    }
    return resources
  }

  /// The resource as clients of S3 sign it: with the parameters that name a part of it, by their plain values.
  ///
  /// Throws `mismatch` for another parameter of a request that changes something.
  private func secretResources(
    _ request: SignableRequest,
    _ others: [(name: String, value: String)]
  ) throws(SignatureProblem) -> [String] {
    let isReading = request.method == "GET" || request.method == "HEAD"
    if !isReading {
      let unsigned = others.contains { name, _ in
        !Self.signedParameters.contains(name) && !Self.freeParameters.contains(name)
          && !(dialect == .google && name == "generation")
      }
      guard !unsigned else { throw .mismatch }
    }
    let names = [Self.signedParameters, Self.signedParameters.union(["userProject"])]
    let queries = names.flatMap { names in
      let signed = others.filter { names.contains($0.name) }.sorted { $0.name < $1.name }
      guard !signed.isEmpty else { return [""] }
      // A name without a value is sent with or without its sign of equality.
      return ["", "="].map { end in
        let query = signed.map { $0.value.isEmpty ? $0.name + end : "\($0.name)=\($0.value)" }
        return "?" + query.joined(separator: "&")
      }
    }
    return Self.paths(request.path).flatMap { path in queries.map { path + $0 } }
  }

  /// The path as it came, and that of a bucket with the slash with which boto3 signs it.
  private static func paths(_ path: String) -> [String] {
    path.utf8.count { $0 == UInt8(ascii: "/") } == 1 && path != "/" ? [path, path + "/"] : [path]
  }

  /// The parameters that S3's and Google's clients sign by a secret.
  private static let signedParameters: Set<String> = [
    "accelerate", "acl", "analytics", "billing", "compose", "cors", "defaultObjectAcl", "delete",
    "encryptionConfig", "inventory", "lifecycle", "location", "logging", "metrics", "notification",
    "object-lock", "partNumber", "policy", "replication", "requestPayment",
    "response-cache-control", "response-content-disposition", "response-content-encoding",
    "response-content-language", "response-content-type", "response-expires", "restore", "select",
    "select-type", "storageClass", "tagging", "torrent", "uploadId", "uploads", "versionId",
    "versioning", "versions", "website", "websiteConfig",
  ]
  /// Parameters that mean nothing here, or say again what a signed header says.
  private static let freeParameters: Set<String> = [
    "content-md5", "content-type", "userProject", "x-id",
  ]

  private static func isOfDownload(_ parameter: String) -> Bool {
    parameter == "generation" || parameter.hasPrefix("response-")
  }
}
