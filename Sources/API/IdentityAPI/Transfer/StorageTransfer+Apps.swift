import Authentication
import BaseJSON
import Foundation
import ServiceModule

extension StorageTransfer {
  /// A project's registered apps, a line each, as the store has them.
  ///
  /// Apps keep their IDs wherever they are imported, so that installed copies with their file
  /// continue to work.
  static func apps(_ accounts: Accounts) -> StorageTransfer {
    StorageTransfer("apps") { scope, _, item in
      let apps = try accounts.project(scope.database.project).apps()
      for app in apps {
        try item(StorageItem(file: "apps", bytes: Array(JSONEncoder.ofTransfers.encode(app))))
      }
      return StorageCount(apps.count, "app")
    } import: { scope, next, tell in
      let project = accounts.project(scope.database.project)
      var tally = ImportTally()
      while let item = try next() {
        let name = try? JSONValue(parsing: String(decoding: item, as: UTF8.self))["id"]?.string
        try tally.take(named: name ?? "An app") {
          try project.take(try JSONDecoder().decode(RegisteredApp.self, from: Data(item)))
        }
      }
      for refusal in tally.refusals { try tell(.difference(refusal)) }
      return StorageCount(tally.stored, "app", skipped: tally.skipped)
    }
  }

  /// A project's mail templates: one line `{"sendEmail": {…}}`, as `notification` of the resource `config` has it.
  static func mailTemplates(_ accounts: Accounts) -> StorageTransfer {
    StorageTransfer("mail") { scope, _, item in
      let mail = try accounts.project(scope.database.project).configuration().mail
      let json = MailTemplatesJSON.json(mail)
      guard json != .object([JSONValue.Member]()) else { return StorageCount(0, unit) }
      try item(
        StorageItem(file: "templates", bytes: JSONValue.object(["sendEmail": json]).compactBytes)
      )
      return StorageCount(1, unit)
    } import: { scope, next, tell in
      let project = accounts.project(scope.database.project)
      var tally = ImportTally()
      while let item = try next() {
        try tally.take(named: "Mail templates") {
          let change = JSONValue.object(["notification": try JSONParser.parse(item)])
          var reader = try ChangeReader(change, mask: nil)
          var mail = MailTemplates()
          try MailTemplatesJSON.apply(&reader, to: &mail)
          try reader.finish()
          guard try project.configuration().mail != mail else { return false }
          try project.configure { $0.mail = mail }
          return true
        }
      }
      for refusal in tally.refusals { try tell(.difference(refusal)) }
      return StorageCount(tally.stored, unit, skipped: tally.skipped)
    }
  }

  private static let unit = "set of mail templates"
}
