/// Asks again and again until the condition holds, or the time is over.
///
/// The time runs only while the test gets the processor: what it waits for gets none either on a busy machine.
///
/// - Returns: Whether it held; for `#expect(await eventually { … })`.
package func eventually(
    within limit: Duration = .seconds(30),
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    var left = limit
    while true {
        let start = ContinuousClock.now
        if try await condition() { return true }
        guard left > .zero, !Task.isCancelled else { return false }
        try? await Task.sleep(for: .milliseconds(5))
        left -= min(ContinuousClock.now - start, .milliseconds(100))
    }
}
