import FirebaseCore
import Foundation

#if canImport(SwiftUI)
import SwiftUI
#endif

/// A property that has the value of a key of the default app's parameters.
///
/// It is read whenever it is asked for; where there is no such value, or none of the type, it is `fallback`.
@propertyWrapper
public struct RemoteConfigProperty<Value: Decodable> {
  /// The key.
  public let key: String
  private let fallback: Value

  /// A property of a key.
  public init(key: String, fallback: Value) {
    self.key = key
    self.fallback = fallback
  }

  /// The value that the app sees.
  public var wrappedValue: Value { value(in: RemoteConfig.remoteConfig()) }

  /// The value that one app's parameters have.
  package func value(in config: RemoteConfig) -> Value {
    let value = config.configValue(forKey: key)
    guard value.source != .static else { return fallback }
    do { return try value.decoded(asType: Value.self) } catch { return fallback }
  }
}

#if canImport(SwiftUI)
extension RemoteConfigProperty: DynamicProperty {}
#endif
