import Foundation

// Beyond Google's options: where Brasa is, and where an app keeps its state.

extension FirebaseOptions {
  /// The server of all services, such as `https://brasa.example.com` or `localhost:8080`; nil is Google.
  ///
  /// Without a scheme a loopback host is reached in plain text and every other one over TLS. Plain
  /// text to another machine must be said: `http://192.168.1.20:8080`. Traps on text that is not a
  /// host.
  public var brasaHost: String? {
    get { snapshot.host?.url }
    set {
      let address = newValue.map { text in
        guard let address = ServiceAddress(text) else {
          preconditionFailure("\"\(text)\" is not a host. Use the form https://name:port.")
        }
        return address
      }
      edit { $0.host = address }
    }
  }

  /// The directory in which the SDK keeps sessions and caches on Linux; nil is the user's data directory.
  ///
  /// Two programs with the same directory and the same app share them.
  public var stateDirectory: URL? {
    get { snapshot.stateDirectory }
    set { edit { $0.stateDirectory = newValue } }
  }

  /// The server of one service; nil where it is Google's.
  package func address(of service: FirebaseService) -> ServiceAddress? {
    let members = snapshot
    return members.serviceHosts[service] ?? members.host
  }
}
