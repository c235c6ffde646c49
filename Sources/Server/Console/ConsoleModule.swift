import HTTPTypes
import ServiceModule

extension ServiceModule {
  /// The console in the browser: its page, the files of the page, and its calls beyond the APIs of
  /// every client.
  ///
  ///     GET  /                                      leads browsers to /console
  ///     GET  /console, /console/{project}/{area}…   the page; its script reads the address
  ///     GET  /project/{project}/…, /u/{n}/project/… the same under the addresses that Firebase has
  ///     GET  /v1/r/project/{project}/firestore/…    the same under the address that errors of queries print
  ///     GET  /__/console/{version}/{file}          the page's files, kept by browsers for good
  ///     GET  /console/api/session                   what the server is, and who is signed in
  ///     *    /console/api/projects                  the projects, for administrators; see `ProjectCalls`
  ///     POST /console/session/…                     signing in and out, see `SessionRoutes`
  ///     *    /console/api/me…                        see `OwnAccountRoutes`
  ///     *    /console/api/administrators, …/audit   see `AdministratorRoutes`
  ///     *    /console/api/projects/{project}/…      see `AppRoutes`, `RequestRoutes`, `ViewRoutes`, `IndexRoutes`
  ///     *    /console/api/jobs, log, metrics, …     see `OperationRoutes`
  package static func console(_ environment: ConsoleEnvironment) -> ServiceModule {
    var module = ServiceModule("console")
    let pages = ConsolePages(environment)
    let calls = ConsoleCalls(environment)
    let (administrators, audit) = (environment.administrators, environment.audit)
    let sessions = SessionRoutes(environment: environment)
    let management = AdministratorRoutes(
      environment: environment,
      administrators: administrators,
      audit: audit
    )
    module.root = pages.root
    module.routes = pages.routes + calls.routes + sessions.routes + management.routes
    module.routes += OwnAccountRoutes(environment: environment).routes
    module.routes += ProjectCalls(environment: environment, accounts: environment.accounts).routes
    module.routes += ViewRoutes(environment: environment).routes
    module.routes += RequestRoutes(environment: environment).routes
    if let uses = environment.indexUses {
      module.routes += IndexRoutes(environment: environment, uses: uses).routes
    }
    if let operations = environment.operations {
      module.routes += OperationRoutes(environment: environment, operations: operations).routes
    }
    if let files = environment.apps {
      let apps = AppRoutes(environment: environment, files: files, accounts: environment.accounts)
      module.routes += apps.routes
    }
    if let hosts = environment.hosts {
      module.routes = module.routes.map { route in
        route.checking { try OwnOrigin.requireHost(of: $0, amongst: hosts) }
      }
    }
    return module
  }
}
