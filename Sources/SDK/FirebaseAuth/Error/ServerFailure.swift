import Foundation

/// An error that the server answered: `CODE` or `CODE : detail`.
struct ServerFailure {
  private let code: String
  private let detail: String?
  private let reasons: [String]
  private let body: Data

  /// Reads an error body; nil where it is none.
  init?(body: Data) {
    guard let answer = try? JSONDecoder().decode(FailureAnswer.self, from: body) else { return nil }
    self.init(message: answer.error.message, reasons: answer.error.reasons, body: body)
  }

  /// Reads an error's text.
  init(message: String, reasons: [String] = [], body: Data = Data()) {
    let parts = message.split(separator: ":", maxSplits: 1)
    code = parts.first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
    detail = parts.dropFirst().first.map { $0.trimmingCharacters(in: .whitespaces) }
    self.reasons = reasons
    self.body = body
  }

  /// The error that is thrown.
  var error: NSError {
    if reasons.contains(where: { $0.hasPrefix("keyInvalid") }) {
      return AuthErrorCode.invalidAPIKey.error()
    }
    if reasons.contains("ipRefererBlocked") { return AuthErrorCode.appNotAuthorized.error() }
    guard let known = ServerErrorTable.codes[code] else { return internalError }
    switch known {
    case .weakPassword, .passwordDoesNotMeetRequirements:
      return known.error(detail, detail.map { [NSLocalizedFailureReasonErrorKey: $0] } ?? [:])
    default: return known.error(detail)
    }
  }

  private var internalError: NSError {
    let answer = (try? JSONSerialization.jsonObject(with: body)) ?? [:]
    let underlying = NSError(
      domain: AuthErrors.internalDomain,
      code: 3,
      userInfo: [
        AuthErrors.deserializedResponseKey: answer,
        NSLocalizedDescriptionKey: detail.map { "\(code): \($0)" } ?? code,
      ]
    )
    return AuthErrorCode.internalError.error(nil, [NSUnderlyingErrorKey: underlying])
  }
}

/// The body of an error.
private struct FailureAnswer: Decodable {
  struct Failure: Decodable {
    struct Item: Decodable {
      var reason: String?
    }

    let message: String
    var errors: [Item]?

    var reasons: [String] { (errors ?? []).compactMap(\.reason) }
  }

  let error: Failure
}
