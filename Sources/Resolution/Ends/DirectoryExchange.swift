/// A client's end of one connection to a resolver: bytes and time come in, and what to do comes out.
///
/// Times are milliseconds of the steady clock.
package protocol DirectoryExchange: Sendable {
    associatedtype Result: Sendable

    /// When to call ``tick(now:)``.
    var deadline: Int64 { get }

    mutating func received(_ bytes: [UInt8], now: Int64) -> [DirectoryAction<Result>]

    /// The connection could not be made, or has ended.
    mutating func closed() -> [DirectoryAction<Result>]

    mutating func tick(now: Int64) -> [DirectoryAction<Result>]
}

/// What a client does next.
package enum DirectoryAction<Result: Sendable>: Sendable {
    case send([UInt8])
    /// Close the connection; that was all.
    case end(Result)
}

extension DirectoryAction: Equatable where Result: Equatable {}
