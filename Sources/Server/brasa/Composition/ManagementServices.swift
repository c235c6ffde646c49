import BaseText
import Console
import FirestoreModel
import Gateway
import Hosting
import ManagementAPI
import ServiceModule
import Synchronization

/// The routes of projects and apps as a module.
enum ManagementServices {
  /// The management routes of a server.
  ///
  static func module(_ core: ServerCore, _ hosting: Hosting) -> ServiceModule {
    let files = AppFiles.served(core.accounts)
    return .management(
      ManagementEnvironment(
        accounts: core.accounts,
        access: core.access,
        threads: core.threads,
        numbers: core.projectNumbers,
        isDevelopment: core.settings.isDevelopment,
        site: { try hosting.defaultSite(of: $0.string) },
        make: { [databases = core.directory.databases] project in
          _ = try databases.createDatabase(DatabaseID(project: project))
        },
        file: { app, project in
          let file = try files.file(app, project, nil)
          return (file.name, file.text)
        }
      )
    )
  }
}

extension ServerCore {
  /// The known projects and their numbers: with accounts, apps, rules or databases, and the server's own.
  var projectNumbers: ProjectNumbers {
    ProjectNumbers(
      number: LocalAdministration.number(of:),
      projects: { [accounts, projectsWithData, own = settings.project] in
        try accounts.knownProjects(limit: 100_000).union(projectsWithData())
          .union(own.map { [Text($0)] } ?? [])
      }
    )
  }

  /// Puts projects' ids in place of their numbers in paths.
  ///
  /// A number that led to a project continues to lead there while the server runs. Registrations of
  /// apps name projects by their keys, and are left alone.
  var projectPaths: ProjectPaths {
    let numbers = projectNumbers
    let known = KnownNumbers()
    return { [threads] path in
      guard !path.contains("/installations"), !path.contains("/registrations"),
        let range = ProjectNumbers.digits(in: path)
      else { return nil }
      let number = String(path[range])
      if known[number] == nil {
        known[number] = try await threads.run(on: .maintenance) { try numbers.project(number) }
      }
      guard let project = known[number] else { return nil }
      return path[..<range.lowerBound] + project.string + path[range.upperBound...]
    }
  }
}

/// Numbers that led to projects.
private final class KnownNumbers: Sendable {
  private let projects = Mutex<[String: Text]>([:])

  subscript(number: String) -> Text? {
    get { projects.withLock { $0[number] } }
    set {
      guard let newValue else { return }
      projects.withLock { projects in
        if projects.count >= 10_000 { projects = [:] }
        projects[number] = newValue
      }
    }
  }
}
