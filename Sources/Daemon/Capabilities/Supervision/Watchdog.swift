/// Signs of life for the supervisor, given only while everything that has to work does.
package struct Watchdog: Sendable {
    private let interval: Duration
    private let parts: [@Sendable () async -> Void]
    private let feed: @Sendable () -> Void

    /// - Parameters:
    ///   - timeout: How long the supervisor waits for a sign; it gets one after half of that.
    ///   - parts: Each returns when its part of the daemon has worked since the call; one that hangs does not return.
    ///   - feed: Gives the sign.
    package init(
        timeout: Duration,
        _ parts: [@Sendable () async -> Void],
        feed: @escaping @Sendable () -> Void
    ) {
        (interval, self.parts, self.feed) = (timeout / 2, parts, feed)
    }

    /// Runs until its task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            await withTaskGroup(of: Void.self) { tasks in
                for part in parts { tasks.addTask { await part() } }
            }
            guard !Task.isCancelled else { return }
            feed()
            try? await Task.sleep(for: interval)
        }
    }
}
