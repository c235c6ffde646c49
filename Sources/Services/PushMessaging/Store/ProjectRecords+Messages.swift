import KeyValueStore

extension ProjectRecords {
  /// A project's registrations and topics, its messages with their deliveries, and its credentials for push services.
  package static let messages = ProjectRecords(of: .messages) { project, reader, take in
    var registrations: Int64 = 0
    for kind in MessagingKey.Kind.namingProject {
      try reader.take(
        MessagingKey(kind).range,
        where: { key, _ in try MessagingKey.project(of: key).0.string == project }
      ) { key, value in
        if kind == .registration { registrations += 1 }
        try take(key, value)
      }
    }
    for kind in [MessagingKey.Kind.token, .lane, .fanOut, .schedule, .deadline, .held] {
      try reader.take(
        MessagingKey(kind).range,
        where: { _, value in
          try ProjectValue(decoding: Array(value)).project.string == project
        },
        take
      )
    }
    try reader.take(
      MessagingKey(.resource).range,
      where: { _, value in try PushResource(decoding: value).project.string == project },
      take
    )
    try reader.take(
      MessagingKey(.serverKey).range,
      where: { _, value in try ServerKey(decoding: value).project.string == project },
      take
    )
    if registrations > 0 {
      try take(MessagingKey(.total).bytes, NumberValue.encode(registrations))
    }
  }
}

extension MessagingKey.Kind {
  /// The kinds whose keys begin with the project.
  fileprivate static let namingProject: [MessagingKey.Kind] = [
    .project, .registration, .identity, .address, .member, .membership, .user, .message, .counts,
    .delivery, .collapse, .mailbox, .mailboxHead, .ownResource, .summary, .capped,
  ]
}
