import ArgumentParser
import Daemon
import Foundation
import MQTT
import OperatingSystem

/// Why a verb ends: a sentence, and the exit code.
struct VerbError: Error {
    /// The exit code of what is registered already, or has a name that is taken.
    static let taken = ExitCode(1)

    let message: String
    let code: ExitCode

    init(_ message: String, _ code: ExitCode) { (self.message, self.code) = (message, code) }

    /// The error by which a verb ends: one that is meant for that, or else another one in its own words.
    static func ending(by error: any Error) -> any Error {
        switch error {
        case is VerbError, is ExitCode, is OutputError: error
        default: VerbError("\(error)", DaemonRunner.exitCode(error))
        }
    }

    /// Why the stations of a state folder cannot be used.
    init(_ error: StateStoreError) {
        code = DaemonRunner.exitCode(error)
        if case .database(let path, _, _) = error, code == .temporary {
            message = Self.inUse(path)
        } else {
            message = "\(error)"
        }
    }

    /// The refusal for a database that another command has open; `nil` if a daemon has it, or the other process cannot
    /// be identified.
    init?(databaseOfAnotherCommand path: String) {
        guard let words = DatabaseFile.holder(of: path), words.count > 1,
            !["run", "serve", "demo"].contains(words[1])
        else { return nil }
        let name = "\(URL(filePath: words[0]).lastPathComponent) \(words[1])"
        self.init("another command (\(name)) is using \(path) now: try again when it has ended", .temporary)
    }

    /// Why there is no link to the broker.
    init(_ error: MQTTError) { self.init("\(error)", ExitCode(error)) }

    /// Why a resolver's file cannot be used.
    ///
    /// - Parameter error: SQLite's, or another one.
    init(resolverFile path: String, _ error: any Error) {
        let result = (error as? any CustomNSError).flatMap {
            type(of: $0).errorDomain == "GRDB.DatabaseError" ? $0 : nil
        }
        switch (result?.errorCode ?? 0) & 0xFF {
        // BUSY, LOCKED.
        case 5, 6: self.init(Self.inUse(path), .temporary)
        // ERROR: a table or column is missing; CORRUPT, NOTADB.
        case 1, 11, 26:
            let reason = result?.errorUserInfo[NSLocalizedFailureReasonErrorKey].map { " (\($0))" } ?? ""
            self.init("\(path) is damaged, or no database of a resolver\(reason)", .dataError)
        default: self.init("\(path): \(error)", .ioError)
        }
    }

    private static func inUse(_ path: String) -> String {
        "another process uses \(path): try again later"
    }
}
