package import Flare

/// A node's connection to the server that stores its place.
package struct FlareConnection: Sendable {
    /// Starts the server's events; called once, before the first request.
    package let open: @Sendable () -> Void
    /// Sends a request.
    ///
    /// Called on the node's loop; the embedded server answers within the call.
    package let send: @Sendable (FlareRequest) -> Void
    /// Called after the last request.
    package let close: @Sendable () -> Void
    /// Maintains the connection until it is closed.
    package let run: @Sendable () async -> Void
}
