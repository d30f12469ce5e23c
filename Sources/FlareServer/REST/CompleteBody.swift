import Hummingbird

/// Whoever sent a request was somebody when it began, and is nobody now that it is complete.
struct Unidentified: Error {}

extension FlareHub {
    /// The complete body of a request.
    /// - Throws: ``Unidentified`` if the visitor's token has ended meanwhile.
    nonisolated func body(of request: Request, upTo limit: Int, by visitor: FlareVisitor) async throws
        -> [UInt8]
    {
        let body = try await request.body.collect(upTo: limit)
        if access.isGone(visitor) { throw Unidentified() }
        return Array(body.readableBytesView)
    }
}
