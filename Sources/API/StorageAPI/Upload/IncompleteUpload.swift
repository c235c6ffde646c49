import HTTPTypes
import ServiceModule

extension ServiceResponse {
  /// Says how many bytes of a resumable upload are there, with 308; or, to clients that take no 308, with 200 and a
  /// header, as they agreed on (`X-GUploader-No-308`).
  static func incomplete(received: Int64, for headers: HTTPFields) -> ServiceResponse {
    var response = ServiceResponse(status: HTTPResponse.Status(code: 308))
    if received > 0 { response.headers[.range] = "bytes=0-\(received - 1)" }
    if headers[.no308] == "yes" {
      response.status = .ok
      response.headers[.statusOverride] = "308"
    }
    return response
  }
}

extension HTTPField.Name {
  fileprivate static let no308 = Self("x-guploader-no-308") ?? .from
  fileprivate static let statusOverride = Self("x-http-status-code-override") ?? .from
}
