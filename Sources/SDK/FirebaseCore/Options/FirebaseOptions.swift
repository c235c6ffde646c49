import Foundation
import Locking

/// The project that an app belongs to, and the addresses of its services.
///
/// Options are free to edit until an app was configured with them: the app keeps a copy that traps on
/// edits.
public final class FirebaseOptions: NSObject, NSCopying, Sendable {
  /// All members; hosts are Brasa's own.
  struct Members: Sendable, Hashable {
    var apiKey: String?
    var bundleID: String
    var clientID: String?
    var gcmSenderID: String
    var projectID: String?
    var googleAppID: String
    var databaseURL: String?
    var storageBucket: String?
    var appGroupID: String?
    var host: ServiceAddress?
    var serviceHosts: [FirebaseService: ServiceAddress] = [:]
    var stateDirectory: URL?
  }

  private let members: Lock<Members>
  private let isLocked: Bool

  init(_ members: Members, isLocked: Bool = false) {
    self.members = Lock(members)
    self.isLocked = isLocked
  }

  /// Options with the members of every app.
  public convenience init(googleAppID: String, gcmSenderID: String) {
    self.init(
      Members(
        bundleID: Bundle.main.bundleIdentifier ?? "",
        gcmSenderID: gcmSenderID,
        googleAppID: googleAppID
      )
    )
  }

  /// The options of the file beside the program; nil where there is none that can be read.
  public static func defaultOptions() -> FirebaseOptions? {
    OptionsFile.bundled().flatMap { FirebaseOptions(contentsOfFile: $0) }
  }

  /// The key that requests name the project with; Brasa's is the project's id.
  public var apiKey: String? {
    get { snapshot.apiKey }
    set { edit { $0.apiKey = newValue } }
  }

  /// The app's bundle id.
  public var bundleID: String {
    get { snapshot.bundleID }
    set { edit { $0.bundleID = newValue } }
  }

  /// The app's OAuth client.
  public var clientID: String? {
    get { snapshot.clientID }
    set { edit { $0.clientID = newValue } }
  }

  /// The project's number, whose messages the app takes.
  public var gcmSenderID: String {
    get { snapshot.gcmSenderID }
    set { edit { $0.gcmSenderID = newValue } }
  }

  /// The project's id.
  public var projectID: String? {
    get { snapshot.projectID }
    set { edit { $0.projectID = newValue } }
  }

  /// The app's id: `1:<project number>:<platform>:<hexadecimal digits>`.
  public var googleAppID: String {
    get { snapshot.googleAppID }
    set { edit { $0.googleAppID = newValue } }
  }

  /// The address of the project's Realtime Database.
  public var databaseURL: String? {
    get { snapshot.databaseURL }
    set { edit { $0.databaseURL = newValue } }
  }

  /// The bucket of the project's files.
  public var storageBucket: String? {
    get { snapshot.storageBucket }
    set { edit { $0.storageBucket = newValue } }
  }

  /// The app group that shares data with extensions.
  public var appGroupID: String? {
    get { snapshot.appGroupID }
    set { edit { $0.appGroupID = newValue } }
  }

  /// A copy that may be edited.
  public func copy(with zone: NSZone? = nil) -> Any { FirebaseOptions(snapshot) }

  /// A copy that traps on edits.
  func locked() -> FirebaseOptions { FirebaseOptions(snapshot, isLocked: true) }

  var snapshot: Members { members.withLock { $0 } }

  func edit(_ change: (inout sending Members) -> Void) {
    precondition(!isLocked, "Editing options after the app was configured is not allowed.")
    members.withLock { change(&$0) }
  }

  /// True for options of the same values, whether or not they can be edited.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? FirebaseOptions)?.snapshot == snapshot
  }

  /// A hash of all values, which changes when options are edited.
  public override var hash: Int { snapshot.hashValue }
}
