import Foundation

// Reading values, and the app's own defaults.

extension RemoteConfig {
  /// The value that the app sees for a key: the server's, else its default, else an empty one.
  public func configValue(forKey key: String?) -> RemoteConfigValue {
    key.map { kept.value($0) } ?? RemoteConfigValue(Data(), .static)
  }

  /// The value of a key from one source; an empty one where that has none.
  public func configValue(forKey key: String?, source: RemoteConfigSource) -> RemoteConfigValue {
    guard let key else { return RemoteConfigValue(Data(), .static) }
    let kept = kept
    let data: Data? =
      switch source {
      case .remote: kept.active.entries[key].map { Data($0.utf8) }
      case .default: kept.defaults[key]
      case .static: nil
      }
    return data.map { RemoteConfigValue($0, source) } ?? RemoteConfigValue(Data(), .static)
  }

  /// The value that the app sees for a key.
  public subscript(key: String) -> RemoteConfigValue { configValue(forKey: key) }

  /// The keys that a source has values for.
  public func allKeys(from source: RemoteConfigSource) -> [String] {
    switch source {
    case .remote: kept.active.entries.keys.sorted()
    case .default: kept.defaults.keys.sorted()
    case .static: []
    }
  }

  /// The keys with that beginning; without one all.
  public func keys(withPrefix prefix: String?) -> Set<String> {
    let kept = kept
    let all = Set(kept.active.entries.keys).union(kept.defaults.keys)
    guard let prefix, !prefix.isEmpty else { return all }
    return all.filter { $0.hasPrefix(prefix) }
  }

  /// Sets the app's defaults: texts, numbers, data, dates, and lists and dictionaries of them.
  public func setDefaults(_ defaults: [String: NSObject]?) {
    var values: [String: Data] = [:]
    for (key, value) in defaults ?? [:] {
      if let data = DefaultValue.data(of: value) {
        values[key] = data
      } else {
        log("The default of \(key) has an unsupported type.")
      }
    }
    change { [values] kept in kept.defaults = values }
  }

  /// Sets the app's defaults from a property list beside the program.
  public func setDefaults(fromPlist fileName: String?) {
    guard let fileName else { return setDefaults(nil) }
    let name = (fileName as NSString).deletingPathExtension
    guard let url = Bundle.main.url(forResource: name, withExtension: "plist"),
      let data = FileManager.default.contents(atPath: url.path),
      let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
      let values = list as? [String: Any]
    else { return log("There is no property list \(fileName) with defaults.") }
    setDefaults(values.compactMapValues(DefaultValue.object))
  }

  /// The app's default of a key; nil where it has none.
  public func defaultValue(forKey key: String?) -> RemoteConfigValue? {
    key.flatMap { kept.defaults[$0] }.map { RemoteConfigValue($0, .default) }
  }
}

/// The bytes of the values that apps give as defaults.
enum DefaultValue {
  /// The bytes of a value; nil for one that is none.
  static func data(of value: Any) -> Data? {
    switch value {
    case let data as Data: data
    case let data as NSData: Data(referencing: data)
    case let text as String: Data(text.utf8)
    case let text as NSString: Data("\(text)".utf8)
    case let number as NSNumber: Data(number.stringValue.utf8)
    case let date as Date: Data(text(of: date).utf8)
    case let date as NSDate: Data(text(of: date as Date).utf8)
    default: json(of: value)
    }
  }

  /// A value as an object.
  static func object(_ value: Any) -> NSObject? {
    switch value {
    case let object as NSObject: object
    case let text as String: NSString(string: text)
    case let flag as Bool: NSNumber(value: flag)
    case let number as Int: NSNumber(value: number)
    case let number as Double: NSNumber(value: number)
    case let data as Data: NSData(data: data)
    case let list as [Any]: NSArray(array: list)
    case let members as [String: Any]: NSDictionary(dictionary: members)
    default: nil
    }
  }

  private static func text(of date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
    return formatter.string(from: date)
  }

  private static func json(of value: Any) -> Data? {
    guard JSONSerialization.isValidJSONObject(value) else { return nil }
    return try? JSONSerialization.data(withJSONObject: value)
  }
}
