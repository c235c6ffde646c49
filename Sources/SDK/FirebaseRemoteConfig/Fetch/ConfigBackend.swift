import FirebaseCore
import FirebaseInstallations
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The Remote Config API over HTTP.
struct ConfigBackend: Sendable {
  /// The server's response.
  enum Answer: Sendable {
    /// Other values than those of the etag.
    case values(ConfigState.Fetched, etag: String?)
    /// The same values; the number may be a new one.
    case unchanged(templateVersion: Int64?)
    /// The server wants to be left alone for a while.
    case refused(status: Int)
  }

  private struct Reply: Decodable {
    let state: String?
    let entries: [String: String]?
    let templateVersion: String?
    let experimentDescriptions: [Experiment]?
  }

  /// An experiment that the installation takes part in.
  private struct Experiment: Decodable {
    let experimentId: String?
    let variantId: String?
  }

  let client: HTTPClient
  let options: FirebaseOptions
  let installations: Installations
  let device: ConfigDevice

  /// Asks for the values of this device.
  func fetch(
    etag: String?,
    signals: [String: String],
    user: AppUserProperties,
    timeout: TimeInterval,
    type: String
  ) async throws -> Answer {
    let (id, token) = try await identity()
    var body: [String: Any] = [
      "app_instance_id": id, "app_instance_id_token": token, "app_id": options.googleAppID,
      "sdk_version": FirebaseVersion(), "time_zone": device.timeZone,
      "platform_version": device.platformVersion, "package_name": options.bundleID,
    ]
    body["country_code"] = device.country
    body["language_code"] = device.language
    body["app_version"] = device.appVersion
    body["app_build"] = device.appBuild
    if !signals.isEmpty { body["custom_signals"] = signals }
    if !user.values.isEmpty { body["analytics_user_properties"] = user.values }
    body["first_open_time"] = user.firstOpenTime?.ISO8601Format()
    var request = try request("fetch", host: "firebaseremoteconfig.googleapis.com", token, body)
    request.timeoutInterval = timeout
    request.setValue(type, forHTTPHeaderField: "X-Firebase-RC-Fetch-Type")
    if let etag { request.setValue(etag, forHTTPHeaderField: "If-None-Match") }
    return try Self.answer(try await exchange(request))
  }

  /// The request that opens a stream of new numbers.
  func streamRequest(after known: Int64) async throws -> URLRequest {
    let (id, token) = try await identity()
    let body: [String: Any] = [
      "project": options.gcmSenderID, "namespace": "firebase",
      "lastKnownVersionNumber": "\(known)", "appId": options.googleAppID,
      "sdkVersion": FirebaseVersion(), "appInstanceId": id,
    ]
    let host = "firebaseremoteconfigrealtime.googleapis.com"
    var request = try request("streamFetchInvalidations", host: host, token, body)
    // The server ends streams before.
    request.timeoutInterval = 330
    return request
  }

  private func identity() async throws -> (id: String, token: String) {
    do {
      let token = try await installations.authToken().authToken
      return (try await installations.installationID(), token)
    } catch let error as InstallationsErrorCode {
      throw RemoteConfigError.error(
        .internalError,
        "The installation has no token: \(error.localizedDescription)"
      )
    }
  }

  private func request(
    _ verb: String,
    host: String,
    _ token: String,
    _ body: [String: Any]
  ) throws -> URLRequest {
    let base = options.address(of: .remoteConfig)?.url ?? "https://\(host)"
    guard let project = options.projectID, let key = options.apiKey,
      var parts = URLComponents(
        string: "\(base)/v1/projects/\(project)/namespaces/firebase:\(verb)"
      )
    else {
      throw RemoteConfigError.error(.internalError, "The options have no project or API key.")
    }
    parts.queryItems = [URLQueryItem(name: "key", value: key)]
    guard let url = parts.url else {
      throw RemoteConfigError.error(.internalError, "The server's address is malformed.")
    }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = try JSONSerialization.data(withJSONObject: body)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue(key, forHTTPHeaderField: "X-Goog-Api-Key")
    request.setValue(token, forHTTPHeaderField: "X-Goog-Firebase-Installations-Auth")
    if !options.bundleID.isEmpty {
      request.setValue(options.bundleID, forHTTPHeaderField: "X-Ios-Bundle-Identifier")
    }
    return request
  }

  private func exchange(_ request: URLRequest) async throws -> HTTPAnswer {
    do {
      return try await client.answer(to: request)
    } catch {
      if error is CancellationError { throw error }
      throw RemoteConfigError.error(
        .internalError,
        "The server can't be reached: \(error.localizedDescription)"
      )
    }
  }

  private static func answer(_ answer: HTTPAnswer) throws -> Answer {
    switch answer.status {
    case 200: break
    case 304: return .unchanged(templateVersion: nil)
    case let status where [429, 500, 503, 504].contains(status): return .refused(status: status)
    case let status:
      let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
      throw RemoteConfigError.error(.internalError, "The server answered \(status): \(text)")
    }
    guard let reply = try? JSONDecoder().decode(Reply.self, from: answer.body) else {
      throw RemoteConfigError.error(.internalError, "The server's response can't be read.")
    }
    let number = reply.templateVersion.flatMap(Int64.init)
    if reply.state == "NO_CHANGE" { return .unchanged(templateVersion: number) }
    let variants = (reply.experimentDescriptions ?? []).compactMap { one in
      one.experimentId.flatMap { id in one.variantId.map { (id, $0) } }
    }
    return .values(
      ConfigState.Fetched(
        entries: reply.entries ?? [:],
        templateVersion: number ?? 0,
        variants: Dictionary(variants) { $1 }
      ),
      etag: answer.headers["etag"]
    )
  }
}
