/// Returns true if the bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing above
/// U+10FFFF.
@inlinable
@inline(__always)
package func isValidUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  guard let base = bytes.baseAddress else { return true }
  let count = bytes.count
  // Eight bytes at a time, the last eight overlapping those before.
  let high: UInt64 = 0x8080_8080_8080_8080
  var seen: UInt64 = 0
  if count >= 8 {
    var index = 0
    while index <= count - 8 {
      seen |= base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index += 8
    }
    seen |= base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
  } else {
    for index in 0..<count { seen |= UInt64(bytes[index]) }
  }
  return seen & high == 0 || isValidMultibyteUTF8(bytes)
}

@usableFromInline
func isValidMultibyteUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  var index = 0
  while index < bytes.count {
    let lead = bytes[index]
    if lead < 0x80 {
      index += 1
      continue
    }
    // How many bytes follow, and what the first of them must be within.
    let form: (following: Int, second: ClosedRange<UInt8>)
    switch lead {
    case 0xC2...0xDF: form = (1, 0x80...0xBF)
    case 0xE0: form = (2, 0xA0...0xBF)
    case 0xED: form = (2, 0x80...0x9F)
    case 0xE1...0xEF: form = (2, 0x80...0xBF)
    case 0xF0: form = (3, 0x90...0xBF)
    case 0xF1...0xF3: form = (3, 0x80...0xBF)
    case 0xF4: form = (3, 0x80...0x8F)
    default: return false
    }
    guard index + form.following < bytes.count, form.second.contains(bytes[index + 1])
    else { return false }
    if form.following > 1 && bytes[index + 2] & 0xC0 != 0x80 { return false }
    if form.following > 2 && bytes[index + 3] & 0xC0 != 0x80 { return false }
    index += form.following + 1
  }
  return true
}
