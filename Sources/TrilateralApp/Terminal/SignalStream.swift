import Dispatch
import Foundation

/// Signals of the process as a stream, instead of what the system does by itself.
///
/// They are caught as long as somebody reads ``numbers``.
struct SignalStream: Sendable {
    let numbers: AsyncStream<Int32>

    init(_ wanted: [Int32]) {
        let (numbers, feed) = AsyncStream<Int32>.makeStream()
        self.numbers = numbers
        let sources = wanted.map { number in
            if number != SIGWINCH { signal(number, SIG_IGN) }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { feed.yield(number) }
            source.resume()
            return SignalSource(source)
        }
        // The stream keeps its sources: a reader holds nothing else.
        feed.onTermination = { _ in
            for source in sources { source.end() }
        }
    }
}

// @unchecked: the source is only cancelled, which is allowed on any thread.
private final class SignalSource: @unchecked Sendable {
    private let source: any DispatchSourceSignal

    init(_ source: any DispatchSourceSignal) { self.source = source }

    func end() { source.cancel() }
}
