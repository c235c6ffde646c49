import FirebaseCore
import FirebaseFirestore
import Foundation

// An app, named as its project, that counts in the document `counters/RUN` until it is killed: a dot on its output for
// every write that its cache has accepted. Behind the last one it waits.

let arguments = CommandLine.arguments
guard arguments.count == 7, let greatest = Int(arguments[6]) else {
  FileHandle.standardError.write(
    Data("usage: mortal-app STATE URL PROJECT RUN online|offline COUNT\n".utf8)
  )
  exit(64)
}

func firestore() throws -> Firestore {
  let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
  options.projectID = arguments[3]
  options.apiKey = arguments[3]
  options.bundleID = "mortal-app"
  options.brasaHost = arguments[2]
  options.stateDirectory = URL(fileURLWithPath: arguments[1])
  let app = try FirebaseApp.configured(name: arguments[3], options: options)
  let firestore = Firestore.firestore(app: app)
  let settings = firestore.settings
  settings.dispatchQueue = DispatchQueue(label: "callbacks")
  firestore.settings = settings
  return firestore
}

func count(to count: Int) async throws {
  let firestore = try firestore()
  if arguments[5] == "offline" { try await firestore.disableNetwork() }
  let counter = firestore.document("counters/\(arguments[4])")
  for number in 0..<count {
    let fields: [String: Any] = [
      "n": FieldValue.increment(Int64(1)), "order": FieldValue.arrayUnion([number]),
    ]
    counter.setData(fields, merge: true, completion: nil)
    // Answered behind the write, from the cache that has it.
    _ = try await counter.getDocument(source: .cache)
    try FileHandle.standardOutput.write(contentsOf: Data(".".utf8))
  }
  _ = FileHandle.standardInput.availableData
}

do {
  try await count(to: greatest)
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
