/// The rules of the alert about the state folder.
///
/// Databases report each failed write; the folder is inspected periodically. A failure lasts until test writes to the
/// folder and the databases have succeeded: single small writes can succeed on a full disk.
package struct StorageHealth: Sendable {
    package enum Event: Sendable, Hashable {
        /// A write to a database failed.
        case failed(String)
        /// The folder was inspected.
        case inspected(problem: String?)
        /// Test writes to the folder and the databases succeeded.
        case written
    }

    package enum Change: Sendable, Hashable {
        case broken(String)
        case recovered
    }

    private var failure: String?
    private var finding: String?
    private var reported: String?

    package init() {}

    /// Whether only a test write can end the failure.
    package var needsTest: Bool { failure != nil && finding == nil }

    /// - Returns: What to report; once per cause.
    package mutating func apply(_ event: Event) -> Change? {
        switch event {
        // The first failure is the cause of the others.
        case .failed(let reason): failure = failure ?? reason
        case .inspected(let problem): finding = problem
        case .written: failure = nil
        }
        let problems = [failure, finding].compactMap(\.self)
        if let reported, problems.contains(reported) { return nil }
        guard problems.first != reported else { return nil }
        reported = problems.first
        return reported.map { .broken($0) } ?? .recovered
    }
}
