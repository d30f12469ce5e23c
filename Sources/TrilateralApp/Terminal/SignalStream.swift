import Dispatch
import Foundation
import Synchronization

/// Signals of the process as a stream, instead of what the system does by itself.
///
/// Until the first line of `init` a signal does what the system has it do. From then on none is lost: it waits for
/// whoever reads ``numbers``. When nobody reads them any more, it is the system's again.
struct SignalStream: Sendable {
    let numbers: AsyncStream<Int32>

    init(_ wanted: [Int32]) {
        let (numbers, feed) = AsyncStream<Int32>.makeStream()
        self.numbers = numbers
        guard let source = SignalSource(wanted, onArrival: { feed.yield($0) }) else { return }
        // The stream keeps its source: a reader holds nothing else.
        feed.onTermination = { _ in source.end() }
    }

    /// Waits for a signal, or until the task is cancelled.
    func first() async { for await _ in numbers { return } }

    /// Waits for a signal that ends the verb, at most for a number of seconds.
    static func waitForEnd(_ seconds: Int?) async {
        let signals = SignalStream([SIGINT, SIGTERM])
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await signals.first() }
            if let seconds { group.addTask { try? await Task.sleep(for: .seconds(seconds)) } }
            await group.next()
            group.cancelAll()
        }
    }
}

/// What signal handlers write and ``SignalStream`` reads: a pipe loses nothing that comes before its reader.
enum SignalPipe {
    /// The two ends; `nil` if the process cannot open them, and signals end it, as by default.
    static let standard: (reading: Int32, writing: Int32)? = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, let reading = ends.first, let writing = ends.last else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (reading, writing)
    }()

    private static let endWasAsked = Atomic(false)

    /// Whether SIGTERM or SIGINT was held, whoever has read it.
    static var isEndWanted: Bool { endWasAsked.load(ordering: .relaxed) }

    /// Keeps a signal in the pipe from now on.
    static func hold(_ number: Int32) {
        // The handler may only call what is safe in one; the values that it needs exist before it is set.
        guard standard != nil else { return }
        _ = isEndWanted
        signal(number) { number in
            let before = errno
            if number == SIGTERM || number == SIGINT {
                SignalPipe.endWasAsked.store(true, ordering: .relaxed)
            }
            var byte = UInt8(truncatingIfNeeded: number)
            if let pipe = SignalPipe.standard { _ = write(pipe.writing, &byte, 1) }
            errno = before
        }
    }

    /// Whether a signal does nothing, as `nohup` and a shell's `&` have it.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The signals that nobody has read yet.
    static func unread() -> [Int32] {
        guard let standard else { return [] }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(standard.reading, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).map { Int32($0) }
    }
}

/// Hands signals over, until ``end()``; then they are the system's again.
// @unchecked: the source is only cancelled, which is allowed on any thread.
final class SignalSource: @unchecked Sendable {
    private let numbers: [Int32]
    private let source: any DispatchSourceRead

    /// - Parameter onArrival: Called on a thread of its own, with each signal.
    /// - Returns: `nil` if no signal is wanted, or none can be held.
    init?(_ numbers: [Int32], onArrival: @escaping @Sendable (Int32) -> Void) {
        guard let reading = numbers.isEmpty ? nil : SignalPipe.standard?.reading else { return nil }
        for number in numbers { SignalPipe.hold(number) }
        self.numbers = numbers
        source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: .global())
        source.setEventHandler { for number in SignalPipe.unread() { onArrival(number) } }
        source.resume()
    }

    func end() {
        for number in numbers { signal(number, SIG_DFL) }
        source.cancel()
    }
}
