import ArgumentParser
import Daemon
import FlareClient
import Foundation

/// Why one of the directory's verbs ends: a sentence, and the exit code.
struct VerbError: Error {
    /// The exit code of what is registered already, or has a name that is taken.
    static let taken = ExitCode(1)

    let message: String
    let code: ExitCode

    init(_ message: String, _ code: ExitCode) { (self.message, self.code) = (message, code) }

    /// Why the stations of a state folder cannot be used.
    init(_ error: StateStoreError) {
        code = DaemonRunner.exitCode(error)
        if case .database(let path, _, _) = error, code == .temporary {
            message = Self.inUse(path)
        } else {
            message = "\(error)"
        }
    }

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

    /// Prints the message of an error behind the verbs.
    ///
    /// - Parameter verbs: As in `station add`.
    /// - Throws: The exit code.
    static func reporting(_ verbs: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as VerbError {
            try error.end(verbs)
        } catch let error as StateStoreError {
            try VerbError(error).end(verbs)
        } catch let error as TLSConfigurationError {
            try VerbError(error.description, .dataError).end(verbs)
        }
    }

    private func end(_ verbs: String) throws {
        StandardError.print("trilateral \(verbs): \(message)")
        throw code
    }
}
