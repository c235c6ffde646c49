import FirebaseAuth
import FirebaseCore
import FirebaseFirestore
import Foundation

// An app for tests in other languages: it signs in where the environment says, tells of its user's products whenever they
// change, and does what its input says.
//
//     sdk-app EMAIL PASSWORD
//
//     set ID NAME         input: writes a product of the user's
//     give ID NAME        writes one of somebody else's
//     delete ID
//
//     {"products": {"ID": "NAME"}, "isFromCache": false, "hasPendingWrites": false}     output, a line each
//     {"written": "ID"}
//     {"failed": "ID" or "listen", "code": 7}

/// Writes a line of JSON.
func tell(_ line: [String: Any]) {
  do {
    let json = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys])
    try FileHandle.standardOutput.write(contentsOf: json + Data("\n".utf8))
  } catch {
    exit(1)
  }
}

func tell(_ error: any Error, of what: String) {
  tell(["failed": what, "code": (error as NSError).code])
}

func listen(to products: Query) -> any ListenerRegistration {
  products.addSnapshotListener(includeMetadataChanges: true) { snapshot, error in
    if let error { return tell(error, of: "listen") }
    guard let snapshot else { return }
    let names = snapshot.documents.map { ($0.documentID, $0.get("name") as? String ?? "") }
    tell([
      "products": Dictionary(uniqueKeysWithValues: names),
      "isFromCache": snapshot.metadata.isFromCache,
      "hasPendingWrites": snapshot.metadata.hasPendingWrites,
    ])
  }
}

func perform(_ words: [String], in products: CollectionReference, of user: String) {
  guard words.count >= 2 else { return }
  let document = products.document(words[1])
  let done: (Error?) -> Void = { error in
    if let error { tell(error, of: words[1]) } else { tell(["written": words[1]]) }
  }
  let owner = words[0] == "give" ? "somebody" : user
  switch words[0] {
  case "set", "give":
    document.setData(["userId": owner, "name": words.last ?? ""], completion: done)
  case "delete": document.delete(completion: done)
  default: exit(64)
  }
}

func run(_ arguments: [String]) async throws {
  let app = try FirebaseApp.configured()
  let auth = Auth.auth(app: app)
  let callbacks = DispatchQueue(label: "callbacks")
  auth.callbackQueue = callbacks
  let firestore = Firestore.firestore(app: app)
  let settings = firestore.settings
  settings.dispatchQueue = callbacks
  firestore.settings = settings
  // A session that was kept is used again, without a network too.
  let user: String
  if let kept = auth.currentUser {
    user = kept.uid
  } else {
    user = try await auth.signIn(withEmail: arguments[1], password: arguments[2]).user.uid
  }
  let products = firestore.collection("products")
  let listener = listen(to: products.whereField("userId", isEqualTo: user))
  while let line = readLine() {
    perform(line.split(separator: " ").map(String.init), in: products, of: user)
  }
  listener.remove()
}

guard CommandLine.arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: sdk-app EMAIL PASSWORD\n".utf8))
  exit(64)
}
do {
  try await run(CommandLine.arguments)
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
