import KeyValueStore

extension ProjectRecords {
  /// A project's users with their sessions, its tenants, apps, providers, settings and service accounts' keys.
  ///
  /// Administrators, the keys that sign tokens, and links in mail that are still open are left out.
  package static let accounts = ProjectRecords(of: .accounts) { project, reader, take in
    let kinds: [AccountKey.Kind] = [
      .user, .email, .phone, .provider, .refreshToken, .initialEmail, .scope,
      .providerConfiguration, .app,
    ]
    for kind in kinds {
      try reader.take(
        KeyRange(prefix: AccountKey.prefix(kind)),
        where: { key, _ in AccountKey.scope(ofKey: key)?.project?.string == project },
        take
      )
    }
    try reader.take(
      Accounts.serviceAccountKeys,
      where: { _, value in try ServiceAccount(record: Array(value)).project.string == project },
      take
    )
  }
}
