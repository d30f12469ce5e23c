import Threading

/// A check of `trilateral doctor`: it gathers facts, and makes verdicts of them.
package struct DoctorCheck: Sendable {
    /// What its verdicts are named by.
    package let name: String
    /// How long it may take.
    package let limit: Duration
    private let work: Work

    private enum Work: Sendable {
        case waiting(@Sendable () async -> [DoctorVerdict])
        case blocking(@Sendable () -> [DoctorVerdict])
    }

    /// A check that asks the system, which may let it wait: it gets a thread of its own.
    package init(
        _ name: String,
        limit: Duration = .seconds(5),
        blocking work: @escaping @Sendable () -> [DoctorVerdict]
    ) {
        (self.name, self.limit, self.work) = (name, limit, .blocking(work))
    }

    /// A check that waits for others without a thread.
    package init(
        _ name: String,
        limit: Duration = .seconds(9),
        waiting work: @escaping @Sendable () async -> [DoctorVerdict]
    ) {
        (self.name, self.limit, self.work) = (name, limit, .waiting(work))
    }

    /// Runs checks side by side.
    ///
    /// One that has found nothing when its time is over gets a verdict that says so, and is left behind: what a hanging
    /// server or disk keeps must not keep the others.
    /// - Returns: The verdicts, in the order of the checks.
    package static func run(_ checks: [DoctorCheck]) async -> [DoctorVerdict] {
        let results = checks.map { $0.start() }
        var verdicts: [DoctorVerdict] = []
        for result in results {
            for await found in result {
                verdicts += found
                break
            }
        }
        return verdicts
    }

    /// The first element is the result.
    private func start() -> AsyncStream<[DoctorVerdict]> {
        let (results, port) = AsyncStream.makeStream(of: [DoctorVerdict].self)
        let (name, limit) = (name, limit)
        switch work {
        case .waiting(let work):
            // Unstructured, because a group would wait for a check that hangs.
            Task.detached { port.yield(await work()) }
        case .blocking(let work):
            do {
                try POSIXThread { port.yield(work()) }.detach()
            } catch {
                port.yield([DoctorVerdict(name, .problem, "no thread can be started: \(error)")])
            }
        }
        Task.detached {
            try? await Task.sleep(for: limit)
            port.yield([
                DoctorVerdict(
                    name,
                    .problem,
                    "no answer within \(limit.inSeconds)",
                    advice: "the daemon, server or disk that it asks hangs, or is very slow: look at that"
                )
            ])
        }
        return results
    }
}
