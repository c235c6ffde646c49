/// The menu: ten entries in three groups.
package enum Menu {
  package struct Group: Sendable {
    package let title: String
    package let entries: [GuideViewModel.Entry]
  }

  package static let groups = [
    Group(title: "By hand", entries: [.manual]),
    Group(title: "Simple", entries: [.simple]),
    Group(
      title: "More than simple",
      entries: [.custom, .arrays, .nested, .dates, .locations, .colors, .enums, .mapping]
    ),
  ]
}

extension GuideViewModel.Entry {
  package var title: String {
    switch self {
    case .manual: "Manual mapping"
    case .simple: "Simple types"
    case .custom: "Custom types"
    case .arrays: "Arrays"
    case .nested: "Arrays of custom types"
    case .dates: "Dates and times"
    case .locations: "GeoPoints"
    case .colors: "Colours"
    case .enums: "Enums"
    case .mapping: "Custom mapping"
    }
  }
}
