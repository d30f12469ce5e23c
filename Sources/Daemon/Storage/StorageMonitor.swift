package import Controller
import Foundation
package import Logging
import OperatingSystem

/// Watches the state folder while the daemon runs: the disk may be full, the folder removed or read-only.
///
/// A problem is one alert and one line in the log.
package struct StorageMonitor: Sendable {
    package typealias Event = StorageHealth.Event

    private static let alert = "state-folder"
    private static let interval = Duration.seconds(5)
    /// The number of successive inspections that must miss a file before the databases are opened again: it may be being
    /// moved.
    private static let inspectionsBeforeReopening = 2
    /// The number of further inspections before the next attempt.
    private static let inspectionsBetweenAttempts = 12

    private let folder: StateFolder
    private let files: [(path: String, identity: FileStatus.Identity?)]
    private let events: AsyncStream<Event>
    private let port: AsyncStream<Event>.Continuation
    private let retry: @Sendable () async -> Bool
    private let reopen: @Sendable () -> Void
    private let send: @Sendable (ControllerEvent) -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - files: The open databases.
    ///   - port: The continuation of `events`.
    ///   - retry: Called after a failed write once the folder can be written: writes to the databases, and returns
    ///     whether that succeeded.
    ///   - reopen: Called if the files in the folder are not the open ones and the folder can be written.
    package init(
        _ folder: StateFolder,
        files: [String],
        events: AsyncStream<Event>,
        port: AsyncStream<Event>.Continuation,
        retry: @escaping @Sendable () async -> Bool,
        reopen: @escaping @Sendable () -> Void,
        send: @escaping @Sendable (ControllerEvent) -> Void,
        logger: Logger
    ) {
        self.folder = folder
        self.files = files.map { ($0, FileStatus(path: $0)?.identity) }
        (self.events, self.port, self.retry, self.reopen) = (events, port, retry, reopen)
        (self.send, self.logger) = (send, logger)
    }

    /// Runs until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                repeat {
                    port.yield(missing.map { .inspected(problem: $0) } ?? inspected)
                } while (try? await Task.sleep(for: Self.interval)) != nil
            }
            group.addTask { await follow() }
        }
    }

    /// Handles the events in order until they end.
    package func follow() async {
        var health = StorageHealth()
        var timesMissing = 0
        for await event in events {
            report(health.apply(event))
            guard case .inspected = event else { continue }
            timesMissing = missing == nil ? 0 : timesMissing + 1
            if timesMissing >= Self.inspectionsBeforeReopening, folder.problem() == nil {
                reopen()
                timesMissing = -Self.inspectionsBetweenAttempts
            }
            // A small file may fit on a disk on which a database cannot grow.
            guard health.needsTest, folder.problem() == nil, await retry() else { continue }
            report(health.apply(.written))
        }
    }

    private func report(_ change: StorageHealth.Change?) {
        switch change {
        case nil: break
        case .broken(let reason)?:
            logger.error("nothing can be stored", metadata: ["reason": "\(reason)"])
            send(.alertRaised(Self.alert, .error, message: "Nothing can be stored: \(reason)."))
        case .limited(let reason)?:
            logger.error("the state folder takes no new files", metadata: ["reason": "\(reason)"])
            send(
                .alertRaised(
                    Self.alert,
                    .error,
                    message: """
                        \(reason.prefix(1).uppercased())\(reason.dropFirst()). Changes are still stored in the open databases, \
                        but nothing new can be made there: the next start or reload will fail.
                        """
                )
            )
        case .recovered?:
            logger.notice("the state folder can be written again")
            send(.alertCleared(Self.alert))
        }
    }

    /// The database whose file was removed or replaced.
    private var missing: String? {
        for (path, identity) in files where FileStatus(path: path)?.identity != identity {
            let what = access(path, F_OK) == 0 ? "was replaced by another file" : "is gone"
            return "\(path) \(what); it is opened again as soon as the folder can be written"
        }
        return nil
    }

    /// Whether the folder can be written, as far as can be known without writing.
    private var inspected: Event {
        guard access(folder.path, W_OK | X_OK) == 0 else {
            let code = errno
            // Permissions are checked when a file is opened or made, and not when an open one is written.
            return .inspected(
                problem: "the state folder \(folder.path) cannot be written: \(systemMessage(code))",
                isPartial: code == EACCES
            )
        }
        return .inspected(problem: full)
    }

    private var full: String? {
        var system = statvfs()
        guard statvfs(folder.path, &system) == 0, system.f_frsize > 0 else { return nil }
        let free = UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize))
        guard !free.overflow, free.partialValue < StateFolder.enough else { return nil }
        return "the disk of the state folder \(folder.path) is full; free some space"
    }
}
