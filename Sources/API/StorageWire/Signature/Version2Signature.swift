import FirestoreModel

/// The credentials of a URL that is signed by version 2, as Google's client for Node does unless it is told otherwise.
///
///     ?GoogleAccessId={account}&Expires={seconds since 1970}&Signature={Base64}
///
/// The signature is RSA with SHA-256 over these lines; only the last two have more than one:
///
///     the method, the header content-md5, the header content-type, Expires
///     name:value of each header x-goog-* and x-amz-*, names in lower case and sorted
///     the path as it is sent, with the parameters that are signed
///
/// Parameters of a download that say which generation is sent, and with which headers, need no signature, as with Google;
/// all others do.
package struct Version2Signature: Sendable {
  /// The service account's e-mail.
  package let account: String
  /// The last second at which the URL is valid, since 1970.
  package let expires: Int64
  let signature: [UInt8]

  /// Names of the parameters that make a URL a signed one.
  package static let parameters: Set<String> = ["GoogleAccessId", "Expires", "Signature"]

  /// Returns true if a raw query is that of a URL of this version, in which a plus is a space.
  package static func isSigned(query: String) -> Bool {
    query.hasPrefix("GoogleAccessId=") || query.contains("&GoogleAccessId=")
  }

  /// Reads the query of a request; nil where none of the three parameters is there.
  package init?(_ request: SignableRequest) throws(SignatureProblem) {
    guard request.parameters.contains(where: { Self.parameters.contains($0.name) }) else {
      return nil
    }
    var values: [String: String] = [:]
    for name in Self.parameters.sorted() {
      let found = request.parameters.filter { $0.name == name }
      guard found.count == 1, !found[0].value.isEmpty else { throw .malformed(name) }
      values[name] = found[0].value
    }
    guard let expires = Int64(values["Expires"] ?? ""), expires >= 0 else {
      throw .malformed("Expires")
    }
    self.account = values["GoogleAccessId"] ?? ""
    self.expires = expires
    signature = try Self.bytes(values["Signature"], "Signature")
  }

  /// The bytes of a signature; throws for what is none, by the name of its field.
  static func bytes(_ text: String?, _ name: String) throws(SignatureProblem) -> [UInt8] {
    guard let bytes = Base64.decode(text ?? ""), 1...1_024 ~= bytes.count else {
      throw .malformed(name)
    }
    return bytes
  }

  /// Throws unless the URL is valid at a time, in seconds since 1970.
  package func checkTime(_ now: Int64) throws(SignatureProblem) {
    guard now <= expires else { throw .expired(at: expires) }
  }

  /// The candidates for the signed text: signers encode the parameters of the resource in several ways.
  func stringsToSign(_ request: SignableRequest) -> [String] {
    let head = [
      request.method, request.headers["content-md5"] ?? "", request.headers["content-type"] ?? "",
      "\(expires)",
    ]
    let start = (head + Self.extensionHeaders(of: request)).joined(separator: "\n") + "\n"
    return Self.resources(of: request).map { start + $0 }
  }

  /// The lines of all extension headers, signed or not: a header that the signer did not name makes another text.
  private static func extensionHeaders(of request: SignableRequest) -> [String] {
    let names = request.headers.keys.filter { $0.hasPrefix("x-goog-") || $0.hasPrefix("x-amz-") }
    return names.sorted().map { name in
      let words = (request.headers[name] ?? "").split(whereSeparator: \.isWhitespace)
      return "\(name):\(words.joined(separator: " "))"
    }
  }

  private static func resources(of request: SignableRequest) -> [String] {
    let others = request.parameters.filter { !parameters.contains($0.name) }
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
    var known: Set<String> = []
    return resources.filter { known.insert($0).inserted }
  }

  private static func isOfDownload(_ parameter: String) -> Bool {
    parameter == "generation" || parameter.hasPrefix("response-")
  }
}

extension SignatureVerifier {
  /// Checks the time and the signature of a URL; throws `SignatureProblem`, or what keys throw.
  ///
  /// - Parameter now: In seconds since 1970.
  /// - Returns: The key.
  package func verify(
    _ signature: Version2Signature,
    of request: SignableRequest,
    now: Int64
  ) throws -> SigningKey {
    try signature.checkTime(now)
    return try verify(
      anyOf: signature.stringsToSign(request),
      signature.signature,
      account: signature.account
    )
  }

  /// Checks that a service account signed one of those texts.
  func verify(
    anyOf texts: [String],
    _ signature: [UInt8],
    account: String
  ) throws -> SigningKey {
    for text in texts {
      if let keyID = try keyID(Array(text.utf8), signature, account) {
        return .account(account, keyID: keyID)
      }
    }
    return try foreignKey(of: account)
  }
}
