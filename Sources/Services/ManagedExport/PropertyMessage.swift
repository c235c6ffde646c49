import BaseStatus
import BaseText

/// A property of an entity, whose bytes are lent.
struct PropertyMessage {
  let name: UnsafeRawBufferPointer
  let value: UnsafeRawBufferPointer?
  let meaning: UInt64
  /// True if it is one of several of its name.
  let isElement: Bool

  init(_ bytes: UnsafeRawBufferPointer) throws(ServiceError) {
    var (name, value) = (UnsafeRawBufferPointer?.none, UnsafeRawBufferPointer?.none)
    var (meaning, isElement) = (UInt64(0), false)
    var reader = MessageReader(bytes)
    while let field = try reader.next() {
      switch (field.number, field.value) {
      case (1, .number(let number)): meaning = number
      case (3, .bytes(let bytes)): name = bytes
      case (4, .number(let flag)): isElement = flag == 1
      case (5, .bytes(let bytes)): value = bytes
      default: continue
      }
    }
    guard let name, isValidUTF8(name) else {
      throw .invalidArgument("A property's name is not a string.")
    }
    (self.name, self.value, self.meaning, self.isElement) = (name, value, meaning, isElement)
  }
}
