import Foundation

/// The language and the country that a person has set.
package struct DeviceLocale: Sendable, Hashable {
  /// Such as `pt-BR`; nil where nothing says.
  package let language: String?
  /// Two capital letters, such as `BR`; nil where nothing says.
  package let country: String?

  /// Those of the system that the program runs on.
  ///
  /// Outside Apple's systems, Foundation has one locale for all environments: the variables of
  /// POSIX count there.
  package static var current: DeviceLocale {
    #if canImport(Darwin)
    DeviceLocale(
      language: Locale.preferredLanguages.first,
      country: Locale.current.region?.identifier
    )
    #else
    DeviceLocale(environment: ProcessInfo.processInfo.environment)
    #endif
  }

  private init(language: String?, country: String?) {
    (self.language, self.country) = (language, country)
  }

  /// Those of the first variable that is set of `LC_ALL`, `LC_MESSAGES` and `LANG`, as `pt_BR.UTF-8`.
  package init(environment: [String: String]) {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
    let name = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    // Behind the language and the country there may be an encoding and a variant.
    let parts = name.prefix { $0 != "." && $0 != "@" }.split(separator: "_")
    guard let language = parts.first, (2...3).contains(language.count) else {
      self.init(language: nil, country: nil)
      return
    }
    let country = parts.dropFirst().first { $0.count == 2 }.map { $0.uppercased() }
    self.init(
      language: ([language.lowercased()] + [country].compactMap(\.self)).joined(separator: "-"),
      country: country
    )
  }
}
