import BaseStatus
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

/// An error of the XML API: a status, a code that clients know, and a text.
struct XMLFailure: Error {
  let status: Int
  let code: String
  let message: String
  var details: String?

  init(_ status: Int, _ code: String, _ message: String, details: String? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.details = details
  }

  static func invalid(_ details: String) -> XMLFailure {
    XMLFailure(400, "InvalidArgument", "Invalid argument.", details: details)
  }

  static let denied = XMLFailure(403, "AccessDenied", "Access denied.")
  static let malformed = XMLFailure(
    400,
    "MalformedXML",
    "The XML that you provided was not well formed."
  )
  static let noBucket = XMLFailure(404, "NoSuchBucket", "The specified bucket does not exist.")
  static let noKey = XMLFailure(404, "NoSuchKey", "The specified key does not exist.")
  static let invalidRange = XMLFailure(
    416,
    "InvalidRange",
    "The requested range cannot be satisfied."
  )
  static let conditionNotMet = XMLFailure(
    412,
    "PreconditionFailed",
    "At least one of the pre-conditions you specified did not hold."
  )
  static let noUpload = XMLFailure(
    404,
    "NoSuchUpload",
    "The requested upload was not found."
  )
  static let notImplemented = XMLFailure(
    501,
    "NotImplemented",
    "A header or query you provided requested a function that is not implemented."
  )

  /// Refuses something of a request by its name.
  static func unsupported(_ name: String) -> XMLFailure {
    var failure = notImplemented
    failure.details = name
    return failure
  }

  /// The failure that an error is to a client; nil for errors that are not reported.
  init?(_ error: any Error) {
    switch error {
    case let failure as XMLFailure: self = failure
    case let problem as SignatureProblem: self.init(problem)
    case let problem as PostPolicy.Problem: self.init(problem)
    case let problem as ChunkedPayload.Problem: self.init(problem)
    case let error as StorageError: self.init(error)
    case let error as ServiceError: self.init(error)
    case is MultipartReader.Problem:
      self.init(400, "MalformedPOSTRequest", "The body of your POST request is malformed.")
    case is XMLReader.Problem:
      self.init(400, "MalformedXML", "The XML that you provided was not well formed.")
    case is ServiceBody.TooLarge:
      self.init(400, "EntityTooLarge", "Your proposed upload is larger than the maximum.")
    default: return nil
    }
  }

  private init(_ problem: SignatureProblem) {
    switch problem {
    case .malformed(let name):
      self = .invalid("\(name) is missing or malformed.")
    case .expired(let end):
      self.init(
        400,
        "ExpiredToken",
        "The provided token has expired.",
        details: "Request signature expired at: \(BasicTime(seconds: end).text)"
      )
    case .notYetValid:
      self.init(403, "AccessDenied", "Access denied.", details: "Request is not yet valid")
    case .unsignedHeader(let name):
      self.init(
        400,
        "MalformedSecurityHeader",
        "Your request has a malformed header.",
        details: "Header was included in the request, but not in signedheaders: \(name)"
      )
    case .missingHeader(let name):
      self.init(
        400,
        "MalformedSecurityHeader",
        "Your request has a malformed header.",
        details: "Header was included in signedheaders, but not in the request: \(name)"
      )
    case .mismatch:
      self.init(
        403,
        "SignatureDoesNotMatch",
        "The request signature we calculated does not match the signature you provided. "
          + "Check your Google secret key and signing method."
      )
    }
  }

  private init(_ problem: ChunkedPayload.Problem) {
    switch problem {
    case .malformed: self = .invalid("The chunks of the body are malformed.")
    case .malformedTrailer:
      self.init(
        400,
        "MalformedTrailerError",
        "The trailers of the body do not match the announced ones."
      )
    case .truncated:
      self.init(400, "IncompleteBody", "The body ends before its last chunk.")
    case .mismatch: self.init(SignatureProblem.mismatch)
    }
  }

  private init(_ problem: PostPolicy.Problem) {
    let code = "InvalidPolicyDocument"
    let message =
      "The content of the form does not meet the conditions specified in the policy document."
    switch problem {
    case .malformed: self.init(400, code, message, details: "The policy is malformed.")
    case .expired: self.init(400, code, message, details: "Policy expired.")
    case .field(let name):
      self.init(400, code, message, details: "Policy did not reference these fields: \(name)")
    case .tooSmall:
      self.init(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum.")
    case .tooLarge:
      self.init(400, "EntityTooLarge", "Your proposed upload is larger than the maximum.")
    }
  }

  private init(_ error: StorageError) {
    switch error.code {
    case .invalid: self = .invalid(error.message)
    case .contentMismatch: self.init(400, "BadDigest", error.message)
    case .forbidden: self.init(403, "AccessDenied", "Access denied.", details: error.message)
    case .notFound: self = .noKey
    case .conflict: self.init(409, "BucketNotEmpty", error.message)
    case .conditionNotMet:
      self.init(412, "PreconditionFailed", error.message)
    case .notModified: self.init(304, "NotModified", error.message)
    case .rangeNotSatisfiable: self = .invalidRange
    case .gone: self = .noUpload
    case .quotaExceeded: self.init(403, "UserProjectAccountProblem", error.message)
    case .insufficientStorage: self.init(507, "InsufficientStorage", error.message)
    case .unavailable: self.init(503, "ServiceUnavailable", "Service unavailable.")
    case .corrupt: self.init(500, "InternalError", error.message)
    case .unsupported: self = .notImplemented
    }
  }

  private init?(_ error: ServiceError) {
    switch error.code {
    case .permissionDenied: self = .denied
    case .unauthenticated: self.init(401, "AuthenticationRequired", "Authentication required.")
    case .invalidArgument: self = .invalid(error.message)
    case .notFound: self = .noBucket
    case .unavailable, .resourceExhausted, .aborted:
      self.init(503, "ServiceUnavailable", "Service unavailable.")
    default: return nil
    }
  }

  var response: ServiceResponse {
    var elements = [XMLElement("Code", code), XMLElement("Message", message)]
    if let details { elements.append(XMLElement("Details", details)) }
    return .xml(XMLElement("Error", elements), status: HTTPResponse.Status(code: status))
  }
}

extension ServiceResponse {
  /// A response in XML.
  static func xml(
    _ element: XMLElement,
    namespace: String? = nil,
    status: HTTPResponse.Status = .ok
  ) -> ServiceResponse {
    ServiceResponse(
      status: status,
      headers: [.contentType: "application/xml; charset=UTF-8"],
      body: .bytes(Array(element.document(namespace: namespace).utf8))
    )
  }
}
