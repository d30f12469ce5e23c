/// What the web adapter counts, for the health message.
package struct WebCounters: Sendable, Hashable {
    /// Open event streams.
    package var streams = 0
    /// Streams that were refused because too many were open.
    package var refusedStreams = 0
    /// Commands that were received.
    package var commands = 0
    package var events = 0
    /// Headers that name a user, from somebody else than the proxy.
    package var ignoredProxyHeaders = 0
    /// Wrong passwords of the listener.
    package var refusedSignIns = 0

    /// By name.
    package var values: [String: Int] {
        [
            "web_streams": streams, "web_streams_refused": refusedStreams, "web_commands": commands,
            "web_events": events, "proxy_headers_ignored": ignoredProxyHeaders,
        ]
    }
}
