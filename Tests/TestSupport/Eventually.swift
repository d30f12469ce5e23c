/// Asks again and again until the condition holds, or the time is over.
///
/// - Returns: Whether it held; for `#expect(await eventually { … })`.
package func eventually(
    within limit: Duration = .seconds(30),
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while true {
        if try await condition() { return true }
        guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
}
