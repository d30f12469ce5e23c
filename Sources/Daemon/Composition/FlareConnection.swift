package import Flare

/// A node's connection to the server that keeps its place.
package struct FlareConnection: Sendable {
    /// Connects, so that the server's events come.
    ///
    /// Once, before the first request.
    package let open: @Sendable () -> Void
    /// Asks the server for something.
    ///
    /// Called on the node's loop; the embedded server answers within the call.
    package let send: @Sendable (FlareRequest) -> Void
    /// No more requests come.
    package let close: @Sendable () -> Void
    /// Keeps the connection up until it was closed.
    package let run: @Sendable () async -> Void
}
