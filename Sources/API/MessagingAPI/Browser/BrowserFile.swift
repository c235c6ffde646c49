import BaseText
import Crypto
import HTTPTypes
import ServiceModule

/// A script that is in the binary.
struct BrowserFile: Sendable {
  let path: String
  private let bytes: [UInt8]
  private let tag: String

  static let all = [
    BrowserFile("/__/messaging/messaging.js", PackageResources.messaging_js),
    BrowserFile("/__/messaging/messaging-store.js", PackageResources.messaging_store_js),
    BrowserFile("/__/messaging/messaging-worker.js", PackageResources.messaging_worker_js),
    BrowserFile(
      "/__/brasa/web.js",
      PackageResources.web_js + PackageResources.web_frames_js
    ),
  ]

  private init(_ path: String, _ bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
    tag = "\"\(Hexadecimal.text(Array(SHA256.hash(data: bytes)).prefix(8)))\""
  }

  /// The script, which has no secret in it; the gateway lets pages of every origin read it.
  func answer(to request: ServiceRequest) -> ServiceResponse {
    var headers: HTTPFields = [
      .cacheControl: "no-cache", .eTag: tag,
      .xContentTypeOptions: "nosniff",
    ]
    if let policy = HTTPField.Name("cross-origin-resource-policy") {
      headers[policy] = "cross-origin"
    }
    if request.headers[.ifNoneMatch] == tag {
      return ServiceResponse(status: .notModified, headers: headers)
    }
    headers[.contentType] = "text/javascript; charset=utf-8"
    return ServiceResponse(headers: headers, body: .bytes(bytes))
  }
}
