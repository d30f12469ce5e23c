extension Actor {
    /// Runs a body on this actor, on whose executor the caller must be already: that is checked.
    ///
    /// The same as `assumeIsolated`. A closure that is passed to that function itself is checked a second time, because
    /// the compiler does not know how the standard library calls it.
    @inlinable
    package nonisolated func onExecutor<Result: Sendable>(
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: (isolated Self) throws -> Result
    ) rethrows -> Result {
        try assumeIsolated(body, file: file, line: line)
    }
}
