import BaseRuntime
import BaseStatus
import Foundation
import HTTPTypes
import ServiceModule

/// The challenges by which an ACME client proves that a host leads to this server.
enum ACMEChallenges {
  /// Serves the files of a directory below `/.well-known/acme-challenge/`; a token names a file and nothing else.
  static func module(_ directory: String, threads: EngineThreads) -> ServiceModule {
    var module = ServiceModule("acme")
    module.routes = [
      HTTPRoute(.get, "/.well-known/acme-challenge/{token}", for: .clients) { request in
        let token = request.parameters["token"] ?? ""
        let root = URL(fileURLWithPath: directory, isDirectory: true)
        guard isToken(token),
          let bytes = try await threads.run(
            on: .files,
            { try? PlainFile.contents(of: root.appendingPathComponent(token), below: root) }
          ), bytes.count <= 4_096
        else { throw ServiceError(.notFound, "The challenge does not exist.") }
        return ServiceResponse(
          headers: [.contentType: "text/plain"],
          body: .bytes(Array(bytes))
        )
      }
    ]
    return module
  }

  /// Base64 for URLs, as RFC 8555 has tokens.
  private static func isToken(_ text: String) -> Bool {
    (1...200).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
  }
}
