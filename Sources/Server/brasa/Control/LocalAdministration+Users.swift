import Authentication
import BaseStatus
import BaseText
import IdentityAPI

extension LocalAdministration {
  /// Does what `brasa users` asks, on one project.
  func users(
    _ request: UsersRequest,
    project: String,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let project = accounts.project(Text(project))
    do {
      try perform(request, project, input, output)
    } catch let error as AccountError {
      throw ServiceError(.invalidArgument, error.message, cause: error.cause)
    }
  }

  private func perform(
    _ request: UsersRequest,
    _ project: ProjectAccounts,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    switch request {
    case .create(let account):
      let user = try project.create(try draft(account, input))
      try output(.finished(summary: "created \(user.uid)"))
    case .list: try list(project, output)
    case .show(let who):
      try output(.line(AccountTransfer.description(try find(who, project))))
      try output(.finished(summary: ""))
    case .setDisabled(let who, let isDisabled):
      var update = UserUpdate()
      update.isDisabled = isDisabled
      let user = try project.update(try find(who, project).uid, update)
      try output(.finished(summary: "\(isDisabled ? "disabled" : "enabled") \(user.uid)"))
    case .setClaims(let who, let claims):
      var update = UserUpdate()
      update.customClaims = .set(claims)
      let user = try project.update(try find(who, project).uid, update)
      try output(.finished(summary: "\(user.uid) has the claims \(user.customClaims ?? "{}")"))
    case .delete(let who):
      let user = try find(who, project)
      try project.delete(user.uid)
      try output(.finished(summary: "deleted \(user.uid)"))
    case .import(let parameters): try importUsers(project, parameters, input, output)
    case .export: try exportUsers(project, output)
    case .parameters: try parameters(project, output)
    case .methods:
      let configuration = try project.configuration()
      for method in SignInMethod.allCases {
        try output(.line(method.description(in: configuration)))
      }
      for kind in [ProviderConfiguration.Kind.known, .oidc] {
        for provider in try project.providers(kind) { try output(.line(provider.line)) }
      }
      try output(.finished(summary: ""))
    case .setMethod(let method, let isOn):
      let configuration = try project.configure { $0[keyPath: method.setting] = isOn }
      try output(.finished(summary: method.description(in: configuration)))
    case .setProvider(let change):
      let secret = change.hasSecret ? try text(input) : nil
      let provider = try change.store(in: project, secret: secret)
      try output(.finished(summary: provider.line))
    case .policy: try tell(of: project.configuration().passwordPolicy, output)
    case .setPolicy(let change):
      let changed = try project.configure { change.apply(to: &$0.passwordPolicy) }
      try tell(of: changed.passwordPolicy, output)
    }
  }

  private func tell(
    of policy: PasswordPolicy,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    for line in policy.lines { try output(.line(line)) }
    try output(.finished(summary: ""))
  }

  private func draft(
    _ account: UsersRequest.NewAccount,
    _ input: () throws -> [UInt8]?
  ) throws -> NewUser {
    var draft = NewUser(uid: account.uid, email: account.email, displayName: account.displayName)
    draft.phoneNumber = account.phoneNumber
    draft.isEmailVerified = account.isEmailVerified
    draft.isDisabled = account.isDisabled
    if account.hasPassword { draft.password = try text(input) ?? "" }
    return draft
  }

  /// The next item as text.
  private func text(_ input: () throws -> [UInt8]?) throws -> String? {
    try input().map { String(decoding: $0, as: UTF8.self) }
  }

  private func find(_ who: String, _ project: ProjectAccounts) throws -> User {
    let found =
      who.contains("@")
      ? try project.user(email: who)
      : who.hasPrefix("+") ? try project.user(phoneNumber: who) : nil
    guard let user = try found ?? project.user(Text(who)) else {
      throw ServiceError(.notFound, "There is no account \(who).")
    }
    return user
  }

  /// Runs through all accounts, with progress.
  private func each(
    _ project: ProjectAccounts,
    _ output: (AdministrationReply) throws -> Void,
    _ body: (User) throws -> Void
  ) throws -> Int {
    try AccountTransfer.each(
      of: project,
      progress: { try output(.progress(done: $0, total: $1, unit: "account")) },
      body
    )
  }

  private func list(
    _ project: ProjectAccounts,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let count = try each(project, output) { user in
      let names = [user.email?.string, user.phoneNumber?.string, user.displayName]
      let state = user.isDisabled ? "disabled" : ""
      let parts = [user.uid.string] + names.compactMap(\.self) + [state]
      try output(.line(parts.filter { !$0.isEmpty }.joined(separator: "  ")))
    }
    try output(.finished(summary: count.counting("account")))
  }

  private func exportUsers(
    _ project: ProjectAccounts,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    var withoutHash: [String] = []
    var withFactor = 0
    let count = try each(project, output) { user in
      if let password = user.password, password.algorithm != .own {
        withoutHash.append(user.uid.string)
      }
      if !user.secondFactors.isEmpty { withFactor += 1 }
      try output(.line(AccountTransfer.line(user)))
    }
    for uid in withoutHash {
      let reason =
        "its password is not exported: it was imported, and the user has not signed in since."
      try output(.difference("\(uid): \(reason)"))
    }
    if withFactor > 0 {
      try output(
        .difference("Second factors of \(withFactor.counting("account")) are not exported.")
      )
    }
    let note =
      withoutHash.isEmpty
      ? ""
      : "; \(withoutHash.count) without their imported hashes, as their users have not signed in yet"
    try output(.finished(summary: "exported \(count.counting("account"))\(note)"))
  }

  private func importUsers(
    _ project: ProjectAccounts,
    _ parameters: String,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let reader = try AccountTransfer.Reader(
      parameters: parameters,
      takesEmulators: project.accounts.configuration.acceptsUnsigned
    )
    let stored = try AccountTransfer.store(in: project) { try text(input).map(reader.user) }
    // Called at the end: the other side writes all before it reads.
    for refusal in stored.refusals { try output(.difference(refusal)) }
    let count = stored.read - stored.refusals.count
    try output(
      .finished(
        summary: "imported \(count.counting("account")), \(stored.refusals.count) refused"
      )
    )
  }

  private func parameters(
    _ project: ProjectAccounts,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let parameters = try project.passwordParameters()
    try output(.line("--hash-algo=SCRYPT"))
    try output(.line("--hash-key=\(Base64.standard(parameters.signerKey))"))
    try output(.line("--salt-separator=\(Base64.standard(parameters.saltSeparator))"))
    try output(.line("--rounds=\(parameters.rounds)"))
    try output(.line("--mem-cost=\(parameters.memoryCost)"))
    try output(.finished(summary: ""))
  }
}
