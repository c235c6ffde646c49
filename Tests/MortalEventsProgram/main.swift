import FirebaseAnalytics
import FirebaseInstallations
import Foundation

// An app that logs the event `tick` again and again until it is killed, without a network: a dot on its output for each
// one, when the call has returned. As the run `crash` it fails instead.

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: mortal-events LOG RUN\n".utf8))
  exit(64)
}

@Sendable
func wait(_ seconds: TimeInterval) async throws { try await Task.sleep(for: .seconds(seconds)) }

do {
  let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
  (options.projectID, options.apiKey) = ("mortal", "mortal")
  options.brasaHost = "http://127.0.0.1:1"
  let log = URL(fileURLWithPath: arguments[1])
  options.stateDirectory = log.deletingLastPathComponent()
  let app = try FirebaseApp.configured(name: "mortal", options: options)
  let collector = EventCollector(
    app: app,
    installations: .installations(app: app),
    log: log,
    surroundings: .init(tellsLifecycle: false, now: { Date() }, sleep: wait)
  )
  collector.start()
  if arguments[2] == "crash" {
    _ = CrashMarker.shared.arm(log)
    fatalError("as told")
  }
  for number in 0... {
    collector.logEvent("tick", ["run": arguments[2], "number": number])
    try FileHandle.standardOutput.write(contentsOf: Data(".".utf8))
  }
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
