/// The bounds of templates, which are the API's.
package enum TemplateLimits {
  /// The most parameters of a template, in all groups together.
  package static let parameters = 3_000
  /// The most conditions of a template.
  package static let conditions = 2_000
  /// The most parameter groups of a template.
  package static let groups = 1_000
  /// Characters of a parameter's or group's name.
  static let name = 256
  /// Characters of all values together.
  package static let valueCharacters = 1_000_000
  static let versionDescription = 1_024
  static let description = 1_024
  static let expression = 20_000
  /// Versions that are kept of a template.
  package static let versions = 300

  static let colors: Set<String> = [
    "BLUE", "BROWN", "CYAN", "DEEP_ORANGE", "GREEN", "INDIGO", "LIME", "ORANGE", "PINK", "PURPLE",
    "TEAL",
  ]
  /// Installations of which a template keeps what was decided, for sticky conditions and experiments.
  package static let assignments: Int64 = 1_000_000
}
