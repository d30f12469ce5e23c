/// The rules of the alert about the state folder.
///
/// Databases report each failed write; the folder is inspected periodically. A failure lasts until test writes to the
/// folder and the databases have succeeded: single small writes can succeed on a full disk.
package struct StorageHealth: Sendable {
    package enum Event: Sendable, Hashable {
        /// A write to a database failed.
        case failed(String)
        /// The folder was inspected.
        ///
        /// - Parameter isPartial: Whether what is open can still be written.
        case inspected(problem: String?, isPartial: Bool = false)
        /// Test writes to the folder and the databases succeeded.
        case written
    }

    package enum Change: Sendable, Hashable {
        /// Nothing can be stored.
        case broken(String)
        /// Only what is open can be written.
        case limited(String)
        case recovered
    }

    private var failure: String?
    private var finding: String?
    private var isFindingPartial = false
    private var reported: Change?

    package init() {}

    /// Whether only a test write can end the failure.
    package var needsTest: Bool { failure != nil && finding == nil }

    /// - Returns: What to report; once per cause.
    package mutating func apply(_ event: Event) -> Change? {
        switch event {
        // The first failure is the cause of the others.
        case .failed(let reason): failure = failure ?? reason
        case .inspected(let problem, let isPartial): (finding, isFindingPartial) = (problem, isPartial)
        case .written: failure = nil
        }
        let causes = [
            failure.map { Change.broken($0) },
            finding.map { isFindingPartial ? .limited($0) : .broken($0) },
        ].compactMap(\.self)
        // A failed write is worse than a folder that takes no new files.
        if let reported, reported == causes.last, causes.count == 1 || !isFindingPartial { return nil }
        guard causes.first != reported else { return nil }
        reported = causes.first
        return reported ?? .recovered
    }
}
