import Dispatch
import Foundation

/// Signals of the process as a stream, instead of what the system does by itself.
// @unchecked: the sources are not touched between the beginning and the end.
final class SignalStream: @unchecked Sendable {
    let numbers: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    init(_ wanted: [Int32]) {
        let (numbers, feed) = AsyncStream<Int32>.makeStream()
        self.numbers = numbers
        sources = wanted.map { number in
            if number != SIGWINCH { signal(number, SIG_IGN) }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { feed.yield(number) }
            source.resume()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }
}
