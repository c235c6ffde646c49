import BaseJSON
import BaseText

extension JSONValue {
  /// The document as a value: whole numbers are integers, others doubles.
  package var value: Value {
    switch self {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .number(let digits): Int64(digits).map(Value.integer) ?? .double(Double(digits) ?? .nan)
    case .string(let text): .string(Text(text))
    case .array(let elements): .array(elements.map(\.value))
    case .object(let members):
      .map(MapValue(members.map { MapValue.Entry(key: Text($0.key), value: $0.value.value) }))
    }
  }
}
