import FirebaseCore
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The installations API over HTTP.
struct InstallationsBackend: Sendable {
  let client: HTTPClient
  let options: FirebaseOptions
  let now: @Sendable () -> Date

  private struct Token: Decodable {
    let token: String
    /// Seconds with an `s` behind.
    let expiresIn: String
  }

  private struct Installation: Decodable {
    let fid: String?
    let refreshToken: String
    let authToken: Token
  }

  /// The server says that it does not know the installation.
  struct Unknown: Error {}

  /// Makes an installation known to the server, which gives it another id where its secret does not prove it.
  func register(_ state: InstallationState) async throws -> InstallationState {
    var body = [
      "fid": state.id, "authVersion": "FIS_v2", "appId": options.googleAppID,
      "sdkVersion": "i:\(FirebaseVersion())",
    ]
    body["fidSecret"] = state.secret
    let data = try await send("POST", "installations", JSONEncoder().encode(body))
    let made: Installation = try decode(data)
    return InstallationState(
      id: made.fid ?? state.id,
      registration: try registration(made.authToken, refreshToken: made.refreshToken)
    )
  }

  /// A new token of an installation; throws ``Unknown`` where the server has forgotten it.
  func refresh(_ state: InstallationState, _ refreshToken: String) async throws -> InstallationState
  {
    let body = ["installation": ["sdkVersion": "i:\(FirebaseVersion())"]]
    let path = "installations/\(state.id)/authTokens:generate"
    let data = try await send("POST", path, JSONEncoder().encode(body), refreshToken)
    let registration = try registration(decode(data), refreshToken: refreshToken)
    return InstallationState(id: state.id, registration: registration)
  }

  /// Has the server forget an installation.
  func delete(_ state: InstallationState, _ refreshToken: String) async throws {
    do {
      _ = try await send("DELETE", "installations/\(state.id)", nil, refreshToken)
    } catch is Unknown {}
  }

  private func registration(
    _ token: Token,
    refreshToken: String
  ) throws -> InstallationState.Registration {
    guard token.expiresIn.hasSuffix("s"), let seconds = Double(token.expiresIn.dropLast()) else {
      throw InstallationsErrorCode.error(.unknown, "The server's response has no expiration time.")
    }
    return InstallationState.Registration(
      refreshToken: refreshToken,
      authToken: token.token,
      expirationDate: now().addingTimeInterval(seconds)
    )
  }

  private func decode<Answer: Decodable>(_ data: Data) throws -> Answer {
    do {
      return try JSONDecoder().decode(Answer.self, from: data)
    } catch {
      throw InstallationsErrorCode.error(.unknown, "The server's response can't be read: \(error)")
    }
  }

  private func send(
    _ method: String,
    _ path: String,
    _ body: Data?,
    _ refreshToken: String? = nil
  ) async throws -> Data {
    let base =
      options.address(of: .installations)?.url ?? "https://firebaseinstallations.googleapis.com"
    guard let project = options.projectID, let key = options.apiKey,
      let url = URL(string: "\(base)/v1/projects/\(project)/\(path)")
    else {
      throw InstallationsErrorCode.error(
        .invalidConfiguration,
        "The options have no project or API key."
      )
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue(key, forHTTPHeaderField: "X-Goog-Api-Key")
    if !options.bundleID.isEmpty {
      request.setValue(options.bundleID, forHTTPHeaderField: "X-Ios-Bundle-Identifier")
    }
    if let refreshToken {
      request.setValue("FIS_v2 \(refreshToken)", forHTTPHeaderField: "Authorization")
    }
    let (data, status) = try await exchange(request)
    switch status {
    case 200..<300: return data
    case 401, 404: throw Unknown()
    case 500...:
      throw InstallationsErrorCode.error(.serverUnreachable, "The server answered \(status).")
    default:
      let text = String(decoding: data.prefix(300), as: UTF8.self)
      throw InstallationsErrorCode.error(
        .invalidConfiguration,
        "The server answered \(status): \(text)"
      )
    }
  }

  private func exchange(_ request: URLRequest) async throws -> (Data, Int) {
    do {
      let answer = try await client.answer(to: request)
      return (answer.body, answer.status)
    } catch {
      if error is CancellationError { throw error }
      throw InstallationsErrorCode.error(
        .serverUnreachable,
        "The server can't be reached: \(error.localizedDescription)"
      )
    }
  }
}
