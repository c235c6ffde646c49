/// The reason for dropping an event, a parameter or a user property: the codes of the Measurement
/// Protocol.
package enum DropCode: UInt8, Sendable, CaseIterable {
  case valueInvalid = 1
  case valueRequired = 2
  case nameInvalid = 3
  case nameReserved = 4
  case valueOutOfBounds = 5
  case exceededMaxEntities = 6
  case nameDuplicated = 7
  case internalError = 8

  /// As it is reported.
  package var name: String {
    switch self {
    case .valueInvalid: "VALUE_INVALID"
    case .valueRequired: "VALUE_REQUIRED"
    case .nameInvalid: "NAME_INVALID"
    case .nameReserved: "NAME_RESERVED"
    case .valueOutOfBounds: "VALUE_OUT_OF_BOUNDS"
    case .exceededMaxEntities: "EXCEEDED_MAX_ENTITIES"
    case .nameDuplicated: "NAME_DUPLICATED"
    case .internalError: "INTERNAL_ERROR"
    }
  }
}

/// Something of a batch that is not kept.
package struct EventDrop: Sendable, Equatable {
  /// The event's index in the batch; nil for what belongs to all of it.
  package let index: Int?
  /// The part that is dropped, such as `params.x`; nil is the whole event.
  package let field: String?
  /// The reason, as reports count it.
  package let code: DropCode
  /// A sentence for the app's developer, which names the part.
  package let description: String

  /// A part that is dropped, and why.
  package init(index: Int?, field: String?, _ code: DropCode, _ description: String) {
    self.index = index
    self.field = field
    self.code = code
    self.description = description
  }
}
