import FirebaseCore
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends calls in the protocol of callable functions.
struct CallableRequest: Sendable {
  let app: FirebaseApp
  let url: URL

  /// The largest response.
  private static let responseLimit = 32 << 20

  /// Sends a body and returns the result; throws `FunctionsErrorCode`'s errors.
  func send(_ body: Data, seconds: TimeInterval) async throws -> sending Any {
    var request = URLRequest(url: url, timeoutInterval: seconds)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    // A token is sent to the app's own server only if it cannot be read on the way.
    if ServiceAddress.isPrivate(url) || app.options.brasaHost?.hasPrefix("http://") == true,
      let token = try await app.credentials?.token(forcingRefresh: false)
    {
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    }
    let answer: HTTPAnswer
    do {
      answer = try await HTTPClient.shared.answer(
        to: request,
        body: body,
        limit: Self.responseLimit
      )
    } catch let error as URLError where error.code == .timedOut {
      throw FunctionsErrorCode.deadlineExceeded.error("DEADLINE EXCEEDED")
    } catch let error as URLError {
      throw FunctionsErrorCode.unavailable.error(error.localizedDescription)
    }
    return try Self.result(answer)
  }

  private static func result(_ answer: HTTPAnswer) throws -> sending Any {
    let object = try? JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
    if let error = object?["error"] as? [String: Any] {
      let code =
        (error["status"] as? String).flatMap(FunctionsErrorCode.init(name:)) ?? .internal
      throw code.error(
        error["message"] as? String ?? code.name,
        details: error["details"].map(CallableValue.decoded)
      )
    }
    guard answer.isSuccess else {
      let code = FunctionsErrorCode(httpStatus: answer.status)
      throw code.error(code.name)
    }
    guard let object, let result = object["result"] ?? object["data"] else {
      throw FunctionsErrorCode.internal.error("Response is missing data field.")
    }
    return CallableValue.decoded(result)
  }
}

/// The values of calls as JSON.
enum CallableValue {
  private static let signed = "type.googleapis.com/google.protobuf.Int64Value"
  private static let unsigned = "type.googleapis.com/google.protobuf.UInt64Value"
  /// The largest whole number that every reader of JSON has exactly.
  private static let largestExact = 9_007_199_254_740_992.0

  /// The body of a call.
  static func body(of data: Any?) throws -> Data {
    let object: [String: Any] = ["data": try encoded(data ?? NSNull())]
    return try JSONSerialization.data(withJSONObject: object)
  }

  private static func encoded(_ value: Any) throws -> Any {
    switch value {
    case let text as String: return text
    case let flag as Bool where type(of: value) == Bool.self: return flag
    case let values as [Any]: return try values.map(encoded)
    case let members as [String: Any]: return try members.mapValues(encoded)
    case is NSNull: return NSNull()
    case let number as UInt64 where number > UInt64(Int64.max):
      return ["@type": unsigned, "value": "\(number)"]
    case let number as Int64 where Double(number).magnitude > largestExact:
      return ["@type": signed, "value": "\(number)"]
    case let number as NSNumber:
      guard number.doubleValue.isFinite else { break }
      return number
    default: break
    }
    throw FunctionsErrorCode.invalidArgument.error(
      "A value of the type \(type(of: value)) can't be sent."
    )
  }

  /// A value of a response, with its 64-bit numbers.
  static func decoded(_ value: Any) -> Any {
    switch value {
    case let values as [Any]: return values.map(decoded)
    case let members as [String: Any]:
      if let type = members["@type"] as? String, let text = members["value"] as? String {
        if type == signed, let number = Int64(text) { return number }
        if type == unsigned, let number = UInt64(text) { return number }
      }
      return members.mapValues(decoded)
    default: return value
    }
  }
}
