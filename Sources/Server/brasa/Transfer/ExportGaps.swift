/// The data that exports do not have, as the commands tell it.
enum ExportGaps {
  /// The gaps of every export of a project.
  static let ofProject = """
    Not exported: sign-in settings and methods, index definitions, registered apps and mail templates. Set them up again \
    where the export is imported.
    """

  /// The gaps of every export of accounts.
  static let ofAccounts = """
    Not exported with accounts: second factors, and whether an account signed in by email link. Accounts that have a \
    second factor here sign in with the password alone where the export is imported.
    """
}
