import Authentication

/// A change of a project's password policy; nil leaves a part as it is.
struct PasswordPolicyChange: Codable, Sendable, Equatable {
  /// A kind of character that every password has to have.
  enum Kind: String, Codable, Sendable, CaseIterable {
    case lowercase, uppercase, digit, symbol

    var setting: WritableKeyPath<PasswordPolicy, Bool> {
      switch self {
      case .lowercase: \.requiresLowercase
      case .uppercase: \.requiresUppercase
      case .digit: \.requiresDigit
      case .symbol: \.requiresSymbol
      }
    }
  }

  var minimumLength: Int?
  var maximumLength: Int?
  /// The kinds that are asked for, and no others.
  var required: [Kind]?
  var refusesCommon: Bool?

  var isEmpty: Bool { self == PasswordPolicyChange() }

  func apply(to policy: inout PasswordPolicy) {
    policy.minimumLength = minimumLength ?? policy.minimumLength
    policy.maximumLength = maximumLength ?? policy.maximumLength
    policy.refusesCommon = refusesCommon ?? policy.refusesCommon
    if let required {
      for kind in Kind.allCases { policy[keyPath: kind.setting] = required.contains(kind) }
    }
  }
}

extension PasswordPolicy {
  /// The policy for people, a line for each part.
  var lines: [String] {
    let kinds = PasswordPolicyChange.Kind.allCases.filter { self[keyPath: $0.setting] }
    return [
      "minimum length  \(minimumLength)", "maximum length  \(maximumLength)",
      "required  \(kinds.isEmpty ? "nothing" : kinds.map(\.rawValue).joined(separator: ","))",
      "common passwords  \(refusesCommon ? "refused" : "allowed")",
    ]
  }
}
