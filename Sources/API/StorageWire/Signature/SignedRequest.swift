import BaseText
import Crypto

/// An HTTP request as far as signatures are about it.
package struct SignableRequest: Sendable {
  /// The HTTP method in upper case, as it is signed.
  package var method: String
  /// Encoded, as it came, without the query.
  package var path: String
  /// The query's parameters, decoded, in their order.
  package var parameters: [(name: String, value: String)]
  /// By names in lower case; values of one name joined by commas.
  package var headers: [String: String]

  /// A request of those parts.
  package init(
    method: String,
    path: String,
    parameters: [(name: String, value: String)],
    headers: [String: String]
  ) {
    self.method = method
    self.path = path
    self.parameters = parameters
    self.headers = headers
  }

  /// The first parameter of that name, case-sensitive.
  func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
}

/// The credentials of a signed request: the signature, its input and its signer.
///
/// It is read from a query (a signed URL) or from the header `authorization`; nothing is verified by that.
package struct RequestSignature: Sendable {
  /// The dialect of the parameters or headers that hold the signature.
  package let dialect: SignatureDialect
  /// The dialect's HMAC or RSA with SHA-256; others do not parse.
  package let algorithm: String
  /// The service account's e-mail, or the access id of a shared secret.
  package let account: String
  /// Limits the signature to a day, a region and a service; its day is that of `time`.
  package let scope: CredentialScope
  /// The time of signing by the clock of the signer.
  package let time: BasicTime
  /// The time for which a URL can be used; nil for a signed header.
  package let lifetime: Int64?
  /// In lower case.
  package let signedHeaders: [String]
  /// The bytes that the hexadecimal digits stand for, at most 1,024.
  package let signature: [UInt8]

  /// The longest life of a signed URL, in seconds.
  package static let longestLifetime: Int64 = 604_800
  /// The allowed difference of the signer's clock, in seconds.
  package static let clockSkew: Int64 = 900

  /// Reads what a request says; nil where it says nothing of a signature.
  package init?(_ request: SignableRequest) throws(SignatureProblem) {
    for dialect in [SignatureDialect.google, .amazon] {
      if request.parameter(dialect.parameterPrefix + "Algorithm") != nil {
        try self.init(query: request, dialect)
        return
      }
      if let header = request.headers["authorization"], header.hasPrefix(dialect.prefix + "-") {
        try self.init(header: header, request, dialect)
        return
      }
    }
    return nil
  }

  private init(query request: SignableRequest, _ dialect: SignatureDialect) throws(SignatureProblem)
  {
    var values: [String: String] = [:]
    for name in ["Algorithm", "Credential", "Date", "Expires", "SignedHeaders", "Signature"] {
      let found = request.parameters.filter { $0.name == dialect.parameterPrefix + name }
      guard found.count == 1 else { throw .malformed("\(dialect.parameterPrefix)\(name)") }
      values[name] = found[0].value
    }
    guard let lifetime = Int64(values["Expires"] ?? ""), 1...Self.longestLifetime ~= lifetime else {
      throw .malformed("\(dialect.parameterPrefix)Expires")
    }
    try self.init(values, lifetime: lifetime, dialect)
  }

  /// `GOOG4-HMAC-SHA256 Credential=…,SignedHeaders=…,Signature=…`, the time in a header of its own.
  private init(
    header: String,
    _ request: SignableRequest,
    _ dialect: SignatureDialect
  ) throws(SignatureProblem) {
    let halves = header.split(separator: " ", maxSplits: 1)
    guard halves.count == 2 else { throw .malformed("Authorization") }
    var values = ["Algorithm": String(halves[0])]
    for part in halves[1].split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { throw .malformed("Authorization") }
      let name = String(pair[0].drop { $0 == " " })
      guard values.updateValue(String(pair[1]), forKey: name) == nil else {
        throw .malformed("Authorization")
      }
    }
    values["Date"] = request.headers[dialect.headerPrefix + "date"]
    try self.init(values, lifetime: nil, dialect)
  }

  private init(
    _ values: [String: String],
    lifetime: Int64?,
    _ dialect: SignatureDialect
  ) throws(SignatureProblem) {
    guard let algorithm = values["Algorithm"],
      [dialect.hmacAlgorithm, dialect.rsaAlgorithm].contains(algorithm)
    else { throw .malformed("\(dialect.parameterPrefix)Algorithm") }
    guard let credential = CredentialScope.parse(values["Credential"] ?? "", dialect) else {
      throw .malformed("\(dialect.parameterPrefix)Credential")
    }
    guard let time = BasicTime(values["Date"] ?? ""), time.date == credential.scope.date else {
      throw .malformed("\(dialect.parameterPrefix)Date")
    }
    let names = (values["SignedHeaders"] ?? "").split(separator: ";").map { $0.lowercased() }
    guard names.contains("host"), Set(names).count == names.count else {
      throw .malformed("\(dialect.parameterPrefix)SignedHeaders")
    }
    guard let signature = Self.bytes(hexadecimal: values["Signature"] ?? "") else {
      throw .malformed("\(dialect.parameterPrefix)Signature")
    }
    self.dialect = dialect
    self.algorithm = algorithm
    (account, scope) = credential
    self.time = time
    self.lifetime = lifetime
    signedHeaders = names
    self.signature = signature
  }

  /// Throws unless it counts at a time, in seconds since 1970.
  package func checkTimes(_ now: Int64) throws(SignatureProblem) {
    let start = time.seconds
    guard start - now <= Self.clockSkew else { throw .notYetValid }
    let end = start + (lifetime ?? Self.clockSkew)
    guard now <= end else { throw .expired(at: end) }
  }

  static func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.map(Hexadecimal.digit)
    guard !digits.isEmpty, digits.count.isMultiple(of: 2), digits.count <= 2_048 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}

/// The reason for refusing a signed request.
package enum SignatureProblem: Error, Sendable, Equatable {
  /// A parameter or header is missing, doubled or no such thing.
  case malformed(String)
  /// It is too late, or too early by more than clocks differ.
  case expired(at: Int64)
  case notYetValid
  /// A header of the request that has to be signed is not.
  case unsignedHeader(String)
  /// A signed header is not in the request.
  case missingHeader(String)
  /// The account is unknown or the signature is not its own over this request.
  case mismatch
}
