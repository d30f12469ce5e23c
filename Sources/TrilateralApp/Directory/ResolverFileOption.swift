import ArgumentParser
import Daemon
import Directory
import Foundation

/// Names the file of a resolver.
struct ResolverFileOption: ParsableArguments {
    @Option(file: "The database, instead of the daemon's resolver.db.")
    var db: String?

    private static func path(in folder: String) -> String {
        URL(filePath: folder).appending(path: "resolver.db").path(percentEncoded: false)
    }

    /// The file of a resolver that is started: it may be missing, and the daemon's folder too.
    func pathToMake() throws(VerbError) -> String {
        if let db { return db }
        do throws(StateFolderError) {
            return Self.path(
                in: try StateFolder(named: nil, environment: ProcessInfo.processInfo.environment).path
            )
        } catch {
            throw VerbError("\(error)", .cannotCreate)
        }
    }

    /// Opens the file for one of the verbs, and closes it after the work.
    ///
    /// - Throws: ``VerbError``, also if there is no such file.
    func withDatabase<Result>(_ body: (ResolverDatabase) throws -> Result) throws(VerbError) -> Result {
        let path: String
        if let db {
            path = db
        } else {
            let locator = DaemonLocator(ProcessInfo.processInfo.environment)
            switch locator.finding {
            case .one(let daemon):
                // A resolver that runs alone beside the daemon keeps its file in this user's own folder.
                let own = Self.path(in: StateFolder.standard(ProcessInfo.processInfo.environment))
                let shared = Self.path(in: daemon.stateFolder)
                path = access(shared, F_OK) != 0 && access(own, F_OK) == 0 ? own : shared
            case .several(let daemons):
                throw VerbError(DaemonLocator.question(daemons, option: "--db"), .usage)
            case .none: path = Self.path(in: locator.standardFolder)
            }
        }
        guard FileManager.default.fileExists(atPath: path) else {
            throw VerbError("\(path): there is no such file; --db names another one", .noInput)
        }
        do {
            let database = try ResolverDatabase(path: path)
            defer { database.close() }
            return try body(database)
        } catch {
            throw VerbError(resolverFile: path, error)
        }
    }
}
