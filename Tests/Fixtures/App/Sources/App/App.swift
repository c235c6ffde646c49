import Firebase
import Use
import Use5

/// Configures itself from the environment and says what it found.
@main
enum App {
  static func main() throws {
    FirebaseApp.configure()
    let person = try Firestore.Encoder().encode(Use.Person(name: "Ana"))
    let other = try Firestore.Encoder().encode(Use5.Person(name: "Ana"))
    print(
      "project=\(FirebaseApp.app()?.options.projectID ?? "")",
      "signedIn=\(Auth.auth().currentUser != nil)",
      "path=\(Firestore.firestore().collection("people").document("ana").path)",
      "fields=\(person.keys.sorted()) \(other.keys.sorted())"
    )
  }
}
