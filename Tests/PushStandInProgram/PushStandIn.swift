import BaseJSON
import BaseText
import Crypto
import Foundation
import PushMessaging
import PushStandIns

/// Stand-ins of push services for tests in other languages and for measurements.
///
/// `push-stand-in apns TEAM KEY BUNDLE FILE` with the PEM file of the key's public half, `push-stand-in web`, or
/// `push-stand-in codec`. Each reads commands as lines of JSON and answers each with one; it ends with its input.
/// `--forgetful` behind `apns` keeps nothing. `drive-apns` and `drive-web` measure the transports against them.
@main
enum PushStandIn {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("apns", 5...6): try await serveAPNs(Array(arguments.dropFirst()))
    case ("web", 1): try await serveWeb()
    case ("drive-apns", _): say(try await PushDrive.apns(Array(arguments.dropFirst())))
    case ("drive-web", _): say(try await PushDrive.web(Array(arguments.dropFirst())))
    case ("codec", 1): try answerCommands(PushCodec.answer)
    default:
      FileHandle.standardError.write(Data("apns TEAM KEY BUNDLE FILE, web or codec\n".utf8))
      exit(64)
    }
  }

  private static func serveAPNs(_ arguments: [String]) async throws {
    let certificate = try StandInCertificate()
    let pem = try String(contentsOfFile: arguments[3], encoding: .utf8)
    let team = APNsStandIn.Team(
      teamID: arguments[0],
      keyID: arguments[1],
      bundle: arguments[2],
      publicKey: try P256.Signing.PublicKey(pemRepresentation: pem)
    )
    let (standIn, server) = try await APNsStandIn.start(
      team,
      certificate: certificate,
      keepsPushes: !arguments.contains("--forgetful"),
      clock: { Int(Date().timeIntervalSince1970) }
    )
    announce(server, certificate)
    try answerCommands { command in
      let device = command["device"]?.string ?? ""
      switch command["command"]?.string {
      case "script":
        standIn.script(device, (command["replies"]?.elements ?? []).compactMap(reply))
        return .object([])
      case "forget":
        standIn.forget(device)
        return .object([])
      case "pushes": return list(standIn.pushes)
      case "count": return .object([.init("count", .integer(standIn.count))])
      default: return .null
      }
    }
    try certificate.removeFile()
  }

  private static func serveWeb() async throws {
    let certificate = try StandInCertificate()
    let (standIn, server) = try await PushServiceStandIn.start(
      certificate: certificate,
      keepsPushes: false
    )
    announce(server, certificate)
    try answerCommands { _ in .object([.init("count", .integer(standIn.count))]) }
    try certificate.removeFile()
  }

  private static func announce(_ server: StandInServer, _ certificate: StandInCertificate) {
    say(
      .object([
        .init("url", .string(server.url)), .init("port", .integer(server.port)),
        .init("authority", .string(certificate.file)),
      ])
    )
  }

  /// `{"status": 410, "reason": "Unregistered", "timestamp": 1}`, "silence", "cut" or "goaway".
  private static func reply(_ text: JSONValue) -> StandInReply? {
    switch text.string {
    case "silence": .silence
    case "cut": .cut
    case "goaway": .goAway(reason: "Shutdown")
    case .some: nil
    case nil:
      APNsStandIn.refusal(
        text["status"]?.integer.map(Int.init) ?? 500,
        text["reason"]?.string ?? "",
        timestamp: text["timestamp"]?.integer,
        retryAfter: text["retryAfter"]?.integer.map(Int.init)
      )
    }
  }

  private static func list(_ pushes: [StandInRequest]) -> JSONValue {
    .array(
      pushes.map { push in
        .object([
          .init("path", .string(push.path)), .init("connection", .integer(push.connection)),
          .init("headers", .object(push.headers.map { .init($0.key, .string($0.value)) })),
          .init("body", .string(Base64.standard(push.body))),
        ])
      }
    )
  }

  private static func answerCommands(_ answer: (JSONValue) throws -> JSONValue) throws {
    while let line = readLine() { say(try answer(JSONValue(parsing: line))) }
  }

  private static func say(_ text: JSONValue) {
    FileHandle.standardOutput.write(Data((text.compact + "\n").utf8))
  }
}
