import ArgumentParser
import BaseJSON
import BaseStatus
import FirestoreModel
import FirestoreWire
import Foundation
import Outbound

/// The server that a migration copies from: Google's services, or one origin that has them all.
struct SourceServer: Sendable {
  /// The services by their hosts at Google.
  enum Service: String {
    case firestore = "firestore.googleapis.com"
    case identity = "identitytoolkit.googleapis.com"
    case storage = "storage.googleapis.com"
    case rules = "firebaserules.googleapis.com"
    case remoteConfig = "firebaseremoteconfig.googleapis.com"
    case management = "firebase.googleapis.com"
  }

  /// Nil is Google.
  let origin: String?
  /// The project at the source.
  let project: String
  let credentials: SourceCredentials
  let client: NodeClient

  private static let longestText = 256 << 20

  /// Sends a GET and returns the JSON; nil for a missing resource.
  func get(_ service: Service, _ target: String) async throws -> JSONValue? {
    let answer = try await open(service, target)
    let text = try await Self.text(of: answer.body)
    if answer.status == 404 { return nil }
    guard answer.status == 200, let json = try? JSONValue(parsing: text) else {
      let reason = (try? JSONValue(parsing: text))?["error"]?["message"]?.string
      throw CommandFailure(
        "The source refuses \(target) (\(answer.status)): \(reason ?? String(text.prefix(300)))"
      )
    }
    return json
  }

  /// Sends a GET; the body comes as it is read.
  func open(_ service: Service, _ target: String) async throws -> NodeClient.Answer {
    let message = NodeClient.Message(
      "GET",
      target,
      headers: [
        ("authorization", "Bearer \(try await credentials.bearer())"),
        ("x-goog-user-project", project),
        // Packed objects come as they are stored.
        ("accept-encoding", "gzip"),
      ]
    )
    let host = origin ?? "https://\(service.rawValue)"
    do {
      return try await client.send(message, to: host, within: .seconds(60))
    } catch {
      throw CommandFailure("\(host) can't be reached: \(error)")
    }
  }

  static func text(of body: NodeClient.Body) async throws -> String {
    var bytes: [UInt8] = []
    for try await part in body {
      bytes += part
      guard bytes.count <= longestText else {
        throw CommandFailure("A response of the source is over 256 MiB.")
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// All items of a list that comes in pages.
  ///
  /// - Parameter target: The path, with a query.
  func list(
    _ service: Service,
    _ target: String,
    _ member: String,
    tokenName: String = "pageToken",
    each: (JSONValue) async throws -> Void
  ) async throws {
    var token = ""
    repeat {
      let escaped = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let page = token.isEmpty ? target : "\(target)&\(tokenName)=\(escaped)"
      guard let json = try await get(service, page) else { return }
      for item in json[member]?.elements ?? [] { try await each(item) }
      token = json["nextPageToken"]?.string ?? ""
    } while !token.isEmpty
  }

  /// The Firestore of the source, for one call.
  func firestore() async throws -> WatchServer {
    let url = origin.flatMap { URL(string: $0) }
    let isSecure = url.map { $0.scheme == "https" } ?? true
    return WatchServer(
      host: url?.host() ?? Service.firestore.rawValue,
      port: url?.port ?? (isSecure ? 443 : 80),
      token: try await credentials.bearer(),
      isSecure: isSecure,
      authority: nil
    )
  }
}
