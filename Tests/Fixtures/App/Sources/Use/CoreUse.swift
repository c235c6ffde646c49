import FirebaseCore
import Foundation

/// Apps, options, log levels and timestamps in the ways of apps.
public enum CoreUse {
  /// Every way to configure an app.
  public static func configure(from file: String) -> FirebaseApp? {
    if let options = FirebaseOptions(contentsOfFile: file) {
      FirebaseApp.configure(options: options)
    } else if let options = FirebaseOptions.defaultOptions() {
      FirebaseApp.configure(name: "second", options: options)
    } else {
      FirebaseApp.configure(options: options())
    }
    for (name, app) in FirebaseApp.allApps ?? [:] { print(name, app.name, app.options) }
    return FirebaseApp.app(name: "second") ?? FirebaseApp.app()
  }

  private static func options() -> FirebaseOptions {
    let options = FirebaseOptions(googleAppID: "1:42:ios:0a", gcmSenderID: "42")
    options.apiKey = "key"
    options.projectID = "shop"
    options.bundleID = "com.example.shop"
    options.clientID = "client"
    options.databaseURL = "https://shop.example.com"
    options.storageBucket = "shop.appspot.com"
    options.appGroupID = "group.com.example"
    if let copy = options.copy() as? FirebaseOptions, copy == options { return copy }
    print(options.googleAppID, options.gcmSenderID)
    return options
  }

  /// Ends an app.
  public static func end(_ app: FirebaseApp) async {
    app.isDataCollectionDefaultEnabled = !app.isDataCollectionDefaultEnabled
    app.delete { isDeleted in print(isDeleted) }
    print(await app.delete())
  }

  /// Every level of the log.
  public static func log() {
    let levels: [FirebaseLoggerLevel] = [.error, .warning, .notice, .info, .debug, .min, .max]
    for level in levels { FirebaseConfiguration.shared.setLoggerLevel(level) }
    print(FirebaseConfiguration.shared.loggerLevel().rawValue, FirebaseVersion())
  }

  /// Instants and their parts.
  public static func age(of timestamp: Timestamp) -> TimeInterval {
    let now = Timestamp()
    let same = Timestamp(seconds: timestamp.seconds, nanoseconds: timestamp.nanoseconds)
    guard timestamp.compare(now) == .orderedAscending, same == timestamp else { return 0 }
    return Date().timeIntervalSince(timestamp.dateValue())
      + Timestamp(date: Date()).dateValue().timeIntervalSinceNow
  }
}
