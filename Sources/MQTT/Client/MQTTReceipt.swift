/// What waits for the acknowledgement of a publication that was sent or queued.
package struct MQTTReceipt: Sendable {
    private let results: AsyncStream<MQTTPublishError?>

    /// - Parameter results: One result: no error when the broker has acknowledged (QoS 1), or it was written (QoS 0).
    package init(_ results: AsyncStream<MQTTPublishError?>) { self.results = results }

    /// The receipt of what will never be sent.
    init(_ error: MQTTPublishError) {
        self.init(
            AsyncStream { port in
                port.yield(error)
                port.finish()
            }
        )
    }

    /// Waits; for a single caller.
    ///
    /// - Throws: `timedOut`, also when the task is cancelled; the publication may still arrive then.
    package func wait(_ timeout: Duration) async throws(MQTTPublishError) {
        let results = results
        let error: MQTTPublishError? = await withTaskGroup(of: MQTTPublishError?.self) { group in
            group.addTask {
                for await result in results { return result }
                return .timedOut(timeout)
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .timedOut(timeout)
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        if let error { throw error }
    }
}
