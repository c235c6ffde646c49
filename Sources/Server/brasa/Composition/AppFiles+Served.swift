import Authentication
import BaseStatus
import BaseText
import Console

extension AppFiles {
  /// The files that `brasa apps` writes too, with the address of the server.
  static func served(_ accounts: Accounts) -> AppFiles {
    AppFiles(
      file: { app, project, form in
        if let form, AppConfiguration.Form(rawValue: form) == nil {
          throw ServiceError.invalidArgument("The format must be plist, json or google-services.")
        }
        let origin = try LocalAdministration.checked(accounts.origin)
        let file = AppConfiguration(
          app: app,
          project: project,
          origin: origin,
          googleClientID: try accounts.project(Text(project)).googleClientID()
        )
        let chosen = form.flatMap(AppConfiguration.Form.init) ?? file.usualForm
        return (chosen.fileName, file.text(chosen))
      },
      projectNumber: LocalAdministration.number(of:)
    )
  }
}
