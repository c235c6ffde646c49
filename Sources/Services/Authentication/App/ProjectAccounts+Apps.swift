import BaseText
import Foundation
import KeyValueStore

// The apps that a project is registered with.

extension ProjectAccounts {
  /// The apps that one project keeps at most.
  package static let maximumApps = 1_000

  /// All apps, the oldest first.
  package func apps() throws -> [RegisteredApp] {
    try accounts.engine.read { try apps($0) }
      .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
  }

  /// The app with that id or that bundle id; nil where there is none.
  package func app(_ which: String) throws -> RegisteredApp? {
    try apps().first { $0.id == which } ?? apps().first { $0.bundleID == which }
  }

  /// Returns true if the project has registered an app of that id, and nil if it has registered no app at all.
  package func knows(app id: String) throws -> Bool? {
    try accounts.engine.read { reader in
      if try reader.get(key(ofApp: id)) != nil { return true }
      let range = KeyRange(prefix: AccountKey.prefix(.app, scope))
      return try reader.cursor(over: range, reversed: false).next() ? false : nil
    }
  }

  /// Registers an app; DUPLICATE_CONFIG_ID where the platform has one with that bundle id.
  ///
  /// A project that has an app is known to clients by its API key.
  package func registerApp(
    _ platform: RegisteredApp.Platform,
    bundleID: String?,
    displayName: String?,
    teamID: String? = nil,
    fingerprints: [String]? = nil,
    googleClientID: String? = nil,
    projectNumber: UInt32
  ) throws -> RegisteredApp {
    let digits = Hexadecimal.text(accounts.configuration.random.bytes(11))
    let app = RegisteredApp(
      id: "1:\(projectNumber):\(platform.rawValue):\(digits)",
      platform: platform,
      bundleID: bundleID,
      displayName: displayName,
      createdAt: accounts.now,
      teamID: teamID,
      fingerprints: fingerprints?.map { $0.uppercased() },
      googleClientID: googleClientID
    )
    try app.check()
    let bytes = Array(try JSONEncoder().encode(app))
    try accounts.engine.write { group in
      let known = try apps(group)
      guard known.count < Self.maximumApps else {
        throw AccountError(
          .invalidConfiguration,
          "The project already has \(Self.maximumApps) apps."
        )
      }
      let isTaken = known.contains {
        $0.platform == platform && $0.bundleID == bundleID && bundleID != nil
      }
      guard !isTaken else {
        throw AccountError(.configurationExists, "An app with that bundle ID already exists.")
      }
      try group.put(key(ofApp: app.id), bytes)
    }
    return app
  }

  /// Sets an iOS app's own client at Google; nil takes it away.
  ///
  /// False where there is no app with that id. Tokens for the client sign in to the project: only its owners may set it.
  package func setGoogleClient(ofApp id: String, to clientID: String?) throws -> Bool {
    try accounts.engine.write { group in
      guard let stored = try group.get(key(ofApp: id)) else { return false }
      var app = try JSONDecoder().decode(RegisteredApp.self, from: Data(stored))
      app.googleClientID = clientID
      try app.check()
      try group.put(key(ofApp: id), Array(try JSONEncoder().encode(app)))
      return true
    }
  }

  /// Forgets an app; false where there is none with that id.
  package func removeApp(_ id: String) throws -> Bool {
    try accounts.engine.write { group in
      guard try group.get(key(ofApp: id)) != nil else { return false }
      try group.delete(key(ofApp: id))
      return true
    }
  }

  private func apps(_ reader: any KeyValueReader) throws -> [RegisteredApp] {
    let range = KeyRange(prefix: AccountKey.prefix(.app, scope))
    let cursor = try reader.cursor(over: range, reversed: false)
    var found: [RegisteredApp] = []
    while try cursor.next() {
      found.append(try JSONDecoder().decode(RegisteredApp.self, from: Data(cursor.value)))
    }
    return found
  }

  private func key(ofApp id: String) -> [UInt8] { AccountKey.prefix(.app, scope, Text(id)) }
}

extension Accounts {
  /// The most apps that the documents of associated domains name.
  package static let maximumAssociatedApps = 1_000

  /// The apps of all projects that links of this server may open: those with a team id or fingerprints.
  package func associatedApps() throws -> [RegisteredApp] {
    try engine.read { snapshot in
      let range = KeyRange(prefix: AccountKey.prefix(.app))
      let cursor = try snapshot.cursor(over: range, reversed: false)
      var found: [RegisteredApp] = []
      while found.count < Self.maximumAssociatedApps, try cursor.next() {
        let app = try JSONDecoder().decode(RegisteredApp.self, from: Data(cursor.value))
        if app.teamID != nil || app.fingerprints != nil { found.append(app) }
      }
      return found
    }
  }
}
