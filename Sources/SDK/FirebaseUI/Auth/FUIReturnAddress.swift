import FirebaseAuth
import FirebaseCore
import Foundation

/// The address to which a provider's page leads back when the system's browser shows it.
package enum FUIReturnAddress: Sendable, Equatable {
  /// The server's page `/__/auth/handler`, whose host is an associated domain of the app.
  case page(URL)
  /// An address of the app's own scheme, which servers in development accept.
  case app(URL)

  /// The address itself.
  package var url: URL {
    switch self {
    case .page(let url), .app(let url): url
    }
  }

  /// The scheme of an app: its bundle id, else `REVERSED_CLIENT_ID`, else `app-` with the app's id, as Google's SDK has it.
  package static func scheme(bundleID: String, clientID: String?, appID: String) -> String {
    let reversed = clientID.map { $0.split(separator: ".").reversed().joined(separator: ".") }
    let found = [bundleID, reversed].compactMap(\.self).first(where: isScheme)
    return (found ?? "app-" + appID.replacingOccurrences(of: ":", with: "-")).lowercased()
  }

  /// True for a reversed domain name that may be a scheme.
  private static func isScheme(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && text.first?.isLetter == true
      && parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      }
  }
}

extension FUIAuth {
  /// The address to which providers lead back: over TLS the server's page, in plain text the app's own scheme.
  package func returnAddress() throws -> FUIReturnAddress {
    guard let auth, let options = auth.app?.options, let server = auth.serverAddress else {
      throw FUIAuthErrorCode.cannotFindProvider.object
    }
    let scheme = FUIReturnAddress.scheme(
      bundleID: options.bundleID,
      clientID: options.clientID,
      appID: options.googleAppID
    )
    let text = server.isSecure ? "\(server.url)/__/auth/handler" : "\(scheme)://auth/handler"
    guard let url = URL(string: text) else { throw FUIAuthErrorCode.cannotFindProvider.object }
    return server.isSecure ? .page(url) : .app(url)
  }
}
