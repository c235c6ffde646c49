import KeyValueStore

// A password's record, in the form of RecordWriter.swift. Tags:
//
//   1 kind: 1 own, 2 Firebase scrypt, 3 scrypt, 4 bcrypt, 5 PBKDF2, 6 HMAC, 7 digest
//   2 salt    3 hash
//   4 signer key or HMAC key    5 salt separator    6 rounds or cost    7 memory cost or block size
//   8 parallelization    9 length    10 digest    11 input order

extension PasswordHash {
  func encode(to writer: inout RecordWriter) {
    writer.put(2, bytes: salt)
    writer.put(3, bytes: hash)
    switch algorithm {
    case .own: writer.put(1, 1)
    case .firebaseScrypt(let parameters):
      writer.put(1, 2)
      writer.put(4, bytes: parameters.signerKey)
      writer.put(5, bytes: parameters.saltSeparator)
      writer.put(6, Int64(parameters.rounds))
      writer.put(7, Int64(parameters.memoryCost))
    case .scrypt(let cost, let blockSize, let parallelization, let length):
      writer.put(1, 3)
      writer.put(6, Int64(cost))
      writer.put(7, Int64(blockSize))
      writer.put(8, Int64(parallelization))
      writer.put(9, Int64(length))
    case .bcrypt: writer.put(1, 4)
    case .pbkdf2(let digest, let rounds):
      writer.put(1, 5)
      writer.put(6, Int64(rounds))
      writer.put(10, digest.rawValue)
    case .hmac(let digest, let key, let order):
      writer.put(1, 6)
      writer.put(4, bytes: key)
      writer.put(10, digest.rawValue)
      writer.put(11, order.rawValue)
    case .digest(let digest, let rounds, let order):
      writer.put(1, 7)
      writer.put(6, Int64(rounds))
      writer.put(10, digest.rawValue)
      writer.put(11, order.rawValue)
    }
  }

  init(_ record: RecordReader) throws {
    var reader = record
    var bytes: [UInt8: [UInt8]] = [:]
    var numbers: [UInt8: Int64] = [:]
    while let field = try reader.next() {
      if (2...5).contains(field.tag) {
        bytes[field.tag] = field.raw
      } else {
        numbers[field.tag] = try field.number()
      }
    }
    guard let algorithm = PasswordAlgorithm(bytes, numbers) else {
      throw RecordReader.corrupt("an unknown password algorithm")
    }
    self.init(algorithm: algorithm, salt: bytes[2] ?? [], hash: bytes[3] ?? [])
  }
}

extension PasswordAlgorithm {
  fileprivate init?(_ bytes: [UInt8: [UInt8]], _ numbers: [UInt8: Int64]) {
    func number(_ tag: UInt8) -> Int { Int(numbers[tag] ?? 0) }
    let digest = PasswordDigest(rawValue: numbers[10] ?? 0)
    let order = InputOrder(rawValue: numbers[11] ?? 0)
    switch (numbers[1], digest, order) {
    case (1, _, _): self = .own
    case (2, _, _):
      self = .firebaseScrypt(
        FirebaseScrypt(
          signerKey: bytes[4] ?? [],
          saltSeparator: bytes[5] ?? [],
          rounds: number(6),
          memoryCost: number(7)
        )
      )
    case (3, _, _):
      self = .scrypt(
        cost: number(6),
        blockSize: number(7),
        parallelization: number(8),
        length: number(9)
      )
    case (4, _, _): self = .bcrypt
    case (5, let digest?, _): self = .pbkdf2(digest, rounds: number(6))
    case (6, let digest?, let order?):
      self = .hmac(digest, key: bytes[4] ?? [], order: order)
    case (7, let digest?, let order?):
      self = .digest(digest, rounds: number(6), order: order)
    default: return nil
    }
  }
}
