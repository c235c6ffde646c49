import BaseText
import KeyValueStore

// A user's record, in the form of RecordWriter.swift. Tags:
//
//   1 e-mail (canonical)     9 provider: 1 id, 2 raw id, 3 e-mail, 4 name, 5 photo, 6 screen name
//   2 e-mail is verified    10 password: PasswordHash+Record.swift
//   3 display name          11 password updated at (ms)
//   4 photo                 12 second factor: 1 id, 2 name, 3 enrolled at (ms), 4 TOTP secret,
//                               5 phone, 6 last TOTP step
//   5 phone                 13 has e-mail link      17 last sign-in (ms)   20 session (us)
//   6 disabled              14 is custom            18 last refresh (ms)
//   7 custom claims (JSON)  15 initial e-mail       19 valid since (s)
//                           16 created at (ms)
//
//  21 recovery code's digest
//  22 passkey: 1 id, 2 host, 3 public key, 4 name, 5 created at (ms), 6 sign count, 7 last used (ms)

extension User {
  /// The record of the user.
  func encoded() -> [UInt8] {
    var writer = RecordWriter()
    writer.put(1, email?.text)
    writer.put(2, isEmailVerified)
    writer.put(3, displayName)
    writer.put(4, photoURL)
    writer.put(5, phoneNumber?.text)
    writer.put(6, isDisabled)
    writer.put(7, customClaims)
    for provider in providers { writer.put(9) { provider.encode(to: &$0) } }
    if let password { writer.put(10) { password.encode(to: &$0) } }
    writer.put(11, passwordUpdatedAt)
    for factor in secondFactors { writer.put(12) { factor.encode(to: &$0) } }
    writer.put(13, hasEmailLink)
    writer.put(14, isCustom)
    writer.put(15, initialEmail?.text)
    writer.put(16, createdAt)
    writer.put(17, lastSignInAt)
    writer.put(18, lastRefreshAt)
    writer.put(19, validSince)
    writer.put(20, session)
    for code in recoveryCodes { writer.put(21, bytes: code) }
    for passkey in passkeys { writer.put(22) { passkey.encode(to: &$0) } }
    return writer.bytes
  }

  /// The user of a record.
  init(uid: Text, record: [UInt8]) throws {
    self.init(uid: uid, at: 0)
    var reader = try RecordReader(record)
    while let field = try reader.next() { try read(field) }
  }

  private mutating func read(_ field: RecordReader.Field) throws {
    switch field.tag {
    case 1: email = EmailAddress(canonical: try field.text())
    case 2: isEmailVerified = field.flag
    case 3: displayName = try field.string()
    case 4: photoURL = try field.string()
    case 5: phoneNumber = PhoneNumber(canonical: try field.text())
    case 6: isDisabled = field.flag
    case 7: customClaims = try field.string()
    case 9: providers.append(try LinkedProvider(field.record()))
    case 10: password = try PasswordHash(field.record())
    case 11: passwordUpdatedAt = try field.number()
    case 12: secondFactors.append(try SecondFactor(field.record()))
    default: try readRest(field)
    }
  }

  private mutating func readRest(_ field: RecordReader.Field) throws {
    switch field.tag {
    case 13: hasEmailLink = field.flag
    case 14: isCustom = field.flag
    case 15: initialEmail = EmailAddress(canonical: try field.text())
    case 16: createdAt = try field.number()
    case 17: lastSignInAt = try field.number()
    case 18: lastRefreshAt = try field.number()
    case 19: validSince = try field.number()
    case 20: session = try field.number()
    case 21: recoveryCodes.append(field.raw)
    case 22: passkeys.append(try Passkey(field.record()))
    default: break
    }
  }
}

extension LinkedProvider {
  func encode(to writer: inout RecordWriter) {
    writer.put(1, providerID)
    writer.put(2, rawID)
    writer.put(3, email)
    writer.put(4, displayName)
    writer.put(5, photoURL)
    writer.put(6, screenName)
  }

  init(_ record: RecordReader) throws {
    var reader = record
    var texts: [UInt8: String] = [:]
    while let field = try reader.next() { texts[field.tag] = try field.string() }
    self.init(
      providerID: Text(texts[1] ?? ""),
      rawID: Text(texts[2] ?? ""),
      email: texts[3],
      displayName: texts[4],
      photoURL: texts[5],
      screenName: texts[6]
    )
  }
}

extension SecondFactor {
  func encode(to writer: inout RecordWriter) {
    writer.put(1, id)
    writer.put(2, displayName)
    writer.put(3, enrolledAt)
    switch proof {
    case .totp(let secret, let lastStep):
      writer.put(4, bytes: secret)
      writer.put(6, lastStep)
    case .phone(let number): writer.put(5, number.text)
    }
  }

  init(_ record: RecordReader) throws {
    var reader = record
    var id: Text = ""
    var displayName: String?
    var enrolledAt: Int64 = 0
    var proof: Proof?
    var lastStep: Int64 = 0
    while let field = try reader.next() {
      switch field.tag {
      case 1: id = try field.text()
      case 2: displayName = try field.string()
      case 3: enrolledAt = try field.number()
      case 4: proof = .totp(secret: field.raw, lastStep: 0)
      case 5: proof = .phone(PhoneNumber(canonical: try field.text()))
      case 6: lastStep = try field.number()
      default: break
      }
    }
    if case .totp(let secret, _) = proof { proof = .totp(secret: secret, lastStep: lastStep) }
    guard let proof else { throw RecordReader.corrupt("a second factor without proof") }
    self.init(id: id, displayName: displayName, enrolledAt: enrolledAt, proof: proof)
  }
}

extension Passkey {
  func encode(to writer: inout RecordWriter) {
    writer.put(1, bytes: id)
    writer.put(2, host)
    writer.put(3, bytes: publicKey)
    writer.put(4, name)
    writer.put(5, createdAt)
    writer.put(6, signCount)
    writer.put(7, lastUsedAt)
  }

  init(_ record: RecordReader) throws {
    var reader = record
    var bytes: [UInt8: [UInt8]] = [:]
    var texts: [UInt8: String] = [:]
    var numbers: [UInt8: Int64] = [:]
    while let field = try reader.next() {
      switch field.tag {
      case 1, 3: bytes[field.tag] = field.raw
      case 2, 4: texts[field.tag] = try field.string()
      default: numbers[field.tag] = try field.number()
      }
    }
    self.init(
      id: bytes[1] ?? [],
      host: texts[2] ?? "",
      publicKey: bytes[3] ?? [],
      name: texts[4] ?? "",
      createdAt: numbers[5] ?? 0,
      signCount: numbers[6] ?? 0
    )
    lastUsedAt = numbers[7]
  }
}
