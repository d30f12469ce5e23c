// Where devices are and where they point, and what things report, is stored from time to time and when the store is closed: a
// device that moves, or a sensor, would wear out a memory card. Everybody is notified at once.
extension FlareHub {
    private static let flushInterval = Duration.seconds(60)

    /// Keeps the updates of a motion or a report until the next time they are stored.
    func keep(_ updates: [FlareStore.Write]) {
        store.keep(updates)
        guard flush == nil else { return }
        flush = Task { [weak self] in
            guard (try? await Task.sleep(for: Self.flushInterval)) != nil else { return }
            await self?.flushMotion()
        }
    }

    /// Stores the updates that wait, if any do.
    package func storeReadings() {
        guard let waiting = flush else { return }
        waiting.cancel()
        flushMotion()
    }

    /// Stores the updates that wait; after a failure, which is reported, they go on waiting.
    package func flushMotion() {
        flush = nil
        do { try commit { store throws(FlareStoreError) in try store.flush() } } catch { keep([]) }
    }
}
