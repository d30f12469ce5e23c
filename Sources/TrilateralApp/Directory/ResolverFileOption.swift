import ArgumentParser
import Daemon
import Directory
import Foundation

/// Names the file of a resolver.
struct ResolverFileOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The database, instead of the daemon's resolver.db.", valueName: "file"),
        completion: .file()
    )
    var db: String?

    /// The named file, else that of the daemon.
    private var path: String {
        let environment = ProcessInfo.processInfo.environment
        return db
            ?? URL(filePath: StateFolder.standard(environment)).appending(path: "resolver.db")
            .path(percentEncoded: false)
    }

    /// The file of a resolver that is started: it may be missing, and the daemon's folder too.
    ///
    /// - Throws: An exit code, after a message.
    func pathToMake() throws -> String {
        if db == nil {
            do throws(StateFolderError) {
                _ = try StateFolder(named: nil, environment: ProcessInfo.processInfo.environment)
            } catch {
                StandardError.print("trilateral resolver: \(error)")
                throw ExitCode.cannotCreate
            }
        }
        return path
    }

    /// Opens the file for one of the verbs, and closes it after the work.
    ///
    /// - Throws: ``VerbError``, also if there is no such file.
    func withDatabase<Result>(_ body: (ResolverDatabase) throws -> Result) throws(VerbError) -> Result {
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
