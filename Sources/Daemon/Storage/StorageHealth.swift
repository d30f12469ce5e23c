/// Whether what the daemon keeps can be kept: the rules of the alert about the state folder.
///
/// Databases report each write that fails; the folder is inspected now and then. A failure lasts until a test has
/// written to the folder and to the databases: single small writes may succeed on a disk that is full.
package struct StorageHealth: Sendable {
    package enum Event: Sendable, Hashable {
        /// A database has refused a write.
        case failed(String)
        /// The folder was inspected; with what is wrong, if something is.
        case inspected(problem: String?)
        /// The folder and the databases have taken a test.
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

    /// Whether only a test of the folder can tell whether it is well again.
    package var needsTest: Bool { failure != nil && finding == nil }

    /// - Returns: What is to be reported: once a cause.
    package mutating func apply(_ event: Event) -> Change? {
        switch event {
        // The first failure names the cause; others follow from it.
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
